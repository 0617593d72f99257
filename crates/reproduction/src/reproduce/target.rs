//! The experiments of the paper, by name.

use super::subject::Subject;
use crate::catalogue::Collection;
use rulebound::dataset::{Builtin, Step};
use rulebound::train::Method;

rulebound_core::named_enum! {
    /// An experiment of the paper, in the order of the paper.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Target: "a target" {
        /// Decision boundaries of f⁺, g⁺, C-HMCNN(h) and of f, g, h for three arrangements.
        Rectangles = "rectangles",
        /// AU(PRC) while one rectangle moves into the other.
        MovingRectangles = "moving-rectangles",
        /// The constraint loss against cross-entropy on nine rectangles.
        NineRectangles = "nine-rectangles",
        /// Decision boundaries of f⁺ and CCN(h) with general rules.
        ThreeClasses = "three-classes",
        /// Six metrics while one rectangle moves into the other.
        MovingThreeClasses = "moving-three-classes",
        /// Twenty hierarchies.
        Hmc = "hmc",
        /// The FunCat hierarchies without loss and layer.
        HmcAblation = "hmc-ablation",
        /// Sixteen sets with general rules.
        Lcmc = "lcmc",
        /// The same without loss and layer.
        LcmcAblation = "lcmc-ablation",
    }
}

impl Target {
    /// Its place in the paper: the section, and the printed number of the table or figure.
    pub const fn place(self) -> &'static str {
        match self {
            Self::Rectangles => "HMC, Basic Case: Figures 1 and 2; Definition of delegate",
            Self::MovingRectangles => "HMC, Synthetic experiment 1: Figure 7",
            Self::NineRectangles => "HMC, Synthetic experiment 2: Figure 8",
            Self::ThreeClasses => "Hard Logical Constraints, Basic Case: Figure 3",
            Self::MovingThreeClasses => "LCMC, Synthetic Experiment: Figure 10",
            Self::Hmc => "HMC, Comparison with the state of the art: Table 2, Figure 9",
            Self::HmcAblation => "HMC, Ablation studies: Table 3",
            Self::Lcmc => "LCMC, Comparison: Tables 5, 6 and 7, Figure 11",
            Self::LcmcAblation => "LCMC, Ablation: Tables 8, 9 and 10",
        }
    }

    /// What it shows, in one line.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Rectangles => "boundaries of f, g, h and f⁺, g⁺, C-HMCNN(h); delegated points",
            Self::MovingRectangles => "AU(PRC) of CCN(h), f⁺ and g⁺ over nine steps",
            Self::NineRectangles => "h+CM trained with cross-entropy against the constraint loss",
            Self::ThreeClasses => "boundaries of f⁺ and CCN(h) under A1 → A, A2 → A, A ¬A1 → A2",
            Self::MovingThreeClasses => "six metrics of CCN(h) and f⁺ over nine steps",
            Self::Hmc => "AU(PRC) on 20 hierarchies, beside four published systems",
            Self::HmcAblation => "h⁺, h+CM and CCN(h) on the eight FunCat sets",
            Self::Lcmc => "six metrics on 16 sets with mined rules, beside four systems",
            Self::LcmcAblation => "six metrics of h⁺, h+CM and CCN(h) on the 16 sets",
        }
    }

    /// What it is trained on.
    pub fn subjects(self) -> Vec<Subject> {
        let arrangements = |problem| {
            let steps = [Step::OUTSIDE, Step::HALFWAY, Step::INSIDE];
            steps.map(|step| Subject::Synthetic(problem, Some(step))).to_vec()
        };
        match self {
            Self::Rectangles => arrangements(Builtin::Rectangles),
            Self::MovingRectangles => Subject::steps(Builtin::Rectangles).collect(),
            Self::NineRectangles => vec![Subject::Synthetic(Builtin::NineRectangles, None)],
            Self::ThreeClasses => arrangements(Builtin::ThreeClasses),
            Self::MovingThreeClasses => Subject::steps(Builtin::ThreeClasses).collect(),
            Self::Hmc => Subject::collection(Collection::Hmc).collect(),
            Self::HmcAblation => Subject::collection(Collection::Hmc)
                .filter(|subject| subject.to_string().ends_with("_FUN"))
                .collect(),
            Self::Lcmc | Self::LcmcAblation => Subject::collection(Collection::Lcmc).collect(),
        }
    }

    /// The methods trained on each: ours first.
    pub const fn methods(self) -> &'static [Method] {
        match self {
            Self::Rectangles | Self::MovingRectangles => {
                &[Method::Ccn, Method::Post, Method::Complement]
            }
            Self::NineRectangles => &[Method::Ccn, Method::Cm],
            Self::ThreeClasses | Self::MovingThreeClasses => &[Method::Ccn, Method::Post],
            Self::Hmc | Self::Lcmc => &[Method::Ccn],
            Self::HmcAblation | Self::LcmcAblation => &[Method::Ccn, Method::Post, Method::Cm],
        }
    }
}

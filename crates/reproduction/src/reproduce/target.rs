//! The experiments of the paper, by name.

use super::subject::Subject;
use super::system::System;
use crate::catalogue::Collection;
use crate::methods;
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
        /// The compared systems, trained here, on the twenty hierarchies.
        HmcSystems = "hmc-systems",
        /// The compared systems, trained here, on the sixteen sets.
        LcmcSystems = "lcmc-systems",
        /// Networks blended with a forest on the twenty hierarchies.
        HmcBlend = "hmc-blend",
        /// Networks blended with a forest on the sixteen sets.
        LcmcBlend = "lcmc-blend",
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
            Self::HmcSystems => "HMC, Comparison with the state of the art: Table 2",
            Self::LcmcSystems => "LCMC, Comparison: Tables 5, 6 and 7",
            Self::HmcBlend | Self::LcmcBlend => "nowhere: it goes beyond the paper",
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
            Self::HmcSystems => {
                "the systems that the paper compares with, DHN and forests, run here"
            }
            Self::LcmcSystems => {
                "BR, ECC, RAKEL and CAMEL as in the paper and at their best, run here"
            }
            Self::HmcBlend => "CCN(h), a forest and DHN in one model on the 20 hierarchies",
            Self::LcmcBlend => "CCN(h), a forest, CAMEL and BR in one model on the 16 sets",
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
            Self::Hmc | Self::HmcSystems | Self::HmcBlend => {
                Subject::collection(Collection::Hmc).collect()
            }
            Self::HmcAblation => Subject::collection(Collection::Hmc)
                .filter(|subject| subject.to_string().ends_with("_FUN"))
                .collect(),
            Self::Lcmc | Self::LcmcAblation | Self::LcmcSystems | Self::LcmcBlend => {
                Subject::collection(Collection::Lcmc).collect()
            }
        }
    }

    /// What is trained on each: ours first.
    pub fn systems(self) -> Vec<System> {
        let own = |methods: &[Method]| methods.iter().copied().map(System::Own).collect();
        let both = |published: &[Method], ours: &[Method]| {
            let published = published.iter().copied().map(System::AsPaper);
            published.chain(ours.iter().copied().map(System::Own)).collect()
        };
        match self {
            Self::Rectangles | Self::MovingRectangles => {
                own(&[Method::Ccn, Method::Post, Method::Complement])
            }
            Self::NineRectangles => own(&[Method::Ccn, Method::Cm]),
            Self::ThreeClasses | Self::MovingThreeClasses => own(&[Method::Ccn, Method::Post]),
            Self::Hmc | Self::Lcmc => own(&[Method::Ccn]),
            Self::HmcAblation | Self::LcmcAblation => own(&[Method::Ccn, Method::Post, Method::Cm]),
            Self::HmcSystems => both(
                &[methods::CLUS, methods::LMLP, methods::HMCN_F, methods::HMCN_R, methods::DHN],
                &[methods::CLUS, methods::HMCN_F, methods::HMCN_R, Method::FOREST],
            ),
            Self::LcmcSystems => both(
                &[Method::BR, methods::CC, methods::RAKEL_D, methods::CAMEL],
                &[Method::BR, methods::ECC, methods::RAKEL, methods::CAMEL, Method::FOREST],
            ),
            Self::HmcBlend | Self::LcmcBlend => vec![System::Blend],
        }
    }
}

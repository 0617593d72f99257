//! What a two-way network is trained on: the labels of a hierarchy in both directions.

use rulebound_core::{LabelId, Program};

use super::TwoWay;
use super::doubled::Doubled;
use super::settings::TwoWaySettings;
use crate::dataset::LabelMatrix;
use crate::learner::rows::{FitError, FitRows};
use crate::network::Network;

/// The method.
pub(super) const METHOD: &str = "dhn";

/// A hierarchy with twice the classes, and how much each of them counts.
#[derive(Clone, Debug)]
pub(crate) struct TwoWayProblem {
    doubled: Doubled,
    affirmed: f64,
    evaluated: Vec<bool>,
    weights: Vec<f32>,
}

impl TwoWayProblem {
    /// The problem of these rows.
    ///
    /// # Errors
    /// If the rules are not a hierarchy.
    pub fn new(rows: &FitRows<'_>, settings: &TwoWaySettings) -> Result<Self, FitError> {
        let unsuitable = |what: String| FitError::Unsuitable {
            method: METHOD,
            what,
            hint: "use a method for any rules, such as ccn",
        };
        let (program, classes) = (rows.program(), rows.classes());
        if !program.is_hierarchy() {
            let what = "the rules are not a hierarchy (rules `child -> parent` without a cycle)";
            return Err(unsuitable(what.to_owned()));
        }
        let edges = program.rules().iter().flat_map(|rule| {
            let child = |child: usize| [child as u32, rule.head().index() as u32];
            rule.body().iter().map(move |body| child(body.label().index()))
        });
        let doubled = Doubled::new(classes, edges.collect()).map_err(unsuitable)?;
        // Twice the classes, so that the mean is one over classes.
        let (yes, no) = (2.0 * settings.affirmed, 2.0 * (1.0 - settings.affirmed));
        let weights = [yes as f32, no as f32].map(|weight| vec![weight; classes]).concat();
        let counts = |at: usize| rows.is_evaluated(at % classes) && weights[at] > 0.0;
        let evaluated = (0..2 * classes).map(counts).collect();
        Ok(Self { doubled, affirmed: settings.affirmed, evaluated, weights })
    }

    /// The rules in both directions.
    pub fn program(&self) -> &Program {
        self.doubled.program()
    }

    /// Which classes have a term in the loss.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// The weight of the term of each class.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The labels of rows: which classes are affirmed, then which are denied.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "for the GPU"))]
    pub fn labels(&self, rows: &FitRows<'_>) -> LabelMatrix {
        let classes = rows.classes();
        let mut both = vec![false; 2 * classes];
        let mut labels = LabelMatrix::new(2 * classes);
        for row in 0..rows.rows() {
            self.fill(rows, row, &mut both);
            let row = labels.push_row();
            for class in (0..both.len()).filter(|&class| both[class]) {
                labels.insert(row, LabelId::new(class));
            }
        }
        labels
    }

    /// The labels of one row.
    pub fn fill(&self, rows: &FitRows<'_>, row: usize, labels: &mut [bool]) {
        let (yes, no) = labels.split_at_mut(self.doubled.classes());
        rows.labels().unpack(row, yes);
        no.iter_mut().zip(yes).for_each(|(no, yes)| *no = !*yes);
    }

    /// The logits of rows from the outputs of a network for them.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "for the GPU"))]
    pub fn mixed(&self, outputs: &[f32]) -> Vec<f32> {
        let mut logits = vec![0.0; outputs.len() / 2];
        self.doubled.mix(outputs, self.affirmed, &mut logits);
        logits
    }

    /// The learner with this network.
    pub fn learner(&self, network: Network) -> TwoWay {
        TwoWay { network, affirmed: self.affirmed, doubled: self.doubled.clone() }
    }
}

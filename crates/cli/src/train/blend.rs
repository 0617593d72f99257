//! `train --learners`: a blend of unlike learners, and what it prints.

use crate::choice::one_of;
use crate::failure::Failure;
use clap::Args;
use rulebound::blend::{BlendReport, BlendWeights, LearnerChoice};
use rulebound::core::metrics::Metric;
use std::fmt::Write;

#[derive(Args)]
#[command(next_help_heading = "Blend")]
pub struct BlendArguments {
    /// Learners to blend, comma-separated, each METHOD or METHOD:N (N networks, or trees of one
    /// forest), as in ccn:10,forest:200
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["method", "members", "folds", "from"])]
    pub learners: Vec<LearnerChoice>,
    /// Weight of each learner, comma-separated; auto chooses them on the validation rows
    #[arg(long, value_name = "WEIGHTS", default_value = "auto", requires = "learners")]
    pub blend: String,
    /// Metric by which weights are chosen
    #[arg(long, value_name = "METRIC", default_value = "auprc", requires = "learners", value_parser = one_of::<Metric>(Metric::NAMES))]
    pub blend_metric: Metric,
    /// Choose weights on all rows but test rows, each predicted by learners fitted on the other of K
    /// folds; for few validation rows
    #[arg(long, value_name = "K", requires = "learners", value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub blend_folds: Option<u16>,
}

impl BlendArguments {
    pub fn is_asked(&self) -> bool {
        !self.learners.is_empty()
    }

    pub fn folds(&self) -> Option<usize> {
        self.blend_folds.map(usize::from)
    }

    pub fn weights(&self) -> Result<BlendWeights, Failure> {
        if self.blend == "auto" {
            return Ok(BlendWeights::Chosen(self.blend_metric));
        }
        if self.blend_folds.is_some() {
            let text =
                format!("--blend-folds chooses weights, but --blend {} gives them", self.blend);
            return Err(Failure::Usage(text));
        }
        let wrong = |what: String| Failure::Usage(format!("--blend {}: {what}", self.blend));
        let weight = |text: &str| {
            text.trim().parse::<f64>().map_err(|_| wrong(format!("`{text}` is not a number")))
        };
        let weights: Vec<f64> = self.blend.split(',').map(weight).collect::<Result<_, _>>()?;
        if weights.len() != self.learners.len() {
            let (found, expected) = (weights.len(), self.learners.len());
            return Err(wrong(format!("{found} weights for {expected} learners")));
        }
        BlendWeights::given(&weights).map_err(wrong)
    }
}

/// Each learner in a line, and how the weights were chosen.
pub fn to_text(report: &BlendReport) -> String {
    let mut text = String::new();
    for learner in &report.learners {
        let alone = learner.alone.map_or(String::new(), |value| format!(", alone {value:.4}"));
        let what = learner.learner.as_deref().unwrap_or("left out");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:5.3} {}: {what}{alone}", learner.weight, learner.method);
    }
    if let Some(search) = &report.search {
        let rows = match search.folds {
            None => format!("{} validation rows", search.rows),
            Some(folds) => format!("{} rows in {folds} folds", search.rows),
        };
        let _ = writeln!(
            text,
            "  weights chosen by {} on {rows}: {:.4} (equal weights: {:.4})",
            search.metric, search.value, search.equal
        );
    }
    text
}

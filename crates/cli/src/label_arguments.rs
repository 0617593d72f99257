//! Which classes there are, and what to do with labels that break rules.

use crate::choice;
use crate::failure::Failure;
use clap::Args;
use rulebound::class_files::read_class_weights;
use rulebound::class_names::ClassNames;
use rulebound::configuration::{ClassWeights, LabelPolicy};
use rulebound::dataset::Dataset;
use rulebound::rule_file::read_labels;
use rulebound_core::Labels;
use std::path::{Path, PathBuf};

/// The labels of a run.
#[derive(Args)]
pub struct LabelArguments {
    /// File with one class name per line: fixes the classes and their order
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// What to do with training rows whose labels break a rule [default: keep; complete where labels are
    /// written by their names: --label-table, --label-column]
    #[arg(long, value_name = "POLICY", value_parser = choice::label_policy())]
    label_policy: Option<LabelPolicy>,
    /// Let the roots of a hierarchy, which every row has, count in the loss and the metrics
    #[arg(long)]
    pub evaluate_roots: bool,
    /// Weights of the classes in the loss: `balanced` (rows with and without a class count the same
    /// together), or a file with two columns, `class,weight`; the class `*` stands for all others
    #[arg(long, value_name = "balanced|FILE")]
    class_weights: Option<String>,
    /// Column with the weights of the rows in the loss, which is not a feature
    #[arg(long, value_name = "NAME")]
    pub weight_column: Option<String>,
}

impl LabelArguments {
    /// The files that are read, each with the option that names it.
    pub fn named_files(&self) -> Vec<(&'static str, &Path)> {
        let mut files = Vec::new();
        if let Some(list) = &self.labels {
            files.push(("labels", list.as_path()));
        }
        if let Some(weights) =
            self.class_weights.as_deref().filter(|weights| *weights != "balanced")
        {
            files.push(("class-weights", Path::new(weights)));
        }
        files
    }

    /// What to do with labels that break rules, if it was asked for.
    pub fn policy(&self) -> Option<LabelPolicy> {
        self.label_policy
    }

    /// The classes, if a list of them is given.
    pub fn classes(&self) -> Result<Option<Labels>, Failure> {
        Ok(self.labels.as_deref().map(read_labels).transpose()?)
    }

    /// The data with its roots counted, if they are to be.
    pub fn counted(&self, data: Dataset) -> Dataset {
        if self.evaluate_roots { data.with_evaluated_roots() } else { data }
    }

    /// The weights of the classes in the loss.
    pub fn class_weights(&self, classes: &ClassNames<'_>) -> Result<ClassWeights, Failure> {
        match self.class_weights.as_deref() {
            None => Ok(ClassWeights::Equal),
            Some("balanced") => Ok(ClassWeights::Balanced),
            Some(file) => Ok(ClassWeights::Each(read_class_weights(Path::new(file), classes)?)),
        }
    }

    /// The arguments about labels, weights and roots, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let policy = self.label_policy.map(|policy| policy.to_string());
        let list = self.labels.as_ref().map(|list| list.display().to_string());
        let pairs = [
            ("--labels", list),
            ("--label-policy", policy),
            ("--class-weights", self.class_weights.clone()),
            ("--weight-column", self.weight_column.clone()),
        ];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        let roots = self.evaluate_roots.then(|| "--evaluate-roots".to_owned());
        pairs.flatten().chain(roots).collect()
    }
}

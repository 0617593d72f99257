//! Options of trees: clus and forest.

use crate::choice::one_of;
use crate::failure::Failure;
use clap::Args;
use rulebound::learner::{ClusSettings, ForestSettings, LearnerSettings, SplitThresholds};
use rulebound::train::Method;

/// Options of trees.
#[derive(Args)]
pub struct TreeArguments {
    /// clus, forest: number of trees; 1 for clus is a single tree on all rows [default: clus 50,
    /// forest 200]
    #[arg(long, value_name = "N")]
    trees: Option<usize>,
    /// clus, forest: fewest rows of a leaf [default: clus 5, forest 2]
    #[arg(long, value_name = "N")]
    leaf_size: Option<usize>,
    /// clus: level of the F-test that a split must pass; 1 is no test [default: 1]
    #[arg(long, value_name = "LEVEL")]
    f_test: Option<f64>,
    /// forest: fraction of the features that a node tries [default: 0.5]
    #[arg(long, value_name = "P")]
    split_features: Option<f64>,
    /// forest: thresholds at random, one per feature (extremely randomised trees), or the best
    /// (random forest) [default: random]
    #[arg(long, value_name = "KIND", value_parser = one_of::<SplitThresholds>(SplitThresholds::NAMES))]
    split_thresholds: Option<SplitThresholds>,
    /// forest: grow each tree on rows drawn with replacement
    #[arg(long)]
    bagging: bool,
    /// forest: random directions onto which labels are projected to value splits [default: 48]
    #[arg(long, value_name = "N")]
    sketch: Option<usize>,
}

impl TreeArguments {
    /// The settings with the given options.
    ///
    /// # Errors
    /// If an option is given that is not one of the method.
    pub fn apply(
        &self,
        method: Method,
        base: Option<LearnerSettings>,
    ) -> Result<Option<LearnerSettings>, Failure> {
        self.expect_meaningful(method, base.as_ref())?;
        Ok(base.map(|base| match base {
            LearnerSettings::Clus(base) => LearnerSettings::Clus(ClusSettings {
                trees: self.trees.unwrap_or(base.trees),
                minimal_weight: self.leaf_size.map_or(base.minimal_weight, |rows| rows as f64),
                f_test: self.f_test.unwrap_or(base.f_test),
            }),
            LearnerSettings::Forest(base) => LearnerSettings::Forest(ForestSettings {
                trees: self.trees.unwrap_or(base.trees),
                leaf: self.leaf_size.unwrap_or(base.leaf),
                inputs: self.split_features.unwrap_or(base.inputs),
                thresholds: self.split_thresholds.unwrap_or(base.thresholds),
                bagging: self.bagging || base.bagging,
                sketch: self.sketch.unwrap_or(base.sketch),
            }),
            other => other,
        }))
    }

    /// An option that means nothing to the method is a mistake, not silence.
    fn expect_meaningful(
        &self,
        method: Method,
        settings: Option<&LearnerSettings>,
    ) -> Result<(), Failure> {
        let is_clus = matches!(settings, Some(LearnerSettings::Clus(_)));
        let is_forest = matches!(settings, Some(LearnerSettings::Forest(_)));
        let given = [
            ("--trees", self.trees.is_some(), is_clus || is_forest, "clus and forest"),
            ("--leaf-size", self.leaf_size.is_some(), is_clus || is_forest, "clus and forest"),
            ("--f-test", self.f_test.is_some(), is_clus, "clus"),
            ("--split-features", self.split_features.is_some(), is_forest, "forest"),
            ("--split-thresholds", self.split_thresholds.is_some(), is_forest, "forest"),
            ("--bagging", self.bagging, is_forest, "forest"),
            ("--sketch", self.sketch.is_some(), is_forest, "forest"),
        ];
        match given.iter().find(|(_, is_given, is_for, _)| *is_given && !is_for) {
            None => Ok(()),
            Some((name, _, _, methods)) => Err(Failure::Usage(format!(
                "{name}: for {methods} only, not for --method {method}"
            ))),
        }
    }
}

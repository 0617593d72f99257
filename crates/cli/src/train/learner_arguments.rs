//! Options of methods that are not networks.

use super::linear_arguments::LinearArguments;
use super::tree_arguments::TreeArguments;
use crate::failure::Failure;
use clap::Args;
use rulebound::learner::LearnerSettings;
use rulebound::train::Method;

/// Options of methods that are not networks; each says which methods it is for.
#[derive(Args)]
#[command(next_help_heading = "Other methods")]
pub struct LearnerArguments {
    /// Leave the constraint layer out; predictions may break rules (networks: --method none)
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    linear: LinearArguments,
    #[command(flatten)]
    trees: TreeArguments,
}

impl LearnerArguments {
    /// The settings of a method with the given options, from those that it has by itself or by a
    /// preset.
    ///
    /// # Errors
    /// If an option is given that is not one of the method.
    pub fn settings(
        &self,
        method: Method,
        base: Option<LearnerSettings>,
    ) -> Result<Option<LearnerSettings>, Failure> {
        let base = base.or_else(|| method.learner_settings());
        let base = self.linear.apply(method, base)?;
        self.trees.apply(method, base)
    }
}

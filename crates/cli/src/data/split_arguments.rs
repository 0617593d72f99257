//! The arguments that split a source, shared by every command that reads one.

use clap::{Args, ValueEnum};
use rulebound::dataset::SplitRecipe;

/// How to split a source that has no such splits.
#[derive(Args)]
#[command(next_help_heading = "Splitting the source")]
pub struct SplitArguments {
    /// Fraction of all rows to test on, for a source without test rows
    #[arg(long, value_name = "P")]
    test_share: Option<f64>,
    /// Fraction of all rows to validate on, for a source without validation rows
    #[arg(long, value_name = "P")]
    valid_share: Option<f64>,
    /// Column with the split of each row: train, valid or test
    #[arg(long, value_name = "NAME")]
    split_column: Option<String>,
    /// Column whose equal values are never split apart; it is not a feature
    #[arg(long, value_name = "NAME", conflicts_with = "split_column")]
    group_column: Option<String>,
    /// Whether to spread the classes evenly over the splits [default: on]
    #[arg(long, value_name = "on|off")]
    stratify: Option<Switch>,
    /// Random seed of the split [default: 0]
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl SplitArguments {
    /// What was asked for.
    pub fn recipe(&self) -> SplitRecipe {
        SplitRecipe {
            test_share: self.test_share,
            valid_share: self.valid_share,
            split_column: self.split_column.clone(),
            group_column: self.group_column.clone(),
            stratify: self.stratify != Some(Switch::Off),
            seed: self.split_seed.unwrap_or(0),
        }
    }

    /// The given options by name, to be written on a command line.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let stratify = self.stratify.filter(|switch| *switch == Switch::Off);
        let words = [
            ("test-share", self.test_share.map(|share| share.to_string())),
            ("valid-share", self.valid_share.map(|share| share.to_string())),
            ("split-column", self.split_column.clone()),
            ("group-column", self.group_column.clone()),
            ("stratify", stratify.map(|_| "off".to_owned())),
            ("split-seed", self.split_seed.map(|seed| seed.to_string())),
        ];
        words.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

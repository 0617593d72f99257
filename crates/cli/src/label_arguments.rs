//! Which classes there are, and what to do with labels that break rules.

use crate::choice;
use crate::failure::Failure;
use clap::Args;
use rulebound::configuration::LabelPolicy;
use rulebound::rule_file::read_labels;
use rulebound_core::Labels;
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// The labels of a run.
#[derive(Args)]
#[command(next_help_heading = "Labels")]
pub struct LabelArguments {
    /// File with one class name per line: fixes the classes and their order. The words keep,
    /// complete and strict are label policies here; a file of such a name is written ./keep
    #[arg(long, value_name = "FILE")]
    labels: Option<ListOrPolicy>,
    /// What to do with training rows whose labels break a rule [default: keep]
    #[arg(long, value_name = "POLICY", value_parser = choice::label_policy())]
    label_policy: Option<LabelPolicy>,
}

/// `--labels` was the policy before it was the list.
#[derive(Clone)]
enum ListOrPolicy {
    List(PathBuf),
    Policy(LabelPolicy),
}

impl FromStr for ListOrPolicy {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::List(text.into()), Self::Policy))
    }
}

impl LabelArguments {
    /// What to do with labels that break rules.
    pub fn policy(&self) -> Result<LabelPolicy, Failure> {
        match (&self.labels, self.label_policy) {
            (Some(ListOrPolicy::Policy(old)), Some(new)) if *old != new => {
                let message =
                    format!("--labels {old} and --label-policy {new} contradict each other");
                Err(Failure::Usage(message))
            }
            (Some(ListOrPolicy::Policy(policy)), _) => Ok(*policy),
            (_, policy) => Ok(policy.unwrap_or_default()),
        }
    }

    /// The classes, if a list of them is given.
    pub fn classes(&self) -> Result<Option<Labels>, Failure> {
        Ok(self.list().map(|list| read_labels(list)).transpose()?)
    }

    /// The file with the list of classes.
    pub fn list(&self) -> Option<&PathBuf> {
        match &self.labels {
            Some(ListOrPolicy::List(path)) => Some(path),
            _ => None,
        }
    }
}

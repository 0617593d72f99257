//! What a run is told: network, optimiser, method, protocol.

mod method;

pub use method::Method;

use serde::{Deserialize, Serialize};

use crate::network::Activation;

/// Everything that decides the result of a run, beside the data.
///
/// Two runs with equal configurations and data give the same bits; how many threads there are, and
/// how often a run was stopped and resumed, is not here because it does not matter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// What the loss and the predictions know of the rules.
    pub method: Method,
    /// Units of the hidden layers; none is a linear model.
    pub hidden: Vec<usize>,
    /// What hidden units do.
    pub activation: Activation,
    /// The share of hidden units left out in training; from 0 to below 1.
    pub dropout: f64,
    /// Adam's learning rate; above 0.
    pub learning_rate: f64,
    /// The weight of the L2 term in the gradient; at least 0.
    pub weight_decay: f64,
    /// Examples a step; more than there are means all of them.
    pub batch: usize,
    /// The seed of the first member; the others have the numbers that follow. A member is the
    /// same as the only member of a run with its seed.
    pub seed: u64,
    /// Independent models trained in the run; at least 1.
    pub members: usize,
    /// What is done with labels that break a rule.
    pub labels: LabelPolicy,
    /// When training ends.
    pub stopping: Stopping,
}

rulebound_core::named_enum! {
    /// What is done with rows whose labels break a rule.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LabelPolicy: "a label policy" {
        /// They are kept and counted; a class that is denied against a rule learns from its own
        /// output alone.
        #[default]
        Keep = "keep",
        /// What follows from the labels is added to them.
        Complete = "complete",
        /// They are an error that names the first of them.
        Strict = "strict",
    }
}

/// When training ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Stopping {
    /// After so many epochs over train and valid, without looking at how it goes.
    Epochs(usize),
    /// When the monitored value has not become better for some epochs; the best epoch is kept.
    Early(EarlyStopping),
}

/// Early stopping on rows that are held out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopping {
    /// What is watched.
    pub monitor: Monitor,
    /// Epochs without a better value after which training stops; at least 1.
    pub patience: usize,
    /// Epochs after which it stops in any case.
    pub most: Option<usize>,
    /// The share of the training rows that is held out where the data has no validation rows of
    /// its own; above 0 and below 1.
    pub holdout: f64,
    /// Whether the best epoch only tells how long to train a fresh network on train and valid
    /// together: the paper's protocol.
    pub retrain: bool,
}

rulebound_core::named_enum! {
    /// What early stopping watches on the validation rows.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Monitor: "a quantity to monitor" {
        /// The area under the micro-averaged precision-recall curve; higher is better.
        #[default]
        Auprc = "auprc",
        /// The method's own loss; lower is better.
        Loss = "loss",
    }
}

impl Monitor {
    /// Whether a value is better than the best so far.
    pub fn is_better(self, value: f64, best: f64) -> bool {
        match self {
            Self::Auprc => value > best,
            Self::Loss => value < best,
        }
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            method: Method::Ccn,
            hidden: vec![500, 500],
            activation: Activation::Relu,
            dropout: 0.5,
            learning_rate: 1e-3,
            weight_decay: 1e-5,
            batch: 32,
            seed: 0,
            members: 1,
            labels: LabelPolicy::Keep,
            stopping: Stopping::Early(EarlyStopping::default()),
        }
    }
}

impl Default for EarlyStopping {
    fn default() -> Self {
        Self {
            monitor: Monitor::Auprc,
            patience: 20,
            most: Some(1000),
            holdout: 0.15,
            retrain: false,
        }
    }
}

/// A number of a configuration that cannot be.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{what} is {found}; it must be {expected}")]
pub struct BadConfiguration {
    /// Which number.
    pub what: &'static str,
    /// What it is.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

impl Configuration {
    /// The seed of a member.
    pub fn member_seed(&self, member: usize) -> u64 {
        self.seed.wrapping_add(member as u64)
    }

    /// Every number that cannot be; none if all is well.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut mistakes = Vec::new();
        let mut expect = |holds: bool, what, found: String, expected| {
            if !holds {
                mistakes.push(BadConfiguration { what, found, expected });
            }
        };
        let share = |value: f64| (0.0..1.0).contains(&value);
        let hidden = self.hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let sizes =
            self.hidden.len() <= 100 && self.hidden.iter().all(|u| (1..=1 << 20).contains(u));
        expect(sizes, "hidden", hidden, "at most 100 layers of 1 to 1048576 units");
        let rate = self.learning_rate;
        expect(rate > 0.0 && rate <= 10.0, "the learning rate", rate.to_string(), "in (0, 10]");
        let decay = self.weight_decay;
        expect((0.0..=10.0).contains(&decay), "the weight decay", decay.to_string(), "in [0, 10]");
        expect(share(self.dropout), "dropout", self.dropout.to_string(), "in [0, 1)");
        expect(self.batch > 0, "the batch", self.batch.to_string(), "at least 1");
        let members = self.members;
        expect((1..=1000).contains(&members), "members", members.to_string(), "from 1 to 1000");
        let epochs = |epochs: usize| (1..1 << 20).contains(&epochs);
        match &self.stopping {
            Stopping::Epochs(n) => {
                expect(epochs(*n), "epochs", n.to_string(), "from 1 to 1048575");
            }
            Stopping::Early(early) => {
                let held = early.holdout;
                let between = share(held) && held > 0.0;
                expect(between, "the held-out share", held.to_string(), "in (0, 1)");
                let patience = early.patience;
                expect(epochs(patience), "patience", patience.to_string(), "from 1 to 1048575");
                if let Some(most) = early.most {
                    let text = most.to_string();
                    expect(epochs(most), "the most epochs", text, "from 1 to 1048575");
                }
            }
        }
        mistakes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_told_at_once() {
        assert!(Configuration::default().mistakes().is_empty());
        let stopping =
            Stopping::Early(EarlyStopping { patience: 0, holdout: 1.0, ..Default::default() });
        let wrong = Configuration {
            hidden: vec![0],
            learning_rate: f64::NAN,
            weight_decay: -1.0,
            dropout: 1.0,
            batch: 0,
            members: 0,
            stopping,
            ..Default::default()
        };
        assert_eq!(wrong.mistakes().len(), 8);
        let none = Configuration { stopping: Stopping::Epochs(0), ..Default::default() };
        assert_eq!(none.mistakes()[0].to_string(), "epochs is 0; it must be from 1 to 1048575");
    }

    #[test]
    fn it_survives_json() {
        let configuration = Configuration::default();
        let text = serde_json::to_string(&configuration).unwrap();
        assert_eq!(serde_json::from_str::<Configuration>(&text).unwrap(), configuration);
    }
}

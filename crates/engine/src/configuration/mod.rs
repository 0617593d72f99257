//! The configuration of a run: network, optimiser, method, protocol.

mod class_weights;
mod method;

pub use crate::bad_configuration::{BadConfiguration, Checks};
#[doc(inline)]
pub use crate::learner::{
    CamelSettings, ChainSettings, ClusSettings, ForestSettings, LabelsetDraw, LabelsetSettings,
    LearnerSettings, LevelNetworkSettings, LevelWiring, LmlpSettings, LogisticSettings,
    PriorSettings, SplitThresholds, TwoWaySettings,
};
#[doc(inline)]
pub use crate::network::{Activation, Precision, SparseUpdate};
pub use class_weights::ClassWeights;
pub use method::Method;

use rulebound_core::metrics::{Direction, Metric};
use serde::{Deserialize, Serialize};

use crate::dataset::Scaling;
#[doc(inline)]
pub use crate::label_policy::LabelPolicy;

/// Everything that determines the result of a run, apart from the data.
///
/// Two runs with equal configurations and data give the same bits; the number of threads, and how
/// often a run was stopped and resumed, are not included because they make no difference.
///
/// Networks have their settings here; every other method has its own, in `learner`. A forest of 500 trees:
///
/// ```
/// use rulebound::configuration::{Configuration, ForestSettings, Method};
/// use rulebound::dataset::{Builtin, Step};
/// use rulebound::Trainer;
/// let forest = ForestSettings { trees: 500, ..ForestSettings::default() };
/// let configuration = Configuration {
///     method: Method::FOREST,
///     learner: Some(forest.into()),
///     ..Configuration::default()
/// };
/// assert!(configuration.mistakes().is_empty());
/// # let few = ForestSettings { trees: 2, ..ForestSettings::default() };
/// # let learner = Some(few.into());
/// # let configuration = Configuration { learner, ..configuration };
/// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
/// let model = Trainer::new().configuration(configuration).fit(&data)?;
/// # assert_eq!(model.configuration().method, Method::FOREST);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// How the loss and the predictions use the rules.
    pub method: Method,
    /// Units per hidden layer; empty for a linear model.
    pub hidden: Vec<usize>,
    /// The activation function of the hidden layers.
    pub activation: Activation,
    /// The dropout rate of the hidden layers; from 0 to below 1.
    pub dropout: f64,
    /// Adam's learning rate; above 0.
    pub learning_rate: f64,
    /// The weight of the L2 term in the gradient; at least 0.
    pub weight_decay: f64,
    /// The batch size; if it exceeds the number of rows, a step takes all of them.
    pub batch: usize,
    /// The rows among which an epoch shuffles; unset: all of them. Rows that are kept on a disk have a buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle_buffer: Option<usize>,
    /// Which weights of the first layer a step updates where rows are sparse.
    #[serde(default, skip_serializing_if = "SparseUpdate::is_default")]
    pub sparse_update: SparseUpdate,
    /// In which precision a GPU multiplies matrices. A CPU computes in the default one, and a model that it
    /// trained says so.
    #[serde(default, skip_serializing_if = "Precision::is_default")]
    pub precision: Precision,
    /// The seed of the first member; the others use the numbers that follow. A member is the same
    /// as the only member of a run with its seed.
    pub seed: u64,
    /// The number of independent networks trained in the run; at least 1.
    pub members: usize,
    /// How to treat labels that break a rule.
    pub labels: LabelPolicy,
    /// How much the terms of each class count in the loss.
    #[serde(default, skip_serializing_if = "ClassWeights::is_equal")]
    pub class_weights: ClassWeights,
    /// The digest of the weights that members start from; none if they are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// When training ends.
    pub stopping: Stopping,
    /// How features are scaled; unset: as [`Scaling::default_for`] decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Scaling>,
    /// The settings of a method that is not a network; unset: those that the method has by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learner: Option<LearnerSettings>,
    /// Whether predictions of a method that is not a network are left as they are, and may break
    /// rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
}

/// When training ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Stopping {
    /// After this many epochs over train and valid, without validation.
    Epochs(usize),
    /// After these many epochs over train and valid, one number for each member.
    #[serde(rename = "epochs_of_each")]
    EpochsOfEach(Vec<usize>),
    /// When the monitored value has not improved for some epochs; the best epoch is kept.
    Early(EarlyStopping),
}

/// Early stopping on held-out rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopping {
    /// The monitored quantity.
    pub monitor: Monitor,
    /// The number of epochs without improvement after which training stops; at least 1.
    pub patience: usize,
    /// The maximum number of epochs.
    pub most: Option<usize>,
    /// The fraction of the training rows to hold out if the data has no validation rows; above 0
    /// and below 1.
    pub holdout: f64,
    /// Whether the best epoch only determines how long to train a new network on train and valid
    /// together: the paper's protocol.
    pub retrain: bool,
}

rulebound_core::named_enum! {
    /// The quantity that early stopping monitors on the validation rows.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Monitor: "a quantity to monitor" {
        /// The area under the micro-averaged precision-recall curve; higher is better.
        #[default]
        Auprc = "auprc",
        /// The method's own loss; lower is better.
        Loss = "loss",
        /// The average precision of the rows.
        #[serde(rename = "average_precision")]
        AveragePrecision = "average_precision",
        /// The coverage error.
        #[serde(rename = "coverage_error")]
        CoverageError = "coverage_error",
        /// The Hamming loss.
        #[serde(rename = "hamming_loss")]
        HammingLoss = "hamming_loss",
        /// The multi-label accuracy.
        #[serde(rename = "multilabel_accuracy")]
        MultilabelAccuracy = "multilabel_accuracy",
        /// The one-error.
        #[serde(rename = "one_error")]
        OneError = "one_error",
        /// The ranking loss.
        #[serde(rename = "ranking_loss")]
        RankingLoss = "ranking_loss",
        /// F1 of all decisions together.
        #[serde(rename = "micro_f1")]
        MicroF1 = "micro_f1",
        /// The mean of F1 over the classes.
        #[serde(rename = "macro_f1")]
        MacroF1 = "macro_f1",
        /// The mean over the classes of the area under the precision-recall curve.
        #[serde(rename = "macro_auprc")]
        MacroAuprc = "macro_auprc",
    }
}

impl Monitor {
    /// Whether a value is better than the best so far.
    pub fn is_better(self, value: f64, best: f64) -> bool {
        match self.metric().map(Metric::direction) {
            Some(Direction::Higher) => value > best,
            // The loss.
            Some(Direction::Lower) | None => value < best,
        }
    }

    /// The metric that it is; none for the loss. Scores are those after the rules, before requirements are
    /// settled, and a class is predicted above 1/2.
    pub fn metric(self) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == self.name())
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
            shuffle_buffer: None,
            sparse_update: SparseUpdate::Exact,
            precision: Precision::Fp32,
            seed: 0,
            members: 1,
            labels: LabelPolicy::Keep,
            class_weights: ClassWeights::Equal,
            from: None,
            stopping: Stopping::Early(EarlyStopping::default()),
            scaling: None,
            learner: None,
            plain: false,
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

impl Configuration {
    /// The seed of a member.
    pub fn member_seed(&self, member: usize) -> u64 {
        self.seed.wrapping_add(member as u64)
    }

    /// The settings of a method that is not a network: the given ones, or its own.
    pub fn learner_settings(&self) -> Option<LearnerSettings> {
        let own = self.method.learner_settings()?;
        Some(self.learner.clone().unwrap_or(own))
    }

    /// Whether predictions go through the constraint layer.
    pub fn is_coherent(&self) -> bool {
        self.method.is_coherent() && !self.plain
    }

    /// All invalid numbers; empty if the configuration is valid.
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
        expect(self.batch > 0, "the batch size", self.batch.to_string(), "at least 1");
        if let Some(rows) = self.shuffle_buffer {
            let range = "from 1 to 4294967295 rows";
            let holds = (1..=u32::MAX as usize).contains(&rows);
            expect(holds, "the shuffle buffer", rows.to_string(), range);
        }
        let members = self.members;
        expect((1..=1000).contains(&members), "members", members.to_string(), "from 1 to 1000");
        if let ClassWeights::Each(weights) = &self.class_weights {
            let holds = weights.iter().all(|&weight| weight >= 0.0 && weight.is_finite())
                && weights.iter().any(|&weight| weight > 0.0);
            expect(holds, "a class weight", "invalid".to_owned(), "at least 0, and one above 0");
        }
        let epochs = |epochs: usize| (1..1 << 20).contains(&epochs);
        match &self.stopping {
            Stopping::Epochs(n) => {
                expect(epochs(*n), "epochs", n.to_string(), "from 1 to 1048575");
            }
            Stopping::EpochsOfEach(each) => {
                let text = format!("{each:?}");
                let holds = each.len() == members && each.iter().all(|&n| epochs(n));
                expect(holds, "epochs", text, "from 1 to 1048575, one number for each member");
            }
            Stopping::Early(early) => {
                let held = early.holdout;
                let between = share(held) && held > 0.0;
                expect(between, "the held-out fraction", held.to_string(), "in (0, 1)");
                let patience = early.patience;
                expect(epochs(patience), "patience", patience.to_string(), "from 1 to 1048575");
                if let Some(most) = early.most {
                    let text = most.to_string();
                    expect(epochs(most), "the maximum number of epochs", text, "from 1 to 1048575");
                }
            }
        }
        mistakes.extend(self.learner_mistakes());
        mistakes
    }

    /// What does not fit together about the kind of learner.
    fn learner_mistakes(&self) -> Vec<BadConfiguration> {
        let wrong = |what, found: String, expected| BadConfiguration { what, found, expected };
        let method = self.method;
        let Some(settings) = self.learner_settings() else {
            let mut mistakes = Vec::new();
            if !method.is_network() {
                let expected = "the name of a registered learner";
                mistakes.push(wrong("the method", method.to_string(), expected));
            }
            if self.learner.is_some() {
                let expected = "that of a method with settings of its own";
                mistakes.push(wrong("the method", method.to_string(), expected));
            }
            if self.plain {
                let expected = "`none`, if predictions may break rules";
                mistakes.push(wrong("the method", method.to_string(), expected));
            }
            if self.scaling == Some(Scaling::Untouched) {
                let expected = "another one for networks, which need a number in every cell";
                mistakes.push(wrong("the scaling", "untouched".to_owned(), expected));
            }
            return mistakes;
        };
        let mut mistakes = settings.mistakes();
        let own = method.learner_settings();
        if own.is_none_or(|own| own.kind() != settings.kind()) {
            let expected = "one whose settings these are";
            mistakes.push(wrong("the method", method.to_string(), expected));
        }
        if self.members > 1 && settings.abilities().is_deterministic {
            let expected = "1, because the method is deterministic";
            mistakes.push(wrong("members", self.members.to_string(), expected));
        } else if self.members > 1 && settings.abilities().has_own_members {
            let expected = "1, because this method has members of its own";
            mistakes.push(wrong("members", self.members.to_string(), expected));
        }
        if self.scaling == Some(Scaling::Untouched) && !settings.abilities().takes_untouched {
            let expected = "another one for this method, which needs a number in every cell";
            mistakes.push(wrong("the scaling", "untouched".to_owned(), expected));
        }
        if let Stopping::Early(early) = &self.stopping
            && settings.abilities().has_epochs
            && early.monitor != Monitor::Auprc
        {
            let expected = "auprc for this method";
            mistakes.push(wrong("the monitored value", early.monitor.to_string(), expected));
        }
        if !self.class_weights.is_equal() {
            let expected = "equal for this method";
            mistakes.push(wrong("class weights", "given".to_owned(), expected));
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
    fn every_metric_can_be_monitored_in_its_own_direction() {
        for metric in Metric::ALL {
            let monitor: Monitor = metric.name().parse().unwrap();
            assert_eq!(monitor.metric(), Some(metric));
            assert_eq!(monitor.is_better(1.0, 0.5), metric.direction() == Direction::Higher);
            let json = serde_json::to_string(&monitor).unwrap();
            assert_eq!(json, format!("\"{metric}\""));
            assert_eq!(serde_json::from_str::<Monitor>(&json).unwrap(), monitor);
        }
        assert_eq!(Monitor::Loss.metric(), None);
        assert!(Monitor::Loss.is_better(0.5, 1.0));
        assert_eq!(Monitor::ALL.len(), Metric::ALL.len() + 1);
    }

    #[test]
    fn it_survives_json() {
        let configuration = Configuration::default();
        let text = serde_json::to_string(&configuration).unwrap();
        assert_eq!(serde_json::from_str::<Configuration>(&text).unwrap(), configuration);
        assert!(!text.contains("scaling"), "models written before have the same bytes");
        assert!(!text.contains("\"precision"), "models written before have the same bytes");
        let rounded = Configuration { precision: Precision::Tf32, ..configuration.clone() };
        let text = serde_json::to_string(&rounded).unwrap();
        assert!(text.contains(r#""precision":"tf32""#), "{text}");
        assert_eq!(serde_json::from_str::<Configuration>(&text).unwrap(), rounded);
        let scaled = Configuration { scaling: Some(Scaling::MinMax), ..configuration };
        let text = serde_json::to_string(&scaled).unwrap();
        assert!(text.ends_with(r#""scaling":"minmax"}"#));
        assert_eq!(serde_json::from_str::<Configuration>(&text).unwrap(), scaled);
    }
}

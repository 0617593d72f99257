//! What is trained on a data set: a method as we run it, a method as it was published, or a blend.

use std::fmt;

use super::subject::Subject;
use crate::blend_preset::{blend_configurations, blend_folds};
use crate::level_preset::early_stopping;
use crate::paper::ablation_epochs;
use crate::preset::{paper_configuration, paper_learner};
use rulebound::train::{Configuration, EarlyStopping, Method, Stopping};

/// A system of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum System {
    /// A method with the settings that we recommend; networks with those of the paper.
    Own(Method),
    /// A method as its authors, or the paper, ran it.
    AsPaper(Method),
    /// Networks, a forest and what else a data set has, with weights chosen on validation rows.
    Blend,
}

/// The suffix of the name of a method as it was published.
const AS_PAPER: &str = "-paper";

impl System {
    /// Whether all of it is networks of the paper: their results have a file of their own.
    pub fn is_network(self) -> bool {
        match self {
            Self::Own(method) => method.is_network(),
            Self::AsPaper(_) | Self::Blend => false,
        }
    }

    /// How it is trained on a subject: the configurations of its learners, of which all but a blend
    /// have one. `seeds` is the number of networks.
    pub(super) fn configurations(
        self,
        subject: Subject,
        seeds: usize,
        searches_epochs: bool,
    ) -> Vec<Configuration> {
        match self {
            Self::Own(method) if method.is_network() => {
                vec![network(subject, method, searches_epochs)]
            }
            // The settings are written out, so that results of other defaults are not taken for these.
            Self::Own(method) if method.has_epochs() => {
                let stopping = Stopping::Early(early_stopping());
                let ours = Configuration { method, stopping, ..Configuration::default() };
                vec![Configuration { learner: ours.learner_settings(), ..ours }]
            }
            Self::Own(method) => {
                let early = EarlyStopping { retrain: true, ..EarlyStopping::default() };
                let stopping = Stopping::Early(early);
                vec![Configuration { method, stopping, ..Configuration::default() }]
            }
            Self::AsPaper(method) => paper_learner(method, &subject.source()).into_iter().collect(),
            Self::Blend => {
                let networks = network(subject, Method::Ccn, searches_epochs);
                blend_configurations(&subject.source(), networks, seeds)
            }
        }
    }
}

impl System {
    /// The folds in which the weights of a blend are chosen; none for validation rows.
    pub(super) fn folds(self, subject: Subject) -> Option<usize> {
        match self {
            Self::Blend => blend_folds(&subject.source()),
            Self::Own(_) | Self::AsPaper(_) => None,
        }
    }
}

/// A method with the settings that we recommend.
impl From<Method> for System {
    fn from(method: Method) -> Self {
        Self::Own(method)
    }
}

/// The name in results and file names: `br`, `br-paper`, `blend`.
impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(method) => write!(f, "{method}"),
            Self::AsPaper(method) => write!(f, "{method}{AS_PAPER}"),
            Self::Blend => f.write_str("blend"),
        }
    }
}

/// The paper's configuration of networks for a subject.
fn network(subject: Subject, method: Method, searches_epochs: bool) -> Configuration {
    let known = paper_configuration(&subject.source(), searches_epochs).unwrap_or_default();
    let mut configuration = Configuration { method, ..known };
    // The published numbers of epochs are for CCN(h); the table of the ablation has the others.
    if let (Stopping::Epochs(epochs), Subject::Catalogue(entry)) =
        (&mut configuration.stopping, subject)
        && method != Method::Ccn
        && let Some(printed) = ablation_epochs(entry.name, method)
    {
        *epochs = printed;
    }
    configuration
}

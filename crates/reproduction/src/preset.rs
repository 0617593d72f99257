//! The paper's settings.

use rulebound::dataset::{Builtin, Scaling, Source};
use rulebound::learner::{
    CamelSettings, ChainSettings, ClusSettings, LabelsetSettings, LearnerSettings, LogisticSettings,
};
use rulebound::train::{Configuration, EarlyStopping, Method, Monitor, Stopping};
use rulebound_network::Activation;

use crate::catalogue::Collection;
use crate::level_preset::level_configuration;
use crate::methods;
use crate::source::DataSource;

/// The paper's configuration for this source; none for data that is not in the paper.
///
/// Hierarchies are trained for the published number of epochs; `retrain` requests early stopping
/// and a second training instead. The other data sets have no published numbers of epochs and are
/// always trained that way.
pub fn paper_configuration(source: &DataSource, retrain: bool) -> Option<Configuration> {
    let early = |monitor| {
        let early =
            EarlyStopping { monitor, patience: 20, most: None, holdout: 0.15, retrain: true };
        Stopping::Early(early)
    };
    match source {
        DataSource::Catalogue(entry) => {
            let given = entry.hyperparameters;
            let stopping = match (entry.collection, given.epochs) {
                (Collection::Hmc, Some(epochs)) if !retrain => Stopping::Epochs(epochs),
                (Collection::Hmc, _) => early(Monitor::Auprc),
                (Collection::Lcmc, _) => early(Monitor::Loss),
            };
            Some(Configuration {
                hidden: vec![given.hidden; 2],
                dropout: given.dropout,
                learning_rate: given.learning_rate,
                weight_decay: given.weight_decay,
                batch: given.batch,
                stopping,
                ..Configuration::default()
            })
        }
        DataSource::Other(Source::Builtin(problem)) => {
            let hidden = match problem {
                Builtin::Rectangles | Builtin::ThreeClasses => vec![4],
                Builtin::NineRectangles => vec![7],
            };
            Some(Configuration {
                hidden,
                activation: Activation::Tanh,
                dropout: 0.0,
                learning_rate: 1e-2,
                weight_decay: 0.0,
                // All 2500 training points at once.
                batch: 2500,
                stopping: Stopping::Epochs(20_000),
                ..Configuration::default()
            })
        }
        DataSource::Other(Source::Path(_)) => None,
    }
}

/// How the paper ran a method that is not a network on this source; none if it did not.
pub fn paper_learner(method: Method, source: &DataSource) -> Option<Configuration> {
    let learner: LearnerSettings = match method {
        Method::BR => LogisticSettings::paper().into(),
        // The paper's ECC is one chain.
        methods::CC | methods::ECC => ChainSettings::paper().into(),
        // Its RAKEL is RAkELd.
        methods::RAKEL | methods::RAKEL_D => LabelsetSettings::paper().into(),
        methods::CAMEL => CamelSettings::paper().into(),
        methods::CLUS if is_hierarchy(source) => ClusSettings::paper().into(),
        _ => return level_configuration(method, source),
    };
    let scaling = camel_scaling(source).filter(|_| method == methods::CAMEL);
    Some(Configuration { method, learner: Some(learner), scaling, ..Configuration::default() })
}

/// On which features CAMEL gives the printed values: the numbers as they are where they are
/// measurements, standardised where they are words.
fn camel_scaling(source: &DataSource) -> Option<Scaling> {
    match source {
        DataSource::Catalogue(entry) => match entry.name {
            "cal500" | "emotions" | "image" | "scene" | "yeast" => Some(Scaling::None),
            _ => Some(Scaling::Standard),
        },
        DataSource::Other(_) => None,
    }
}

fn is_hierarchy(source: &DataSource) -> bool {
    match source {
        DataSource::Catalogue(entry) => entry.collection == Collection::Hmc,
        DataSource::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(name: &str, retrain: bool) -> Configuration {
        let source: DataSource = name.parse().unwrap();
        paper_configuration(&source, retrain).unwrap()
    }

    #[test]
    fn hierarchies_have_published_epochs() {
        let cellcycle = configuration("cellcycle_FUN", false);
        assert_eq!((&cellcycle.hidden[..], cellcycle.batch), (&[500, 500][..], 4));
        assert_eq!((cellcycle.dropout, cellcycle.weight_decay), (0.7, 1e-5));
        assert_eq!(cellcycle.stopping, Stopping::Epochs(106));
        let Stopping::Early(early) = configuration("cellcycle_FUN", true).stopping else {
            panic!()
        };
        assert!(early.monitor == Monitor::Auprc && early.patience == 20 && early.retrain);
    }

    #[test]
    fn the_others_stop_early_on_the_loss() {
        let Stopping::Early(early) = configuration("yeast", false).stopping else { panic!() };
        assert!(early.monitor == Monitor::Loss && early.most.is_none() && early.retrain);
        assert!(
            paper_configuration(&DataSource::Other(Source::Path("x.csv".into())), true).is_none()
        );
        assert_eq!(configuration("nine-rectangles", false).hidden, [7]);
    }
}

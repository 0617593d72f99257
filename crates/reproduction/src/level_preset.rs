//! Published settings of the methods for hierarchies that are trained by epochs.

use rulebound::learner::{LearnerSettings, LevelNetworkSettings, LmlpSettings, TwoWaySettings};
use rulebound::train::{Configuration, EarlyStopping, Method, Monitor, Stopping};

use crate::catalogue::Collection;
use crate::methods;
use crate::source::DataSource;

/// Settings that the authors of DHN report for each hierarchy: the share of what is affirmed, the
/// units of both hidden layers, the learning rate, the weight decay. Where the share is 1 they
/// report the network of C-HMCNN(h).
///
/// Three exponents are read as misprints: the learning rates of seq_FUN and eisen_GO (printed
/// 5.27e-4 and 5.63e-4) and the weight decay of eisen_FUN (printed 1e-4). docs/methods.md has the
/// validation figures.
const DHN: [(&str, f64, usize, f64, f64); 20] = [
    ("cellcycle_FUN", 0.892, 450, 8.18e-5, 1e-5),
    ("derisi_FUN", 0.596, 350, 1.49e-4, 1e-5),
    ("eisen_FUN", 1.0, 500, 1e-4, 1e-5),
    ("expr_FUN", 1.0, 1250, 1e-4, 1e-5),
    ("gasch1_FUN", 0.855, 2600, 4.41e-5, 1e-5),
    ("gasch2_FUN", 0.834, 650, 8.35e-5, 1e-5),
    ("seq_FUN", 0.752, 6550, 5.27e-5, 1e-5),
    ("spo_FUN", 1.0, 250, 1e-4, 1e-5),
    ("cellcycle_GO", 0.791, 850, 7.13e-5, 1e-5),
    ("derisi_GO", 0.667, 650, 6.59e-5, 1e-5),
    ("eisen_GO", 0.849, 750, 5.63e-5, 1e-6),
    ("expr_GO", 0.735, 6050, 1.19e-5, 1e-5),
    ("gasch1_GO", 0.999, 1150, 3.72e-5, 1e-4),
    ("gasch2_GO", 0.683, 800, 1.21e-4, 1e-5),
    ("seq_GO", 0.831, 10000, 1.11e-5, 1e-5),
    ("spo_GO", 1.0, 500, 1e-4, 1e-5),
    ("diatoms", 0.895, 2000, 4.66e-5, 1e-5),
    ("enron_corr", 0.242, 7800, 1.20e-5, 1e-5),
    ("imclef07a", 0.844, 2150, 3.54e-5, 1e-5),
    ("imclef07d", 0.544, 2450, 4.02e-5, 1e-5),
];

/// When training ends where nothing else is published: the number of epochs is searched for, then a
/// second training sees the validation rows as well.
pub(crate) fn early_stopping() -> EarlyStopping {
    EarlyStopping {
        monitor: Monitor::Auprc,
        patience: 20,
        most: Some(1000),
        holdout: 0.15,
        retrain: true,
    }
}

/// The published settings of a method, as far as they are known; none for another method, or for
/// data that it was not published on.
pub(crate) fn level_configuration(method: Method, source: &DataSource) -> Option<Configuration> {
    let DataSource::Catalogue(entry) = source else { return None };
    if entry.collection != Collection::Hmc {
        return None;
    }
    let early = early_stopping();
    let (learner, early): (LearnerSettings, _) = match method {
        // Turns of ten epochs, of which ten may bring nothing; not trained again.
        methods::LMLP => {
            let early = EarlyStopping { patience: 100, holdout: 0.3, retrain: false, ..early };
            (LmlpSettings::paper().into(), early)
        }
        methods::HMCN_F => (LevelNetworkSettings::all_inputs().into(), early),
        methods::HMCN_R => {
            let settings =
                LevelNetworkSettings { input_dropout: 0.2, ..LevelNetworkSettings::recurrent() };
            (settings.into(), early)
        }
        methods::DHN => {
            let (_, affirmed, units, learning_rate, weight_decay) =
                DHN.into_iter().find(|(name, ..)| *name == entry.name)?;
            let settings = TwoWaySettings {
                affirmed,
                hidden: vec![units; 2],
                dropout: 0.7,
                learning_rate,
                weight_decay,
                batch: 4,
            };
            (settings.into(), early)
        }
        _ => return None,
    };
    Some(Configuration {
        method,
        learner: Some(learner),
        stopping: Stopping::Early(early),
        ..Configuration::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CATALOGUE;

    #[test]
    fn every_hierarchy_has_settings_and_nothing_else_has() {
        for entry in CATALOGUE {
            let source: DataSource = entry.name.parse().unwrap();
            for method in [methods::LMLP, methods::HMCN_F, methods::HMCN_R, methods::DHN] {
                let found = level_configuration(method, &source);
                assert_eq!(found.is_some(), entry.collection == Collection::Hmc, "{}", entry.name);
                if let Some(configuration) = found {
                    assert_eq!(configuration.mistakes(), [], "{method} {}", entry.name);
                }
            }
        }
    }
}

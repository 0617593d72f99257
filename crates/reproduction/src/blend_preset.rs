//! What the blends of the tables consist of.

use rulebound::learner::TwoWaySettings;
use rulebound::train::{Configuration, EarlyStopping, Method, Monitor, Stopping};

use crate::catalogue::{CatalogueEntry, Collection};
use crate::methods;
use crate::preset::paper_learner;
use crate::source::DataSource;

/// The most units of a hidden layer of DHN in a blend; its authors have up to 10,000.
const DHN_UNITS: usize = 1000;

/// Hierarchies on which networks with the published settings take hundreds of epochs or 9,000
/// units. Their blends have networks that learn faster, and DHN like them.
const SLOW: [&str; 4] = ["seq_GO", "diatoms", "imclef07a", "imclef07d"];

/// The learning rate there; the published one is 1e-5.
const FAST_RATE: f64 = 1e-4;

/// The most units of a hidden layer there.
const FAST_UNITS: usize = 2000;

/// The epochs without improvement after which they stop.
const FAST_PATIENCE: usize = 10;

/// Sets with fewer than 500 training rows and no validation rows: a held-out share would be some
/// dozens of rows.
const FEW_ROWS: [&str; 4] = ["cal500", "emotions", "genbase", "medical"];

/// The folds in which weights are chosen on sets with few rows.
const FOLDS: usize = 3;

/// The folds in which the weights of the blend of a source are chosen; none for validation rows.
pub(crate) fn blend_folds(source: &DataSource) -> Option<usize> {
    match source {
        DataSource::Catalogue(entry) => FEW_ROWS.contains(&entry.name).then_some(FOLDS),
        _ => None,
    }
}

/// The learners of the blend of a source: as many networks as there are seeds, with the paper's
/// settings, and one forest. Hierarchies also have DHN where it can be trained in minutes, the
/// other sets CAMEL; the weights decide what each is worth.
pub(crate) fn blend_configurations(
    source: &DataSource,
    networks: Configuration,
    seeds: usize,
) -> Vec<Configuration> {
    let own = |method| Configuration { method, ..Configuration::default() };
    let mut learners = vec![Configuration { members: seeds, ..networks }, own(Method::FOREST)];
    let DataSource::Catalogue(entry) = source else { return learners };
    if SLOW.contains(&entry.name) {
        return fast_learners(source, learners);
    }
    match entry.collection {
        Collection::Hmc if has_dhn(entry) => {
            learners.extend(
                paper_learner(methods::DHN, source)
                    .map(|published| Configuration { members: seeds, ..narrow(published) }),
            );
        }
        Collection::Hmc => {}
        Collection::Lcmc => {
            learners.push(own(methods::CAMEL));
            // Few rows leave little for anything but a linear model.
            learners.extend(FEW_ROWS.contains(&entry.name).then(|| own(Method::BR)));
        }
    }
    learners
}

/// On the Gene Ontology, DHN would have twice four thousand outputs.
fn has_dhn(entry: &CatalogueEntry) -> bool {
    !entry.name.ends_with("_GO")
}

/// The learners of a hierarchy on which the published settings are slow.
fn fast_learners(source: &DataSource, mut learners: Vec<Configuration>) -> Vec<Configuration> {
    let early = EarlyStopping {
        monitor: Monitor::Auprc,
        patience: FAST_PATIENCE,
        most: Some(200),
        retrain: true,
        ..EarlyStopping::default()
    };
    let units = |hidden: &[usize]| hidden.iter().map(|&units| units.clamp(1, FAST_UNITS)).collect();
    let members = learners[0].members;
    learners[0].learning_rate = FAST_RATE;
    learners[0].hidden = units(&learners[0].hidden);
    learners[0].stopping = Stopping::Early(early.clone());
    learners.extend(paper_learner(methods::DHN, source).map(|mut dhn| {
        if let Some(settings) = two_way(&mut dhn) {
            settings.learning_rate = FAST_RATE;
            settings.hidden = units(&settings.hidden);
        }
        Configuration { members, stopping: Stopping::Early(early), ..dhn }
    }));
    learners
}

/// The same with hidden layers that are not too wide.
fn narrow(mut published: Configuration) -> Configuration {
    if let Some(settings) = two_way(&mut published) {
        settings.hidden.iter_mut().for_each(|units| *units = (*units).min(DHN_UNITS));
    }
    published
}

fn two_way(configuration: &mut Configuration) -> Option<&mut TwoWaySettings> {
    configuration.learner.as_mut()?.get_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CATALOGUE;

    #[test]
    fn every_set_has_a_blend_that_can_be_trained() {
        for entry in &CATALOGUE {
            let source = DataSource::Catalogue(entry);
            let networks =
                Configuration { stopping: Stopping::Epochs(7), ..Configuration::default() };
            let learners = blend_configurations(&source, networks, 10);
            let methods: Vec<(Method, usize)> =
                learners.iter().map(|learner| (learner.method, learner.members)).collect();
            let third = match entry.name {
                "eisen_FUN" | "enron_corr" | "seq_GO" | "imclef07a" => vec![(methods::DHN, 10)],
                "expr_GO" => vec![],
                "yeast" => vec![(methods::CAMEL, 1)],
                "cal500" => vec![(methods::CAMEL, 1), (Method::BR, 1)],
                _ => methods[2..].to_vec(),
            };
            assert_eq!(methods[..2], [(Method::Ccn, 10), (Method::FOREST, 1)], "{}", entry.name);
            assert_eq!(methods[2..], third, "{}", entry.name);
            for learner in &learners {
                assert_eq!(learner.mistakes(), [], "{}", entry.name);
                let settings = learner.learner.as_ref();
                if let Some(settings) = settings.and_then(|of| of.get::<TwoWaySettings>()) {
                    let most = if SLOW.contains(&entry.name) { FAST_UNITS } else { DHN_UNITS };
                    assert!(settings.hidden.iter().all(|&units| units <= most));
                }
            }
        }
    }
}

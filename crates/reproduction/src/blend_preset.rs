//! What the blends of the tables consist of.

use rulebound::learner::LearnerSettings;
use rulebound::train::{Configuration, Method};

use crate::catalogue::{CatalogueEntry, Collection};
use crate::preset::paper_learner;
use crate::source::DataSource;

/// The most units of a hidden layer of DHN in a blend; its authors have up to 10,000.
const DHN_UNITS: usize = 1000;

/// The learners of the blend of a source: as many networks as there are seeds, with the paper's
/// settings, and one forest. Hierarchies also have DHN where it can be trained in minutes, the
/// other sets CAMEL; the weights decide what each is worth.
pub(crate) fn blend_configurations(
    source: &DataSource,
    networks: Configuration,
    seeds: usize,
) -> Vec<Configuration> {
    let own = |method| Configuration { method, ..Configuration::default() };
    let mut learners = vec![Configuration { members: seeds, ..networks }, own(Method::Forest)];
    let DataSource::Catalogue(entry) = source else { return learners };
    match entry.collection {
        Collection::Hmc if has_dhn(entry) => {
            learners.extend(
                paper_learner(Method::Dhn, source)
                    .map(|published| Configuration { members: seeds, ..narrow(published) }),
            );
        }
        Collection::Hmc => {}
        Collection::Lcmc => learners.push(own(Method::Camel)),
    }
    learners
}

/// DHN is trained on the CPU: four thousand classes, or ten thousand rows, take too long.
fn has_dhn(entry: &CatalogueEntry) -> bool {
    !entry.name.ends_with("_GO") && !entry.name.starts_with("imclef")
}

/// The same with hidden layers that are not too wide.
fn narrow(mut published: Configuration) -> Configuration {
    if let Some(LearnerSettings::Dhn(settings)) = &mut published.learner {
        settings.hidden.iter_mut().for_each(|units| *units = (*units).min(DHN_UNITS));
    }
    published
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CATALOGUE;
    use rulebound::train::Stopping;

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
                "eisen_FUN" | "enron_corr" => vec![(Method::Dhn, 10)],
                "seq_GO" | "imclef07a" => vec![],
                "yeast" => vec![(Method::Camel, 1)],
                _ => methods[2..].to_vec(),
            };
            assert_eq!(methods[..2], [(Method::Ccn, 10), (Method::Forest, 1)], "{}", entry.name);
            assert_eq!(methods[2..], third, "{}", entry.name);
            for learner in &learners {
                assert_eq!(learner.mistakes(), [], "{}", entry.name);
                if let Some(LearnerSettings::Dhn(settings)) = &learner.learner {
                    assert!(settings.hidden.iter().all(|&units| units <= DHN_UNITS));
                }
            }
        }
    }
}

//! What has to be trained for some targets.
//!
//! A cell is a data set, a method and a seed. Cells with the same data are trained together, as the
//! members of one run, and form a [`Batch`]; each gives the same result as alone. Targets share
//! cells: the three arrangements are steps of the moving rectangles, and CCN(h) is in every
//! ablation.

use std::fmt;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::row::Seeds;
use super::subject::Subject;
use super::target::Target;
use crate::paper::ablation_epochs;
use crate::preset::paper_configuration;
use rulebound::train::{Configuration, Method, Stopping};

/// What to reproduce.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanRequest {
    /// The experiments.
    pub targets: Vec<Target>,
    /// Names of the data sets to include; all if empty.
    pub sets: Vec<String>,
    /// The number of runs of each: the seeds from 0.
    pub seeds: usize,
    /// Whether the epochs on the hierarchies are found by early stopping, instead of taken from
    /// the paper.
    pub searches_epochs: bool,
}

/// Cells that are trained together.
#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    /// What it is trained on.
    pub subject: Subject,
    /// How it is trained; includes the seed of the first cell and the number of cells.
    pub configuration: Configuration,
}

/// Batches without duplicates, quick ones first.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What is trained.
    pub batches: Vec<Batch>,
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There are names of data sets that none of the targets has.
    #[error("none of the targets has a data set {}", list(.unknown))]
    UnknownSets {
        /// The names.
        unknown: Vec<String>,
        /// The data sets of the targets.
        known: Vec<String>,
    },
    /// The number of seeds is out of range.
    #[error("the number of seeds is {0}; it must be from 1 to 1000")]
    Seeds(usize),
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Batch {
    /// How it is trained.
    pub fn method(&self) -> Method {
        self.configuration.method
    }

    /// The seeds of its cells.
    pub fn seeds(&self) -> Range<u64> {
        self.configuration.seed..self.configuration.seed + self.configuration.members as u64
    }

    /// The same as written in results and file names.
    pub(super) fn ensemble_seeds(&self) -> Seeds {
        let seeds = self.seeds();
        match self.configuration.members {
            1 => Seeds::One(seeds.start),
            _ => Seeds::Ensemble(seeds.start, seeds.end - 1),
        }
    }

    /// The digest, in 16 digits, of what determines the result of a cell apart from data and seed.
    pub fn digest(&self) -> String {
        let one = Configuration { seed: 0, members: 1, ..self.configuration.clone() };
        let text = serde_json::to_string(&one).unwrap_or_default();
        Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// `rectangles-5.ccn.3` or `yeast.ccn.0-9`: also the prefix of its file names.
impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.subject, self.method(), self.ensemble_seeds())
    }
}

impl Plan {
    /// Every batch of the targets.
    ///
    /// ```
    /// use rulebound_reproduction::{Plan, PlanRequest, Target};
    /// let request = PlanRequest {
    ///     targets: vec![Target::HmcAblation],
    ///     sets: vec!["seq_FUN".to_owned()],
    ///     seeds: 10,
    ///     searches_epochs: false,
    /// };
    /// let plan = Plan::new(&request)?;
    /// assert_eq!(plan.batches[0].to_string(), "seq_FUN.ccn.0-9");
    /// assert_eq!((plan.batches.len(), plan.cells()), (3, 30));
    /// # Ok::<(), rulebound_reproduction::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// If a data set is in none of the targets, or the number of seeds is out of range.
    pub fn new(request: &PlanRequest) -> Result<Self, PlanError> {
        if !(1..=1000).contains(&request.seeds) {
            return Err(PlanError::Seeds(request.seeds));
        }
        let mut known: Vec<String> = Vec::new();
        let mut batches: Vec<Batch> = Vec::new();
        for target in &request.targets {
            for subject in target.subjects() {
                let name = subject.to_string();
                let is_wanted = request.sets.is_empty() || request.sets.contains(&name);
                if !known.contains(&name) {
                    known.push(name);
                }
                for method in target.methods().iter().filter(|_| is_wanted) {
                    let configuration = configuration(subject, *method, request);
                    let all = batches_of(subject, &configuration, request.seeds);
                    if !all.first().is_some_and(|first| batches.contains(first)) {
                        batches.extend(all);
                    }
                }
            }
        }
        let unknown: Vec<String> =
            request.sets.iter().filter(|set| !known.contains(set)).cloned().collect();
        if !unknown.is_empty() {
            return Err(PlanError::UnknownSets { unknown, known });
        }
        // A stable sort: targets requested first come first.
        batches.sort_by_key(|batch| !batch.subject.is_drawn());
        Ok(Self { batches })
    }

    /// The number of networks to train.
    pub fn cells(&self) -> usize {
        self.batches.iter().map(|batch| batch.configuration.members).sum()
    }
}

fn batches_of(subject: Subject, configuration: &Configuration, seeds: usize) -> Vec<Batch> {
    let batch = |seed: usize, members| Batch {
        subject,
        configuration: Configuration { seed: seed as u64, members, ..configuration.clone() },
    };
    match subject.is_drawn() {
        true => (0..seeds).map(|seed| batch(seed, 1)).collect(),
        false => vec![batch(0, seeds)],
    }
}

/// The paper's configuration for a subject.
fn configuration(subject: Subject, method: Method, request: &PlanRequest) -> Configuration {
    let known = paper_configuration(&subject.source(), request.searches_epochs).unwrap_or_default();
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn plan(targets: &[Target], sets: &[&str], seeds: usize) -> Result<Plan, PlanError> {
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        Plan::new(&PlanRequest { targets: targets.to_vec(), sets, seeds, searches_epochs: false })
    }

    #[test]
    fn targets_share_cells() {
        let moving = plan(&[Target::MovingRectangles], &[], 10).unwrap();
        assert_eq!(moving.cells(), 9 * 3 * 10);
        let both = plan(&[Target::MovingRectangles, Target::Rectangles], &[], 10).unwrap();
        assert_eq!(both, moving);
        let all = plan(&Target::ALL, &[], 10).unwrap();
        let catalogue = 20 + 2 * 8 + 3 * 16;
        assert_eq!(all.cells(), 10 * (9 * 3 + 2 + 9 * 2 + catalogue));
        assert_eq!(all.batches.len(), 10 * (9 * 3 + 2 + 9 * 2) + catalogue);
    }

    #[test]
    fn every_configuration_can_be() {
        for batch in plan(&Target::ALL, &[], 10).unwrap().batches {
            assert!(batch.configuration.mistakes().is_empty(), "{batch}");
        }
    }

    #[test]
    fn methods_have_the_epochs_that_are_printed_for_them() {
        let plan = plan(&[Target::HmcAblation], &["expr_FUN"], 2).unwrap();
        let epochs: Vec<&Stopping> =
            plan.batches.iter().map(|batch| &batch.configuration.stopping).collect();
        let printed = [20, 39, 19].map(Stopping::Epochs);
        assert_eq!(epochs, printed.iter().collect::<Vec<_>>());
    }

    #[test]
    fn sets_that_no_target_has_are_told() {
        let error = plan(&[Target::Hmc], &["seq_GO", "yeast", "x"], 1).unwrap_err();
        assert_eq!(error.to_string(), "none of the targets has a data set `yeast`, `x`");
        assert_eq!(plan(&[Target::Hmc], &[], 0), Err(PlanError::Seeds(0)));
    }

    #[test]
    fn a_digest_is_of_what_matters() {
        let many = plan(&[Target::HmcAblation], &["seq_FUN"], 10).unwrap();
        let few = plan(&[Target::HmcAblation], &["seq_FUN"], 2).unwrap();
        assert_eq!(many.batches[0].digest(), few.batches[0].digest());
        assert_ne!(many.batches[0].digest(), many.batches[1].digest());
    }
}

//! What has to be trained for some targets.
//!
//! A cell is a data set, a system and a seed. Cells with the same data are trained together, as the
//! members of one run, and form a [`Batch`]; each gives the same result as alone. Methods without
//! epochs have a batch per seed, or one batch if the seed makes no difference. Targets share
//! cells: the three arrangements are steps of the moving rectangles, and CCN(h) is in every
//! ablation.

use std::fmt;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::facts::ChosenOn;
use super::row::Seeds;
use super::subject::Subject;
use super::system::System;
use super::target::Target;
use rulebound::train::{Configuration, Method, Stopping};

/// What to reproduce.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanRequest {
    /// The experiments.
    pub targets: Vec<Target>,
    /// Names of the data sets to include; all if empty.
    pub sets: Vec<String>,
    /// Names of the systems to include, as in results; all if empty.
    pub systems: Vec<String>,
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
    /// What is trained.
    pub system: System,
    /// How it is trained; includes the seed of the first cell and the number of cells. Of a blend:
    /// its first learner.
    pub configuration: Configuration,
    /// The other learners of a blend.
    pub others: Vec<Configuration>,
    /// The folds in which the weights of a blend are chosen; none for validation rows.
    pub folds: Option<usize>,
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
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum PlanError {
    /// There are names of data sets that none of the targets has.
    #[error("none of the targets has a data set {}", list(.unknown))]
    UnknownSets {
        unknown: Vec<String>,
        /// The data sets of the targets.
        known: Vec<String>,
    },
    /// There are names of systems that none of the targets has.
    #[error("none of the targets has a system {}", list(.unknown))]
    UnknownSystems {
        unknown: Vec<String>,
        /// The systems of the targets.
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
    /// The method; of a blend, that of its first learner.
    pub fn method(&self) -> Method {
        self.configuration.method
    }

    /// The learners: one, unless it is a blend.
    pub fn learners(&self) -> impl Iterator<Item = &Configuration> {
        std::iter::once(&self.configuration).chain(&self.others)
    }

    /// What chooses the settings that are not known before training.
    pub(super) fn chosen_on(&self) -> ChosenOn {
        let stops_early = matches!(self.configuration.stopping, Stopping::Early(_));
        match self.system {
            System::Blend if self.folds.is_some() => ChosenOn::Folds,
            System::Blend => ChosenOn::Validation,
            _ if self.method().has_epochs() && stops_early => ChosenOn::Validation,
            System::AsPaper(_) => ChosenOn::Published,
            System::Own(_) => ChosenOn::Fixed,
        }
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
    /// Of a blend the number of networks is part of it, because they share the weights.
    pub fn digest(&self) -> String {
        let text = match self.system {
            System::Blend => {
                let learners: Vec<&Configuration> = self.learners().collect();
                match self.folds {
                    None => serde_json::to_string(&learners),
                    Some(folds) => serde_json::to_string(&(learners, folds)),
                }
            }
            System::Own(_) | System::AsPaper(_) => {
                let one = Configuration { seed: 0, members: 1, ..self.configuration.clone() };
                serde_json::to_string(&one)
            }
        };
        let text = text.unwrap_or_default();
        Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// `rectangles-5.ccn.3` or `yeast.ccn.0-9`: also the prefix of its file names.
impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.subject, self.system, self.ensemble_seeds())
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
    ///     systems: vec![],
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
    /// If a data set or a system is in none of the targets, or the number of seeds is out of range.
    pub fn new(request: &PlanRequest) -> Result<Self, PlanError> {
        if !(1..=1000).contains(&request.seeds) {
            return Err(PlanError::Seeds(request.seeds));
        }
        let is_wanted =
            |wanted: &[String], name: &String| wanted.is_empty() || wanted.contains(name);
        let (mut known_sets, mut known_systems) = (Vec::new(), Vec::new());
        let mut batches: Vec<Batch> = Vec::new();
        for target in &request.targets {
            let systems: Vec<(System, String)> =
                target.systems().into_iter().map(|system| (system, system.to_string())).collect();
            known_systems.extend(systems.iter().map(|(_, name)| name.clone()));
            for subject in target.subjects() {
                let name = subject.to_string();
                let is_set_wanted = is_wanted(&request.sets, &name);
                known_sets.push(name);
                let systems = systems.iter().filter(|(_, name)| is_wanted(&request.systems, name));
                for (system, _) in systems.filter(|_| is_set_wanted) {
                    let all = batches_of(subject, *system, request);
                    if !all.first().is_some_and(|first| batches.contains(first)) {
                        batches.extend(all);
                    }
                }
            }
        }
        if let Some((unknown, known)) = unknown(&request.sets, known_sets) {
            return Err(PlanError::UnknownSets { unknown, known });
        }
        if let Some((unknown, known)) = unknown(&request.systems, known_systems) {
            return Err(PlanError::UnknownSystems { unknown, known });
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

/// The wanted names that are not known, and the known ones, each once.
fn unknown(wanted: &[String], known: Vec<String>) -> Option<(Vec<String>, Vec<String>)> {
    let mut once: Vec<String> = Vec::new();
    for name in known {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    let unknown: Vec<String> = wanted.iter().filter(|name| !once.contains(name)).cloned().collect();
    (!unknown.is_empty()).then_some((unknown, once))
}

/// The batches of a system on a subject; none if it was never run there.
fn batches_of(subject: Subject, system: System, request: &PlanRequest) -> Vec<Batch> {
    let seeds = request.seeds;
    let mut learners = system.configurations(subject, seeds, request.searches_epochs).into_iter();
    let Some(configuration) = learners.next() else { return Vec::new() };
    let others: Vec<Configuration> = learners.collect();
    let batch = |seed: usize, members| Batch {
        subject,
        system,
        configuration: Configuration { seed: seed as u64, members, ..configuration.clone() },
        others: others.clone(),
        folds: system.folds(subject),
    };
    let is_deterministic = configuration
        .learner_settings()
        .is_some_and(|settings| settings.abilities().is_deterministic);
    let is_alone = subject.is_drawn() || !configuration.method.has_epochs();
    match (is_deterministic, is_alone) {
        (true, _) => vec![batch(0, 1)],
        (false, true) => (0..seeds).map(|seed| batch(seed, 1)).collect(),
        (false, false) => vec![batch(0, seeds)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(targets: &[Target], sets: &[&str], seeds: usize) -> Result<Plan, PlanError> {
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let (targets, systems) = (targets.to_vec(), vec![]);
        Plan::new(&PlanRequest { targets, sets, systems, seeds, searches_epochs: false })
    }

    #[test]
    fn targets_share_cells() {
        let moving = plan(&[Target::MovingRectangles], &[], 10).unwrap();
        assert_eq!(moving.cells(), 9 * 3 * 10);
        let both = plan(&[Target::MovingRectangles, Target::Rectangles], &[], 10).unwrap();
        assert_eq!(both, moving);
        let mut all = plan(&Target::ALL, &[], 10).unwrap();
        all.batches.retain(|batch| batch.system.is_network());
        let catalogue = 20 + 2 * 8 + 3 * 16;
        assert_eq!(all.cells(), 10 * (9 * 3 + 2 + 9 * 2 + catalogue));
        assert_eq!(all.batches.len(), 10 * (9 * 3 + 2 + 9 * 2) + catalogue);
    }

    /// Networks of a kind are trained together, forests one by one, deterministic methods once.
    #[test]
    fn systems_have_the_batches_that_their_randomness_needs() {
        let names = |target, set: &str| {
            let batches = plan(&[target], &[set], 2).unwrap().batches;
            batches.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            names(Target::HmcSystems, "seq_FUN"),
            "seq_FUN.clus-paper.0 seq_FUN.clus-paper.1 seq_FUN.lmlp-paper.0-1 \
             seq_FUN.hmcn-f-paper.0-1 seq_FUN.hmcn-r-paper.0-1 seq_FUN.dhn-paper.0-1 \
             seq_FUN.clus.0 seq_FUN.clus.1 seq_FUN.hmcn-f.0-1 seq_FUN.hmcn-r.0-1 seq_FUN.forest.0 \
             seq_FUN.forest.1"
        );
        assert_eq!(
            names(Target::LcmcSystems, "yeast"),
            "yeast.br-paper.0 yeast.cc-paper.0 yeast.rakel-d-paper.0 yeast.camel-paper.0 \
             yeast.br.0 yeast.ecc.0 yeast.ecc.1 yeast.rakel.0 yeast.rakel.1 yeast.camel.0 \
             yeast.forest.0 yeast.forest.1"
        );
        assert_eq!(names(Target::HmcBlend, "seq_FUN"), "seq_FUN.blend.0-1");
    }

    #[test]
    fn a_blend_of_other_networks_is_another() {
        let blend = |seeds| {
            let plan = plan(&[Target::LcmcBlend], &["yeast"], seeds).unwrap();
            let methods = plan.batches[0].learners().map(|learner| learner.method.to_string());
            (plan.batches[0].digest(), methods.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(blend(2).1, "ccn forest camel");
        assert_ne!(blend(2).0, blend(3).0);
    }

    #[test]
    fn every_configuration_can_be() {
        for batch in plan(&Target::ALL, &[], 10).unwrap().batches {
            for learner in batch.learners() {
                assert_eq!(learner.mistakes(), [], "{batch}");
            }
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
    fn systems_are_chosen_by_name() {
        let plan = |systems: &[&str]| {
            Plan::new(&PlanRequest {
                targets: vec![Target::HmcSystems],
                sets: vec!["seq_FUN".to_owned()],
                systems: systems.iter().map(|name| (*name).to_owned()).collect(),
                seeds: 3,
                searches_epochs: false,
            })
        };
        let names: Vec<String> = plan(&["hmcn-f-paper", "clus-paper"])
            .unwrap()
            .batches
            .iter()
            .map(ToString::to_string)
            .collect();
        let clus = (0..3).map(|seed| format!("seq_FUN.clus-paper.{seed}"));
        let expected = clus.chain(["seq_FUN.hmcn-f-paper.0-2".to_owned()]);
        assert_eq!(names, expected.collect::<Vec<_>>());
        let error = plan(&["lmlp", "clus"]).unwrap_err().to_string();
        assert_eq!(error, "none of the targets has a system `lmlp`");
    }

    #[test]
    fn a_digest_is_of_what_matters() {
        let many = plan(&[Target::HmcAblation], &["seq_FUN"], 10).unwrap();
        let few = plan(&[Target::HmcAblation], &["seq_FUN"], 2).unwrap();
        assert_eq!(many.batches[0].digest(), few.batches[0].digest());
        assert_ne!(many.batches[0].digest(), many.batches[1].digest());
    }
}

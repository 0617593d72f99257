//! What there is to report: the rows that belong to the plan, by data set and system.

use std::collections::{BTreeSet, HashMap};

use rulebound_core::metrics::{LabelsInMetrics, Metric, Metrics};

use super::number::ranges;
use super::summary::Summary;
use crate::reproduce::{
    ENSEMBLE, Folder, Plan, PlanRequest, ReproduceError, Row, Seeds, Subject, System, Target,
};

/// Rows of one data set and system.
#[derive(Default)]
struct Runs {
    /// The seeds that the plan has.
    planned: Vec<u64>,
    /// One per seed, in ascending order.
    each: Vec<Row>,
    /// The largest ensemble among those requested.
    ensemble: Option<Row>,
}

/// The rows of a folder with the requested configurations.
pub(super) struct Evidence<'a> {
    /// Where logs and models are.
    pub folder: &'a Folder,
    /// What was requested.
    pub request: &'a PlanRequest,
    /// The number of rows with other configurations, which are ignored.
    pub others: usize,
    runs: HashMap<(String, System), Runs>,
}

impl<'a> Evidence<'a> {
    /// Reads the results.
    pub fn read(folder: &'a Folder, request: &'a PlanRequest) -> Result<Self, ReproduceError> {
        Ok(Self::new(folder, request, folder.results().read()?))
    }

    fn new(folder: &'a Folder, request: &'a PlanRequest, rows: Vec<Row>) -> Self {
        let everything = PlanRequest {
            targets: Target::ALL.to_vec(),
            sets: Vec::new(),
            systems: Vec::new(),
            seeds: request.seeds,
            searches_epochs: request.searches_epochs,
        };
        let mut evidence = Self { folder, request, others: 0, runs: HashMap::new() };
        let mut expected = HashMap::new();
        for batch in Plan::new(&everything).map(|plan| plan.batches).unwrap_or_default() {
            let (set, system, digest) = (batch.subject.to_string(), batch.system, batch.digest());
            let runs = evidence.runs.entry((set.clone(), system)).or_default();
            runs.planned.extend(batch.seeds());
            expected.insert((set.clone(), system.to_string()), (system, digest.clone()));
            expected.insert((set, format!("{system}{ENSEMBLE}")), (system, digest));
        }
        for row in rows {
            match expected.get(&(row.set.clone(), row.method.clone())) {
                Some((system, digest)) if *digest == row.configuration => {
                    evidence.add(*system, row);
                }
                _ => evidence.others += 1,
            }
        }
        for runs in evidence.runs.values_mut() {
            runs.each.sort_by_key(|row| row.seeds);
            runs.each.dedup_by_key(|row| row.seeds);
        }
        evidence
    }

    fn add(&mut self, system: System, row: Row) {
        let last = match row.seeds {
            Seeds::One(seed) => seed,
            Seeds::Ensemble(_, last) => last,
        };
        // What is printed must be what the command printed with it gives.
        if last >= self.request.seeds as u64 {
            return;
        }
        let runs = self.runs.entry((row.set.clone(), system)).or_default();
        match (row.seeds, &runs.ensemble) {
            (Seeds::One(_), _) => runs.each.push(row),
            (seeds, Some(known)) if members(known.seeds) >= members(seeds) => {}
            (Seeds::Ensemble(..), _) => runs.ensemble = Some(row),
        }
    }

    /// The runs, in ascending order of their seeds.
    pub fn rows(&self, subject: Subject, system: impl Into<System>) -> &[Row] {
        let runs = self.runs.get(&(subject.to_string(), system.into()));
        runs.map_or(&[], |runs| &runs.each)
    }

    /// The largest ensemble.
    pub fn ensemble(&self, subject: Subject, system: impl Into<System>) -> Option<&Row> {
        self.runs.get(&(subject.to_string(), system.into()))?.ensemble.as_ref()
    }

    /// A metric of every run that has it.
    pub fn values(
        &self,
        subject: Subject,
        system: impl Into<System>,
        metric: Metric,
        labels: LabelsInMetrics,
    ) -> Vec<f64> {
        self.rows(subject, system).iter().filter_map(|row| value_of(row, metric, labels)).collect()
    }

    /// The same, summarised.
    pub fn summary(
        &self,
        subject: Subject,
        system: impl Into<System>,
        metric: Metric,
        labels: LabelsInMetrics,
    ) -> Option<Summary> {
        Summary::new(&self.values(subject, system, metric, labels))
    }

    /// The subjects of a target that have any row of its systems.
    pub fn subjects(&self, target: Target) -> Vec<Subject> {
        let has = |subject: &Subject| {
            target.systems().into_iter().any(|system| !self.rows(*subject, system).is_empty())
        };
        target.subjects().into_iter().filter(has).collect()
    }

    /// The number of test rows predicted for a target, and how many of them break a rule.
    pub fn broken(&self, target: Target) -> (usize, usize) {
        let (mut rows, mut broken) = (0, 0);
        for subject in target.subjects() {
            for system in target.systems() {
                let each = self.rows(subject, system).iter();
                for row in each.chain(self.ensemble(subject, system)) {
                    rows += subject.size().test;
                    broken += row.broken_rows;
                }
            }
        }
        (rows, broken)
    }

    /// The versions and the kinds of devices that made the results.
    pub fn origins(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let rows = || self.runs.values().flat_map(|runs| runs.each.iter().chain(&runs.ensemble));
        let versions = rows().map(|row| row.version.clone()).collect();
        (versions, rows().map(|row| row.device.clone()).collect())
    }

    /// What was requested and is missing, one line per data set and system.
    pub fn open(&self, target: Target) -> Vec<String> {
        let mut open = Vec::new();
        for subject in target.subjects() {
            let sets = &self.request.sets;
            if !sets.is_empty() && !sets.contains(&subject.to_string()) {
                continue;
            }
            for system in target.systems() {
                let Some(runs) = self.runs.get(&(subject.to_string(), system)) else { continue };
                let has = |seed: &u64| runs.each.iter().any(|row| row.seeds == Seeds::One(*seed));
                let seeds: Vec<u64> =
                    runs.planned.iter().copied().filter(|seed| !has(seed)).collect();
                if !seeds.is_empty() {
                    let word = if seeds.len() == 1 { "seed" } else { "seeds" };
                    open.push(format!("{subject}, {system}: {word} {}", ranges(&seeds)));
                }
            }
        }
        open
    }
}

/// A metric of a row.
pub(super) fn value_of(row: &Row, metric: Metric, labels: LabelsInMetrics) -> Option<f64> {
    let metrics: &Metrics = match labels {
        LabelsInMetrics::Present => &row.present,
        LabelsInMetrics::All => &row.all,
        LabelsInMetrics::Seen => &row.facts.as_ref()?.seen,
    };
    metrics.get(metric)
}

/// The number of networks.
pub(super) fn members(seeds: Seeds) -> u64 {
    match seeds {
        Seeds::One(_) => 1,
        Seeds::Ensemble(first, last) => last.saturating_sub(first) + 1,
    }
}

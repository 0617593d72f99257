//! What there is to report: the rows that the plan would have made, by set and method.

use std::collections::{BTreeSet, HashMap};

use rulebound_core::metrics::{LabelsInMetrics, Metric, Metrics};

use super::number::ranges;
use super::summary::Summary;
use crate::reproduce::{
    ENSEMBLE, Folder, Plan, PlanRequest, ReproduceError, Row, Seeds, Subject, Target,
};
use rulebound::train::Method;

/// Rows of one set and method.
#[derive(Default)]
struct Runs {
    /// One a seed, from the least.
    each: Vec<Row>,
    /// The most networks together, of those that are asked for.
    together: Option<Row>,
}

/// The rows of a folder, of the configurations that are asked for.
pub(super) struct Evidence<'a> {
    /// Where logs and models are.
    pub folder: &'a Folder,
    /// What was asked for.
    pub request: &'a PlanRequest,
    /// Rows of other configurations, which are passed over.
    pub others: usize,
    runs: HashMap<(String, &'static str), Runs>,
}

impl<'a> Evidence<'a> {
    /// Reads the results.
    pub fn read(folder: &'a Folder, request: &'a PlanRequest) -> Result<Self, ReproduceError> {
        Ok(Self::of(folder, request, folder.results().read()?))
    }

    fn of(folder: &'a Folder, request: &'a PlanRequest, rows: Vec<Row>) -> Self {
        let everything = PlanRequest {
            targets: Target::ALL.to_vec(),
            sets: Vec::new(),
            seeds: 1,
            searches_epochs: request.searches_epochs,
        };
        let mut expected = HashMap::new();
        for batch in Plan::new(&everything).map(|plan| plan.batches).unwrap_or_default() {
            let (set, method, digest) =
                (batch.subject.to_string(), batch.method().name(), batch.digest());
            expected.insert((set.clone(), method.to_owned()), (method, digest.clone()));
            expected.insert((set, format!("{method}{ENSEMBLE}")), (method, digest));
        }
        let mut evidence = Self { folder, request, others: 0, runs: HashMap::new() };
        for row in rows {
            match expected.get(&(row.set.clone(), row.method.clone())) {
                Some((method, digest)) if *digest == row.configuration => evidence.add(method, row),
                _ => evidence.others += 1,
            }
        }
        for runs in evidence.runs.values_mut() {
            runs.each.sort_by_key(|row| row.seeds);
            runs.each.dedup_by_key(|row| row.seeds);
        }
        evidence
    }

    fn add(&mut self, method: &'static str, row: Row) {
        let last = match row.seeds {
            Seeds::One(seed) => seed,
            Seeds::Together(_, last) => last,
        };
        // What is printed is what the command that is printed beside it gives.
        if last >= self.request.seeds as u64 {
            return;
        }
        let runs = self.runs.entry((row.set.clone(), method)).or_default();
        match (row.seeds, &runs.together) {
            (Seeds::One(_), _) => runs.each.push(row),
            (seeds, Some(known)) if members(known.seeds) >= members(seeds) => {}
            (Seeds::Together(..), _) => runs.together = Some(row),
        }
    }

    /// The networks, from the least seed.
    pub fn rows(&self, subject: Subject, method: Method) -> &[Row] {
        let runs = self.runs.get(&(subject.to_string(), method.name()));
        runs.map_or(&[], |runs| &runs.each)
    }

    /// The most networks together.
    pub fn together(&self, subject: Subject, method: Method) -> Option<&Row> {
        self.runs.get(&(subject.to_string(), method.name()))?.together.as_ref()
    }

    /// A metric of every network that has it.
    pub fn values(
        &self,
        subject: Subject,
        method: Method,
        metric: Metric,
        labels: LabelsInMetrics,
    ) -> Vec<f64> {
        self.rows(subject, method).iter().filter_map(|row| of(row, metric, labels)).collect()
    }

    /// The same in a few numbers.
    pub fn summary(
        &self,
        subject: Subject,
        method: Method,
        metric: Metric,
        labels: LabelsInMetrics,
    ) -> Option<Summary> {
        Summary::of(&self.values(subject, method, metric, labels))
    }

    /// The subjects of a target that have any row of its methods.
    pub fn subjects(&self, target: Target) -> Vec<Subject> {
        let has = |subject: &Subject| {
            target.methods().iter().any(|method| !self.rows(*subject, *method).is_empty())
        };
        target.subjects().into_iter().filter(has).collect()
    }

    /// Test rows that were predicted for a target, and how many of them break a rule.
    pub fn broken(&self, target: Target) -> (usize, usize) {
        let (mut rows, mut broken) = (0, 0);
        for subject in target.subjects() {
            for method in target.methods() {
                let each = self.rows(subject, *method).iter();
                for row in each.chain(self.together(subject, *method)) {
                    rows += subject.size().test;
                    broken += row.broken_rows;
                }
            }
        }
        (rows, broken)
    }

    /// The versions and the kinds of devices that made the results.
    pub fn origins(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let rows = || self.runs.values().flat_map(|runs| runs.each.iter().chain(&runs.together));
        let versions = rows().map(|row| row.version.clone()).collect();
        (versions, rows().map(|row| row.device.clone()).collect())
    }

    /// What was asked for and is not there, a line a set and method.
    pub fn open(&self, target: Target) -> Vec<String> {
        let mut open = Vec::new();
        for subject in target.subjects() {
            let sets = &self.request.sets;
            if !sets.is_empty() && !sets.contains(&subject.to_string()) {
                continue;
            }
            for method in target.methods() {
                let rows = self.rows(subject, *method);
                let has = |seed: &u64| rows.iter().any(|row| row.seeds == Seeds::One(*seed));
                let seeds: Vec<u64> =
                    (0..self.request.seeds as u64).filter(|seed| !has(seed)).collect();
                if !seeds.is_empty() {
                    let word = if seeds.len() == 1 { "seed" } else { "seeds" };
                    open.push(format!("{subject}, {method}: {word} {}", ranges(&seeds)));
                }
            }
        }
        open
    }
}

/// A metric of a row.
pub(super) fn of(row: &Row, metric: Metric, labels: LabelsInMetrics) -> Option<f64> {
    let metrics: &Metrics = match labels {
        LabelsInMetrics::Present => &row.present,
        LabelsInMetrics::All => &row.all,
    };
    metrics.get(metric)
}

/// How many networks there are.
pub(super) fn members(seeds: Seeds) -> u64 {
    match seeds {
        Seeds::One(_) => 1,
        Seeds::Together(first, last) => last.saturating_sub(first) + 1,
    }
}

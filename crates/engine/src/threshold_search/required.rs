//! Thresholds under requirements: every candidate is decided anew, by the layer itself.
//!
//! Which class gives way depends on how far the scores are from their thresholds, so a threshold that
//! moves changes more than the sides of one class. Candidates are taken evenly from the gaps between
//! distinct scores, then again around the best of them, until all gaps between its neighbours have
//! been tried. Where only the margin of one class moves, most rows need few decisions ([`ClassRows`]).

use rayon::prelude::*;
use rulebound_core::metrics::Counts;
use rulebound_core::{LabelId, LayerError, Program, Thresholds};

use super::ThresholdSearch;
use super::class_rows::ClassRows;
use super::decided::decide;
use super::state::State;
use crate::labelled_scores::LabelledScores;

/// Candidates that are tried at a time.
const AT_ONCE: usize = 32;

/// The gaps between the distinct ones of some scores, in each of which a threshold can be: as many as
/// there are such scores, and one more.
struct Gaps {
    scores: Vec<f64>,
}

impl Gaps {
    fn new(mut scores: Vec<f64>) -> Self {
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.dedup_by(|a, b| a == b);
        Self { scores }
    }

    /// A threshold with so many of the scores above it.
    fn threshold(&self, rows: &LabelledScores<'_>, above: usize) -> Option<f64> {
        let (&highest, &lowest) = (self.scores.first()?, self.scores.last()?);
        match above {
            0 => rows.over(highest),
            above if above == self.scores.len() => rows.under(lowest),
            above => rows.between(self.scores[above - 1], self.scores[above]),
        }
    }
}

/// A search under requirements.
pub(super) struct Required<'a> {
    pub rows: &'a LabelledScores<'a>,
    pub program: &'a Program,
    pub search: &'a ThresholdSearch,
}

/// Thresholds, their counts and what these are worth.
#[derive(Clone)]
struct Found {
    thresholds: Thresholds,
    counts: Vec<Counts>,
    value: f64,
}

impl Required<'_> {
    /// Goes through the classes until none improves; or through thresholds that all classes share.
    pub fn run(&self, start: &Thresholds) -> Result<(Thresholds, Vec<Counts>, usize), LayerError> {
        let mut best = self.found(start.clone())?;
        if self.search.one {
            let gaps = Gaps::new(self.rows.scores.to_vec());
            let classes = self.rows.labels.len();
            let uniform = |threshold: f64| Thresholds::uniform(classes, threshold).ok();
            self.improve(&mut best, &gaps, None, uniform)?;
            return Ok((best.thresholds, best.counts, 1));
        }
        let mut passes = 0;
        let mut improves = true;
        while passes < self.search.passes && std::mem::take(&mut improves) {
            passes += 1;
            for class in self.rows.evaluated_classes() {
                let classes = self.rows.labels.len();
                let scores = self.rows.scores.iter().skip(class).step_by(classes).copied();
                let gaps = Gaps::new(scores.collect());
                let labels = self.rows.labels.ids();
                let values: Vec<f64> = labels.map(|label| best.thresholds.value(label)).collect();
                improves |= self.improve(&mut best, &gaps, Some(class), |threshold| {
                    let mut values = values.clone();
                    values[class] = threshold;
                    Thresholds::new(values).ok()
                })?;
            }
        }
        Ok((best.thresholds, best.counts, passes))
    }

    fn found(&self, thresholds: Thresholds) -> Result<Found, LayerError> {
        let decided = decide(self.rows, self.program, &thresholds)?;
        let counts = State::counts_of(self.rows, &decided);
        let counts: Vec<Counts> =
            self.rows.evaluated_classes().map(|class| counts[class]).collect();
        let value = self.search.objective.value(self.rows, &counts);
        Ok(Found { thresholds, counts, value })
    }

    /// What these thresholds decide, each with its place: the same as [`found`](Self::found) of each.
    fn found_of_class(
        &self,
        class: usize,
        tried: Vec<(Thresholds, usize)>,
    ) -> Result<Vec<(Found, usize)>, LayerError> {
        let thresholds: Vec<&Thresholds> = tried.iter().map(|(one, _)| one).collect();
        let counts = ClassRows::new(self.rows, self.program, class).counts(&thresholds)?;
        let found = tried.into_iter().zip(counts).map(|((thresholds, place), counts)| {
            let counts: Vec<Counts> =
                self.rows.evaluated_classes().map(|class| counts[class]).collect();
            let value = self.search.objective.value(self.rows, &counts);
            (Found { thresholds, counts, value }, place)
        });
        Ok(found.collect())
    }

    /// Looks for a better threshold among gaps, of one class or of all; whether there was one.
    fn improve(
        &self,
        best: &mut Found,
        gaps: &Gaps,
        class: Option<usize>,
        with: impl Fn(f64) -> Option<Thresholds> + Sync,
    ) -> Result<bool, LayerError> {
        let (mut first, mut last) = (0, gaps.scores.len());
        let mut improves = false;
        loop {
            let step = (last - first).div_ceil(AT_ONCE).max(1);
            let places: Vec<usize> = (first..=last).step_by(step).collect();
            let candidates = places.iter().filter_map(|&place| {
                let threshold = gaps.threshold(self.rows, place)?;
                Some((with(threshold)?, place))
            });
            let candidates: Vec<(Thresholds, usize)> = candidates.collect();
            let tried = match class {
                Some(class) => self.found_of_class(class, candidates)?,
                None => candidates
                    .into_par_iter()
                    .map(|(thresholds, place)| Ok((self.found(thresholds)?, place)))
                    .collect::<Result<Vec<_>, LayerError>>()?,
            };
            let moved = LabelId::new(class.unwrap_or(0));
            let tried = tried.into_iter().map(|(found, place)| {
                let from_half = (found.thresholds.value(moved) - 0.5).abs();
                (found, from_half, place)
            });
            // Of equally good ones, the nearest to one half.
            let better =
                tried.min_by(|a, b| b.0.value.total_cmp(&a.0.value).then(a.1.total_cmp(&b.1)));
            let Some((found, _, place)) = better else { return Ok(improves) };
            if found.value > best.value {
                *best = found;
                improves = true;
            }
            if step == 1 {
                return Ok(improves);
            }
            (first, last) = (place.saturating_sub(step), (place + step).min(last));
        }
    }
}

//! Thresholds under requirements: every candidate is decided anew, by the layer itself.
//!
//! Which class gives way depends on how far the scores are from their thresholds, so a threshold that
//! moves changes more than the sides of one class. Candidates are taken evenly from the gaps between
//! distinct scores, then again around the best of them, until all gaps between its neighbours have
//! been tried.

use rayon::prelude::*;
use rulebound_core::metrics::Counts;
use rulebound_core::{ConstraintLayer, LabelId, LayerError, Margin, Program, Thresholds};

use super::ThresholdSearch;
use super::raw_rows::{RawKind, RawRows};
use super::state::State;
use crate::scores::Scale;

/// Candidates that are tried at a time.
const AT_ONCE: usize = 32;

/// What the layer decides with these thresholds, in all rows.
pub(super) fn decide(
    rows: &RawRows<'_>,
    program: &Program,
    thresholds: &Thresholds,
) -> Result<Vec<bool>, LayerError> {
    let layer = ConstraintLayer::new(program, thresholds.clone());
    let labels = (0..rows.labels.len()).cycle().map(LabelId::new);
    let scores = rows.scores.iter().zip(labels);
    match rows.kind {
        RawKind::Model => {
            let margin = |(&score, label)| thresholds.margin_of_logit(label, score as f32);
            decisions(&layer, scores.map(margin).map(Margin::canonical).collect())
        }
        RawKind::Table(kind) => {
            let scale = Scale::new(kind, thresholds.clone(), false).of_program(program);
            decisions(&layer, scores.map(|(&score, label)| scale.margin(label, score)).collect())
        }
    }
}

fn decisions<F: Margin>(layer: &ConstraintLayer, margins: Vec<F>) -> Result<Vec<bool>, LayerError> {
    let mut coherent = vec![F::default(); margins.len()];
    layer.forward(&margins, &mut coherent, &mut layer.workspace_for(1))?;
    Ok(coherent.iter().map(|margin| margin.is_predicted()).collect())
}

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
    fn threshold(&self, rows: &RawRows<'_>, above: usize) -> Option<f64> {
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
    pub rows: &'a RawRows<'a>,
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
            self.improve(&mut best, &gaps, uniform)?;
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
                improves |= self.improve(&mut best, &gaps, |threshold| {
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

    /// Looks for a better threshold among gaps; whether there was one.
    fn improve(
        &self,
        best: &mut Found,
        gaps: &Gaps,
        with: impl Fn(f64) -> Option<Thresholds> + Sync,
    ) -> Result<bool, LayerError> {
        let (mut first, mut last) = (0, gaps.scores.len());
        let mut improves = false;
        loop {
            let step = (last - first).div_ceil(AT_ONCE).max(1);
            let places: Vec<usize> = (first..=last).step_by(step).collect();
            let tried = places.par_iter().map(|&place| {
                let Some(threshold) = gaps.threshold(self.rows, place) else { return Ok(None) };
                let Some(thresholds) = with(threshold) else { return Ok(None) };
                let found = self.found(thresholds)?;
                Ok(Some((found, (threshold - 0.5).abs(), place)))
            });
            let tried: Vec<Option<(Found, f64, usize)>> =
                tried.collect::<Result<_, LayerError>>()?;
            // Of equally good ones, the nearest to one half.
            let better = tried
                .into_iter()
                .flatten()
                .min_by(|a, b| b.0.value.total_cmp(&a.0.value).then(a.1.total_cmp(&b.1)));
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

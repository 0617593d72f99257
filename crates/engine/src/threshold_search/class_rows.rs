//! What is decided in every row while the threshold of one class moves.
//!
//! Where no rule has a body, a class that no rule knows has two outcomes on each of its sides: as long as its margin is too small to
//! matter it is overruled, and from some margin on it keeps its side; where the margin is between others, no
//! other decision changes. (Let it be overruled at some margin. With a smaller one, the same prediction is still
//! the one that agrees with the model on the first class where any other differs; and the other way round where
//! it keeps its side.) So what lies between two margins with the same outcome is not decided again.

use rayon::prelude::*;
use rulebound_core::metrics::Counts;
use rulebound_core::{
    ConstraintLayer, LabelId, LayerError, LayerWorkspace, Margin, Program, Thresholds,
};

use super::decided::decide;
use super::state::State;
use crate::labelled_scores::{LabelledScores, ScoresOf};
use crate::scores::Scale;

/// Rows that one thread takes at a time.
const ROWS: usize = 64;

/// The rows, and the class whose threshold moves.
pub(super) struct ClassRows<'a> {
    rows: &'a LabelledScores<'a>,
    program: &'a Program,
    class: usize,
    /// Whether no rule knows the class, and none has a body.
    is_free: bool,
}

impl<'a> ClassRows<'a> {
    pub fn new(rows: &'a LabelledScores<'a>, program: &'a Program, class: usize) -> Self {
        let id = LabelId::new(class);
        // What an overruled class raised is taken back: where a rule has a body, a class that is overruled
        // in the end may have overruled another one on the way.
        let knows = |rule: &rulebound_core::Rule| rule.head() == id || !rule.body().is_empty();
        Self { rows, program, class, is_free: !program.rules().iter().any(knows) }
    }

    /// The counts of all classes with each of these thresholds, which differ in this class alone.
    pub fn counts(&self, thresholds: &[&Thresholds]) -> Result<Vec<Vec<Counts>>, LayerError> {
        let mut counts = vec![Vec::new(); thresholds.len()];
        let mut moving = Vec::with_capacity(thresholds.len());
        for (at, &one) in thresholds.iter().enumerate() {
            // Where all thresholds are one half, margins are other numbers.
            let halves = self.rows.labels.ids().all(|label| one.value(label) == 0.5);
            if self.is_free && !halves {
                moving.push(at);
            } else {
                let decided = decide(self.rows, self.program, one)?;
                counts[at] = State::counts_of(self.rows, &decided);
            }
        }
        let Some(&first) = moving.first() else { return Ok(counts) };
        let of: Vec<&Thresholds> = moving.iter().map(|&at| thresholds[at]).collect();
        let layer = ConstraintLayer::new(self.program, thresholds[first].clone());
        let found = match self.rows.of {
            ScoresOf::Model => self.moved(&layer, &of, |thresholds, label, score| {
                thresholds.margin_of_logit(label, score as f32).canonical()
            })?,
            ScoresOf::Table(kind) => {
                let scales: Vec<Scale> = of
                    .iter()
                    .map(|&one| Scale::new(kind, one.clone(), false).of_program(self.program))
                    .collect();
                let places: Vec<usize> = (0..of.len()).collect();
                self.moved(&layer, &places, |at, label, score| scales[at].margin(label, score))?
            }
        };
        for (at, found) in moving.into_iter().zip(found) {
            counts[at] = found;
        }
        Ok(counts)
    }

    /// The counts of candidates; `margin` is that of a class and a score with one of them.
    fn moved<F: Margin, C: Copy + Sync>(
        &self,
        layer: &ConstraintLayer,
        candidates: &[C],
        margin: impl Fn(C, LabelId, f64) -> F + Sync,
    ) -> Result<Vec<Vec<Counts>>, LayerError> {
        let classes = self.rows.labels.len();
        let Some(&first) = candidates.first() else { return Ok(Vec::new()) };
        let parts =
            self.rows.scores.par_chunks(ROWS * classes).enumerate().map(|(part, scores)| {
                let mut counts = vec![vec![Counts::default(); classes]; candidates.len()];
                let mut row = OneRow::new(layer, self.class);
                for (at, scores) in scores.chunks(classes).enumerate() {
                    let labels = self.rows.labels.ids();
                    row.margins.clear();
                    row.margins.extend(
                        labels.zip(scores).map(|(label, &score)| margin(first, label, score)),
                    );
                    let own = LabelId::new(self.class);
                    let of_class = candidates
                        .iter()
                        .map(|&one| margin(one, own, scores[self.class]))
                        .collect();
                    let number = part * ROWS + at;
                    row.decide(of_class).map_err(|error| at_row(error, number))?;
                    for (counts, outcome) in counts.iter_mut().zip(&row.outcome_of) {
                        State::add_row(self.rows, number, &row.outcomes[*outcome], counts);
                    }
                }
                Ok::<_, LayerError>(counts)
            });
        let nothing = || vec![vec![Counts::default(); classes]; candidates.len()];
        parts.try_reduce(nothing, |mut all, part| {
            for (all, part) in all.iter_mut().flatten().zip(part.into_iter().flatten()) {
                *all += part;
            }
            Ok(all)
        })
    }
}

fn at_row(error: LayerError, row: usize) -> LayerError {
    match error {
        LayerError::Unsettled { limit, lines, .. } => LayerError::Unsettled { row, limit, lines },
        other => other,
    }
}

/// One row, and what is decided in it.
struct OneRow<'a, F> {
    layer: &'a ConstraintLayer,
    workspace: LayerWorkspace<F>,
    class: usize,
    margins: Vec<F>,
    coherent: Vec<F>,
    outcomes: Vec<Vec<bool>>,
    /// For each margin of the class, the number of the outcome.
    outcome_of: Vec<usize>,
}

impl<'a, F: Margin> OneRow<'a, F> {
    fn new(layer: &'a ConstraintLayer, class: usize) -> Self {
        Self {
            layer,
            workspace: layer.workspace_for(1),
            class,
            margins: Vec::new(),
            coherent: vec![F::default(); layer.classes()],
            outcomes: Vec::new(),
            outcome_of: Vec::new(),
        }
    }

    /// Decides the row for each of these margins of the class.
    fn decide(&mut self, of_class: Vec<F>) -> Result<(), LayerError> {
        self.outcomes.clear();
        self.outcome_of.clear();
        self.outcome_of.resize(of_class.len(), usize::MAX);
        for side in [true, false] {
            let mut order: Vec<usize> =
                (0..of_class.len()).filter(|&at| of_class[at].is_predicted() == side).collect();
            order.sort_by_key(|&at| of_class[at].sureness());
            let (Some(&low), Some(&high)) = (order.first(), order.last()) else { continue };
            for end in [low, high] {
                self.decide_one(&of_class, end)?;
            }
            // Parts between two margins that are decided, the ends included.
            let mut open = vec![(0, order.len() - 1)];
            while let Some((from, to)) = open.pop() {
                let (low, high) = (order[from], order[to]);
                let keeps = |at: usize| self.outcomes[self.outcome_of[at]][self.class] == side;
                if keeps(low) == keeps(high)
                    || of_class[low].sureness() == of_class[high].sureness()
                {
                    let outcome = self.outcome_of[low];
                    order[from..to].iter().for_each(|&at| self.outcome_of[at] = outcome);
                } else if to - from > 1 {
                    let middle = (from + to) / 2;
                    self.decide_one(&of_class, order[middle])?;
                    open.extend([(from, middle), (middle, to)]);
                }
            }
        }
        Ok(())
    }

    fn decide_one(&mut self, of_class: &[F], at: usize) -> Result<(), LayerError> {
        if self.outcome_of[at] != usize::MAX {
            return Ok(());
        }
        self.margins[self.class] = of_class[at];
        self.layer.forward(&self.margins, &mut self.coherent, &mut self.workspace)?;
        let outcome: Vec<bool> = self.coherent.iter().map(|margin| margin.is_predicted()).collect();
        self.outcome_of[at] = match self.outcomes.iter().position(|known| *known == outcome) {
            Some(known) => known,
            None => {
                self.outcomes.push(outcome);
                self.outcomes.len() - 1
            }
        };
        Ok(())
    }
}

//! What a predictor says of a batch of rows.

use rulebound_core::{Delegate, LabelId, Margin, Thresholds};

/// Predictions of some rows, row-major: margins, and what decided them.
///
/// One `Predictions` is filled again and again; it grows to the largest batch.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    thresholds: Option<Thresholds>,
    pub(super) margins: Vec<f32>,
    pub(super) delegates: Vec<Delegate>,
}

impl Predictions {
    /// Makes room for this many cells.
    pub(super) fn reset(&mut self, thresholds: &Thresholds, cells: usize) {
        if self.thresholds.as_ref() != Some(thresholds) {
            self.thresholds = Some(thresholds.clone());
        }
        self.margins.resize(cells, 0.0);
        self.delegates.resize(cells, Delegate::default());
    }

    /// Every class decided itself.
    pub(super) fn delegates_are_own(&mut self) {
        let classes = self.classes();
        for (at, delegate) in self.delegates.iter_mut().enumerate() {
            *delegate = Delegate::own(LabelId::new(at % classes));
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.margins.len().checked_div(self.classes()).unwrap_or(0)
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.thresholds.as_ref().map_or(0, Thresholds::len)
    }

    /// The coherent margins: a class is predicted iff its margin is above 0.
    pub fn margins(&self) -> &[f32] {
        &self.margins
    }

    /// The literal that decided each class.
    pub fn delegates(&self) -> &[Delegate] {
        &self.delegates
    }

    /// Which classes are predicted.
    pub fn decisions(&self) -> Vec<bool> {
        self.margins.iter().map(|margin| margin.is_predicted()).collect()
    }

    /// The logits of the [probabilities](Self::probabilities), in the same order but finer: what classes
    /// are ranked by. Where all thresholds are 1/2 they are the margins.
    pub fn logits(&self) -> Vec<f32> {
        let Some(thresholds) = &self.thresholds else { return Vec::new() };
        let classes = thresholds.len();
        let margins = self.margins.iter().enumerate();
        margins
            .map(|(at, &margin)| thresholds.logit_of_margin(LabelId::new(at % classes), margin))
            .collect()
    }

    /// The probabilities; one is above its threshold iff the class is predicted.
    pub fn probabilities(&self) -> Vec<f32> {
        let Some(thresholds) = &self.thresholds else { return Vec::new() };
        let classes = thresholds.len();
        let margins = self.margins.iter().enumerate();
        margins
            .map(|(at, &margin)| {
                thresholds.probability_of_margin(LabelId::new(at % classes), margin)
            })
            .collect()
    }

    /// For each row, how many scores the rules changed.
    pub fn changes(&self) -> impl Iterator<Item = usize> + '_ {
        let classes = self.classes().max(1);
        self.delegates.chunks(classes).map(|row| {
            let own = |(class, delegate): &(usize, &Delegate)| {
                **delegate != Delegate::own(LabelId::new(*class))
            };
            row.iter().enumerate().filter(own).count()
        })
    }
}

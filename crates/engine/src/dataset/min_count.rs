//! Classes with too few training rows to learn from.

use rulebound_core::{LabelId, Labels};

use super::error::DatasetError;
use super::set::Dataset;
use super::split::Split;

impl Dataset {
    /// The same data without the classes that fewer than `least` training rows have.
    ///
    /// # Errors
    /// [`DatasetError::RareClassInRules`] if a rule of the data is about such a class.
    pub(super) fn with_min_count(mut self, least: usize) -> Result<Self, DatasetError> {
        let mut counts = vec![0; self.classes().len()];
        for row in self.split(Split::Train).unwrap_or_default() {
            self.labels.positives(row).for_each(|class| counts[class.index()] += 1);
        }
        let is_kept = |class: LabelId| counts[class.index()] >= least;
        let kept: Vec<LabelId> = self.classes().ids().filter(|&class| is_kept(class)).collect();
        if kept.len() == counts.len() {
            return Ok(self);
        }
        if let Some(class) = self.program.mentioned().find(|&class| !is_kept(class)) {
            let class = self.classes().name(class).to_owned();
            return Err(DatasetError::RareClassInRules { class });
        }
        let mut place_of = vec![None; counts.len()];
        kept.iter().enumerate().for_each(|(place, class)| place_of[class.index()] = Some(place));
        let names = kept.iter().map(|&class| self.classes().name(class).to_owned());
        let classes = match Labels::new(names) {
            Ok(classes) => classes,
            Err(source) => return Err(DatasetError::Labels { path: self.name.into(), source }),
        };
        let labels =
            self.labels.mapped(kept.len(), |class| place_of[class.index()].map(LabelId::new));
        let place = |class: LabelId| LabelId::new(place_of[class.index()].unwrap_or_default());
        self.program = self.program.renumbered(classes, place);
        self.evaluated = kept.iter().map(|class| self.evaluated[class.index()]).collect();
        self.labels = labels;
        Ok(self)
    }
}

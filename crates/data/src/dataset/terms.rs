//! Classes that are terms of an ontology: however a label is written, it is the class of its term.

use std::collections::HashMap;
use std::path::Path;

use rulebound_core::{LabelId, Labels, Program};

use super::complaint::ReadNote;
use super::error::DatasetError;
use super::ontology::Ontology;
use super::set::Dataset;
use crate::unknown_labels::UnknownLabels;

/// The largest share of the classes that an ontology may not know, where labels are written by their names.
const MOST_UNKNOWN: f64 = 0.5;

impl Dataset {
    /// The same data where labels are written by their names: each class is called as the ontology calls its term, and
    /// classes of one term are one. What the ontology does not know is noted.
    ///
    /// # Errors
    /// If none of the classes is a term, or more than half of them are not; where unknown classes are an
    /// error, if any is not.
    pub(super) fn with_terms(
        mut self,
        ontology: &Ontology,
        path: &Path,
        treatment: UnknownLabels,
    ) -> Result<Self, DatasetError> {
        self.note_unknown_terms(ontology, path);
        if let Some(ReadNote::UnknownTerms { classes, of, .. }) = self.notes.last() {
            let share = classes.len() as f64 / *of as f64;
            let refused = match treatment {
                UnknownLabels::Error => true,
                UnknownLabels::Keep => false,
                UnknownLabels::HideInRules | UnknownLabels::Hide => share > MOST_UNKNOWN,
            };
            if refused {
                let (path, classes, of) = (path.into(), classes.clone(), *of);
                return Err(DatasetError::NotTerms { path, classes, of });
            }
        }
        if !self.program.rules().is_empty() || !self.program.requirements().is_empty() {
            // They say which classes there are.
            return Ok(self);
        }
        let mut names: Vec<&str> = Vec::new();
        let mut place_of: HashMap<&str, usize> = HashMap::new();
        let places: Vec<usize> = self
            .classes()
            .names()
            .map(|name| {
                let name = ontology.resolve(name).unwrap_or(name);
                *place_of.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            })
            .collect();
        if self.classes().names().eq(names.iter().copied()) {
            return Ok(self);
        }
        let wrong = |source| DatasetError::Labels { path: path.to_path_buf(), source };
        let classes = Labels::new(names.iter().copied()).map_err(wrong)?;
        let place = |class: LabelId| LabelId::new(places[class.index()]);
        let mut evaluated = vec![false; classes.len()];
        places.iter().zip(&self.evaluated).for_each(|(&place, is)| evaluated[place] |= is);
        self.labels = self.labels.mapped(classes.len(), |class| Some(place(class)));
        self.program = Program::new(classes, Vec::new())?;
        self.evaluated = evaluated;
        Ok(self)
    }

    /// Notes the classes that the ontology does not know.
    pub(super) fn note_unknown_terms(&mut self, ontology: &Ontology, path: &Path) {
        let unknown = self.classes().names().filter(|name| ontology.resolve(name).is_none());
        let classes: Vec<String> = unknown.map(|name| ontology.describe_unknown(name)).collect();
        let of = self.classes().len();
        if !classes.is_empty() && classes.len() < of {
            self.notes.push(ReadNote::UnknownTerms { path: path.into(), classes, of });
        }
    }
}

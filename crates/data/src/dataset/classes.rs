//! A list of classes that fixes which classes a data set has, and their order.

use rulebound_core::{LabelId, Labels};

use super::error::DatasetError;
use super::set::Dataset;

/// How the labels of a row are written, which decides what a class means that only the list has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LabelsWritten {
    /// By their names, only those that the row has: the others are not true.
    Names,
    /// By their names or by their places in the list, from 0.
    Numbers,
    /// In one column per class: a class without a column is not known.
    Columns,
}

impl Dataset {
    /// The same data about the classes of a list, in its order.
    ///
    /// # Errors
    /// [`DatasetError::NotListed`] if a class of the data is not in the list,
    /// [`DatasetError::NoClassColumn`] if a class of the list needs a column and has none.
    pub(super) fn with_classes(
        mut self,
        list: &Labels,
        written: LabelsWritten,
    ) -> Result<Self, DatasetError> {
        let own = self.classes().clone();
        let by_name = |name: &str| list.find(name);
        let by_number =
            |name: &str| name.parse().ok().filter(|&number| number < list.len()).map(LabelId::new);
        let numbered = written == LabelsWritten::Numbers
            && own.names().any(|name| by_name(name).is_none())
            && own.names().all(|name| by_number(name).is_some());
        let places: Vec<Option<LabelId>> = own
            .names()
            .map(|name| if numbered { by_number(name) } else { by_name(name) })
            .collect();
        let absent = own.names().zip(&places).filter(|(_, place)| place.is_none());
        let absent: Vec<String> = absent.map(|(name, _)| name.to_owned()).collect();
        if !absent.is_empty() {
            return Err(DatasetError::NotListed { data: self.name, classes: absent });
        }
        let place = |id: LabelId| places[id.index()].unwrap_or(id);
        let mut found = vec![false; list.len()];
        own.ids().for_each(|id| found[place(id).index()] = true);
        let more = list.ids().filter(|id| !found[id.index()]);
        let more: Vec<String> = more.map(|id| list.name(id).to_owned()).collect();
        if written == LabelsWritten::Columns && !more.is_empty() {
            return Err(DatasetError::NoClassColumn { data: self.name, classes: more });
        }
        let labels = self.labels.mapped(list.len(), |class| Some(place(class)));
        let mut evaluated = vec![true; list.len()];
        own.ids().for_each(|id| evaluated[place(id).index()] = self.evaluated[id.index()]);
        self.program = self.program.renumbered(list.clone(), place);
        (self.labels, self.evaluated) = (labels, evaluated);
        Ok(self)
    }
}

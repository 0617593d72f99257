//! Labels that rows write by their names: the classes are known after the last row.

use std::collections::HashMap;

use rulebound_core::{LabelError, LabelId, Labels};

use super::matrix::LabelMatrix;

/// The labels of rows, numbered in the order of their first occurrence.
#[derive(Debug, Default)]
pub(in crate::dataset) struct NamedLabels {
    ids: HashMap<String, u32>,
    labels: Vec<u32>,
    /// Where the labels of each row end.
    ends: Vec<usize>,
}

/// The order of classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::dataset) enum ClassOrder {
    /// That of their names.
    Names,
    /// That of the numbers that their names are, if all are.
    Numbers,
}

impl NamedLabels {
    /// Adds a row with these labels.
    pub(in crate::dataset) fn push_row<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names {
            let next = self.ids.len() as u32;
            let id = match self.ids.get(name) {
                Some(&id) => id,
                None => *self.ids.entry(name.to_owned()).or_insert(next),
            };
            self.labels.push(id);
        }
        self.ends.push(self.labels.len());
    }

    /// The classes in order, and the class of each label.
    pub(in crate::dataset) fn classes(
        &self,
        order: ClassOrder,
    ) -> Result<(Labels, Vec<LabelId>), LabelError> {
        let mut names = vec![""; self.ids.len()];
        self.ids.iter().for_each(|(name, &id)| names[id as usize] = name);
        let mut met: Vec<usize> = (0..names.len()).collect();
        let numbers = names.iter().map(|name| name.parse::<f64>().ok());
        match numbers.collect::<Option<Vec<f64>>>().filter(|_| order == ClassOrder::Numbers) {
            Some(numbers) => met.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b])),
            None => met.sort_by_key(|&label| names[label]),
        }
        let mut places = vec![LabelId::new(0); met.len()];
        for (place, &label) in met.iter().enumerate() {
            places[label] = LabelId::new(place);
        }
        Ok((Labels::new(met.iter().map(|&label| names[label]))?, places))
    }

    /// The labels of all rows, as these classes.
    pub(in crate::dataset) fn to_matrix(&self, classes: &[LabelId]) -> LabelMatrix {
        let mut matrix = LabelMatrix::new(classes.len());
        let mut begin = 0;
        for &end in &self.ends {
            let row = matrix.push_row();
            for &label in &self.labels[begin..end] {
                matrix.insert(row, classes[label as usize]);
            }
            begin = end;
        }
        matrix
    }
}

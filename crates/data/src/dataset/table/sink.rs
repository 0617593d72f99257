//! Collects the rows of a table of any format in a data set.

use std::collections::HashMap;
use std::path::Path;

use rulebound_core::{LabelId, Labels};

use super::super::builder::DatasetBuilder;
use super::super::cell::{self, MOST_VALUES, Places};
use super::super::column::ColumnKind;
use super::super::error::DatasetError;
use super::super::labels::matrix::LabelMatrix;
use super::super::mistake::{Mistakes, Problem};
use super::super::set::Dataset;
use super::super::split::Split;
use super::cell::{Cell, Slip};
use super::plan::{Plan, Role};
use rulebound_io::storage::Storage;
use rulebound_io::table::As;

/// A data set being filled from tables.
#[derive(Debug)]
pub(in super::super) struct Sink {
    builder: DatasetBuilder,
    names: Vec<String>,
    roles: Vec<Role>,
    labels: Vec<String>,
    is_closed: bool,
    is_joined: bool,
    places: Vec<Option<Places>>,
    /// The labels of joined cells, in order of first occurrence, and the rows' labels.
    met: HashMap<String, u32>,
    joined: Vec<(usize, u32)>,
    features: Vec<f32>,
    identifiers: Vec<Option<String>>,
    positives: Vec<LabelId>,
    unknown: Vec<LabelId>,
    row_joined: Vec<u32>,
}

impl Sink {
    pub(super) fn new(
        name: &str,
        plan: &Plan,
        path: &Path,
        storage: &Storage,
    ) -> Result<Self, DatasetError> {
        let classes = plan.labels.len();
        if let Err(source) = Labels::new(plan.labels.iter().cloned()) {
            return Err(DatasetError::Labels { path: path.to_path_buf(), source });
        }
        let (columns, identifiers) = (plan.columns.clone(), plan.identifiers.clone());
        let builder = DatasetBuilder::new(name, columns, identifiers, classes)?.stored_in(storage);
        let places = builder.columns().iter().map(|column| column.values().map(Places::new));
        Ok(Self {
            places: places.collect(),
            names: plan.names.clone(),
            roles: plan.roles.clone(),
            labels: plan.labels.clone(),
            is_closed: plan.is_closed,
            is_joined: plan.roles.contains(&Role::Joined),
            met: HashMap::new(),
            joined: Vec::new(),
            features: vec![f32::NAN; builder.columns().len()],
            identifiers: vec![None; plan.identifiers.len()],
            positives: Vec::new(),
            unknown: Vec::new(),
            row_joined: Vec::new(),
            builder,
        })
    }

    pub(super) fn begin(&mut self, split: Split) -> Result<(), DatasetError> {
        self.builder.begin(split)
    }

    /// The wanted columns of a table, in table order.
    pub(super) fn wanted(&self) -> Vec<(usize, As)> {
        let wanted = self.roles.iter().map(|role| match role {
            Role::Numeric(_) | Role::Label(_) => As::Number,
            Role::Nominal(_) | Role::Identifier(_) | Role::Joined | Role::Ignored => As::Text,
        });
        wanted.enumerate().collect()
    }

    /// Adds one cell of the row; a bad one is added to `mistakes`.
    pub(super) fn cell(
        &mut self,
        column: usize,
        cell: Cell<'_>,
        line: u64,
        mistakes: &mut Mistakes,
    ) {
        if let Err((text, problem)) = self.take(column, cell) {
            mistakes.push(line, column + 1, &text, problem);
        }
    }

    fn take(&mut self, column: usize, cell: Cell<'_>) -> Result<(), Slip> {
        let name = || self.names[column].clone();
        let text = || cell.text().into_owned();
        match (self.roles[column], cell) {
            (Role::Numeric(feature), cell) => {
                self.features[feature] = cell.number(&self.names[column])?;
            }
            (Role::Ignored, _) => {}
            (Role::Nominal(feature), Cell::Missing) => self.features[feature] = f32::NAN,
            (Role::Nominal(feature), _) => {
                let text = text();
                self.features[feature] = match self.value(feature, &text) {
                    Some(place) => place,
                    None => {
                        let column = self.names[column].clone();
                        return Err((text, Problem::UnknownValue { column }));
                    }
                };
            }
            (Role::Identifier(place), Cell::Missing) => self.identifiers[place] = None,
            (Role::Identifier(place), _) => self.identifiers[place] = Some(text()),
            (Role::Label(label), Cell::Missing) => self.unknown.push(LabelId::new(label)),
            (Role::Label(label), _) => {
                let has = match cell {
                    Cell::Missing => None,
                    Cell::Text(text) => cell::label(text.trim()),
                    Cell::Number(1.0) => Some(true),
                    Cell::Number(number) => (number == 0.0).then_some(false),
                };
                match has {
                    Some(true) => self.positives.push(LabelId::new(label)),
                    Some(false) => {}
                    None => return Err((text(), Problem::NotALabel { label: name() })),
                }
            }
            (Role::Joined, _) => {
                for label in text().split('|').map(str::trim).filter(|label| !label.is_empty()) {
                    let next = self.met.len() as u32;
                    let label = *self.met.entry(label.to_owned()).or_insert(next);
                    self.row_joined.push(label);
                }
            }
        }
        Ok(())
    }

    /// The index of a nominal value, which is added unless all values are known in advance.
    fn value(&mut self, feature: usize, value: &str) -> Option<f32> {
        let places = self.places[feature].as_mut()?;
        if self.is_closed {
            return places.find(value);
        }
        match &mut self.builder.columns_mut()[feature].kind {
            ColumnKind::Nominal { values } if values.len() < MOST_VALUES => {
                Some(places.intern(value, values))
            }
            _ => places.find(value),
        }
    }

    /// Ends the row and keeps it if `is_good`.
    pub(super) fn end_row(&mut self, is_good: bool) -> Result<(), DatasetError> {
        if is_good {
            let identifiers: Vec<_> = self.identifiers.iter().map(Option::as_deref).collect();
            let row = self.builder.push(&self.features, &identifiers)?;
            for &label in &self.positives {
                self.builder.labels_mut().insert(row, label);
            }
            for &label in &self.unknown {
                self.builder.labels_mut().set_unknown(row, label);
            }
            self.joined.extend(self.row_joined.iter().map(|&label| (row, label)));
        }
        self.positives.clear();
        self.unknown.clear();
        self.row_joined.clear();
        Ok(())
    }

    /// The builder with the rows, to be finished by the caller.
    pub(in super::super) fn into_builder(self) -> DatasetBuilder {
        self.builder
    }

    /// The data set; text that names its rows is an identifier, unless `is_given` says that the caller gave its kind.
    pub(super) fn finish(
        mut self,
        path: &Path,
        is_given: impl Fn(&str) -> bool,
    ) -> Result<Dataset, DatasetError> {
        let wrong = |source| DatasetError::Labels { path: path.to_path_buf(), source };
        if self.is_joined {
            let mut names: Vec<(&String, u32)> = self.met.iter().map(|(n, &id)| (n, id)).collect();
            names.sort();
            let mut order = vec![LabelId::new(0); names.len()];
            for (place, (_, met)) in names.iter().enumerate() {
                order[*met as usize] = LabelId::new(place);
            }
            let mut labels = LabelMatrix::new(names.len());
            (0..self.builder.rows()).for_each(|_| {
                labels.push_row();
            });
            for &(row, met) in &self.joined {
                labels.insert(row, order[met as usize]);
            }
            self.labels = names.into_iter().map(|(name, _)| name.clone()).collect();
            self.builder.set_labels(labels);
        }
        self.builder.split_off_identifiers_but(is_given);
        let classes = Labels::new(self.labels).map_err(wrong)?;
        self.builder.finish_without_rules(classes)
    }
}

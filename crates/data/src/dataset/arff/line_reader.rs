//! One line of an ARFF file after another, dense (`v, v, …`) and sparse (`{index value, …}`).
//!
//! In a sparse row an absent number is 0 and an absent nominal value is the *first* of its list.

use rulebound_core::LabelId;

use super::super::cell::{self, Places, label};
use super::super::column::Column;
use super::super::complaint::{Mistakes, Problem};
use super::super::file_rows::Role;
use super::super::labels::matrix::LabelMatrix;
use super::header::{AttributeKind, Header, column};
use super::words::{Cursor, Slip, Word};
use rulebound_io::features::FeatureRow;

/// Reads one row after another.
pub(super) struct LineReader {
    header: Header,
    roles: Vec<Role>,
    /// The attribute that is the hierarchy.
    hierarchy: Option<usize>,
    /// For each nominal feature, the indices of its values.
    places: Vec<Option<Places>>,
    /// The cells of an empty sparse row.
    absent: Row,
    /// The features of an empty sparse row that are not 0.
    absent_listed: Vec<u32>,
    row: Row,
    /// Whether the row is sparse; then the features outside of `listed` are absent.
    is_sparse: bool,
    /// The features that a sparse row lists.
    listed: Vec<u32>,
    /// The features of a sparse row that are not 0, in order, and their cells.
    stored: (Vec<u32>, Vec<f32>),
    /// The classes whose parents are still to be marked.
    waiting: Vec<usize>,
    /// Which attributes the sparse row has listed so far.
    named: Vec<u64>,
    row_number: u64,
}

/// The row being read.
#[derive(Clone, Default)]
struct Row {
    features: Vec<f32>,
    identifiers: Vec<Option<String>>,
    /// None where it is not known.
    labels: Vec<Option<bool>>,
    classes: Vec<usize>,
}

impl LineReader {
    pub(super) fn new(header: Header, roles: Vec<Role>, columns: &[Column]) -> Self {
        let columns = columns.iter();
        let places: Vec<_> = columns.map(|column| column.values().map(Places::new)).collect();
        let count = |wanted: fn(&Role) -> bool| roles.iter().filter(|role| wanted(role)).count();
        let mut absent = Row {
            features: vec![0.0; places.len()],
            identifiers: vec![None; count(|role| matches!(role, Role::Identifier(_)))],
            labels: vec![Some(false); count(|role| matches!(role, Role::Label(_)))],
            classes: Vec::new(),
        };
        for (role, attribute) in roles.iter().zip(&header.attributes) {
            let AttributeKind::Nominal(values) = &attribute.kind else {
                continue;
            };
            let first = values.first();
            match *role {
                Role::Feature(feature) => {
                    let place = places[feature].as_ref().zip(first);
                    let place = place.and_then(|(places, first)| places.find(first));
                    absent.features[feature] = place.unwrap_or(f32::NAN);
                }
                Role::Label(id) => {
                    absent.labels[id.index()] = Some(first.and_then(|v| label(v)).unwrap_or(false));
                }
                Role::Identifier(_) | Role::Joined | Role::Hierarchy | Role::Ignored => {}
            }
        }
        let is_listed = |feature: &u32| absent.features[*feature as usize].to_bits() != 0;
        let absent_listed = (0..places.len() as u32).filter(is_listed).collect();
        Self {
            absent_listed,
            is_sparse: false,
            listed: Vec::new(),
            stored: Default::default(),
            waiting: Vec::new(),
            hierarchy: header.hierarchy().map(|(place, _)| place),
            places,
            row: absent.clone(),
            named: vec![0; roles.len()],
            row_number: 0,
            absent,
            header,
            roles,
        }
    }

    /// Reads a line that is not empty.
    pub(super) fn read(
        &mut self,
        line: &str,
        number: u64,
        mistakes: &mut Mistakes,
    ) -> Result<(), Slip> {
        self.row_number += 1;
        match line.trim_start().starts_with('{') {
            true => self.sparse(line, number, mistakes),
            false => self.dense(line, number, mistakes),
        }
    }

    /// The cells of the line, a feature each.
    pub(super) fn features(&self) -> FeatureRow<'_> {
        let (columns, values) = &self.stored;
        match self.is_sparse {
            false => FeatureRow::Dense(&self.row.features),
            true => FeatureRow::Sparse { columns, values, width: self.row.features.len() },
        }
    }

    pub(super) fn identifiers(&self) -> &[Option<String>] {
        &self.row.identifiers
    }

    /// Marks the labels of the line in a row.
    pub(super) fn label(&mut self, row: usize, labels: &mut LabelMatrix) {
        for (id, has) in self.row.labels.iter().enumerate() {
            match has {
                Some(true) => _ = labels.insert(row, LabelId::new(id)),
                Some(false) => {}
                None => labels.set_unknown(row, LabelId::new(id)),
            }
        }
        if let Some(hierarchy) = self.header.hierarchy_at(self.hierarchy) {
            for &class in &self.row.classes {
                hierarchy.insert(labels, row, class, &mut self.waiting);
            }
        }
    }

    fn dense(&mut self, line: &str, number: u64, mistakes: &mut Mistakes) -> Result<(), Slip> {
        let mut cursor = Cursor::new(line, 0);
        let mut found = 0;
        let mut extra = None;
        let mut last = 0;
        let expected = self.roles.len();
        self.is_sparse = false;
        self.row.classes.clear();
        cursor.list(|word| {
            match found < expected {
                true => self.cell(found, &word, line, number, mistakes),
                false => extra = extra.or(Some(word.start)),
            }
            last = word.start;
            found += 1;
        })?;
        match extra {
            Some(at) => Err((at, Problem::TooManyFields { expected, found })),
            None if found < expected => Err((last, Problem::TooFewFields { expected, found })),
            None => Ok(()),
        }
    }

    fn sparse(&mut self, line: &str, number: u64, mistakes: &mut Mistakes) -> Result<(), Slip> {
        if self.is_sparse {
            // A row lists few features: only those change from row to row.
            for &feature in &self.listed {
                self.row.features[feature as usize] = self.absent.features[feature as usize];
            }
            self.row.identifiers.clone_from(&self.absent.identifiers);
            self.row.labels.clone_from(&self.absent.labels);
            self.row.classes.clear();
        } else {
            self.row.clone_from(&self.absent);
            self.is_sparse = true;
        }
        self.listed.clear();
        let open = line.len() - line.trim_start().len();
        let mut cursor = Cursor::new(line, open + 1);
        cursor.skip_space();
        while !cursor.take('}') {
            let start = cursor.at();
            let index = cursor.word(|c| c.is_whitespace() || c == ',' || c == '}')?;
            let is_pair = cursor.rest().starts_with(char::is_whitespace);
            if index.text.is_empty() || index.quoted || !is_pair {
                return Err((start, Problem::NotAPair));
            }
            let last = self.roles.len().saturating_sub(1);
            let attribute = index.text.parse().ok().filter(|&index: &usize| index <= last);
            let Some(attribute) = attribute.filter(|_| !self.roles.is_empty()) else {
                return Err((start, Problem::BadIndex { first: 0, last }));
            };
            if std::mem::replace(&mut self.named[attribute], self.row_number) == self.row_number {
                return Err((start, Problem::DuplicateIndex));
            }
            let value = cursor.word(|c| c == ',' || c == '}')?;
            if let Role::Feature(feature) = self.roles[attribute] {
                self.listed.push(feature as u32);
            }
            self.cell(attribute, &value, line, number, mistakes);
            if cursor.take(',') {
                cursor.skip_space();
            } else if !cursor.rest().starts_with('}') {
                return Err((open, Problem::OpenBrace));
            }
        }
        cursor.skip_space();
        self.store();
        match cursor.rest() {
            "" => Ok(()),
            _ => Err((cursor.at(), Problem::OpenBrace)),
        }
    }

    /// Collects the features of a sparse row that are not 0.
    fn store(&mut self) {
        let (columns, cells) = &mut self.stored;
        columns.clear();
        columns.extend(self.listed.iter().chain(&self.absent_listed));
        columns.sort_unstable();
        columns.dedup();
        cells.clear();
        cells.extend(columns.iter().map(|&column| self.row.features[column as usize]));
    }

    /// Stores one cell.
    fn cell(
        &mut self,
        attribute: usize,
        word: &Word<'_>,
        line: &str,
        number: u64,
        mistakes: &mut Mistakes,
    ) {
        let mut slip = |text: &str, problem| {
            mistakes.push_at(number, || column(line, word.start), text, problem);
        };
        let name = &self.header.attributes[attribute].name;
        match self.roles[attribute] {
            Role::Feature(feature) if word.is_missing() => self.row.features[feature] = f32::NAN,
            Role::Feature(feature) => {
                let read = match &self.places[feature] {
                    None => cell::number(&word.text, name),
                    Some(places) => places
                        .find(&word.text)
                        .ok_or_else(|| Problem::UnknownValue { column: name.clone() }),
                };
                match read {
                    Ok(value) => self.row.features[feature] = value,
                    Err(problem) => slip(&word.text, problem),
                }
            }
            Role::Ignored | Role::Joined => {}
            Role::Identifier(identifier) => {
                let value = (!word.is_missing()).then(|| word.text.clone().into_owned());
                self.row.identifiers[identifier] = value;
            }
            Role::Label(id) if word.is_missing() => self.row.labels[id.index()] = None,
            Role::Label(id) => match label(&word.text) {
                Some(has) => self.row.labels[id.index()] = Some(has),
                None => slip(&word.text, Problem::NotALabel { label: name.clone() }),
            },
            Role::Hierarchy => {
                let hierarchy = self.header.hierarchy_at(self.hierarchy);
                let Some(hierarchy) = hierarchy.filter(|_| !word.is_missing()) else {
                    return;
                };
                for class in word.text.split('@').map(str::trim) {
                    match hierarchy.find(class) {
                        Some(class) => self.row.classes.push(class),
                        None if class.is_empty() && word.text.is_empty() => {}
                        None => slip(class, Problem::UnknownClass),
                    }
                }
            }
        }
    }
}

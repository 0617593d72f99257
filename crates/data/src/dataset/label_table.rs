//! A long table of labels: one line for each pair of an id and a label.
//!
//! Fields are separated by tabs, or by commas in a `.csv` file. A first line is a header if its first
//! field is the name of the id column or looks like one (`id`, `protein_id`, `EntryID`), or its second field is what
//! labels are called (`label`, `class`, `term`, `GO ID`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rulebound_core::{LabelId, Labels, Program};

use super::complaint::{Mistakes, Problem, ReadNote};
use super::error::DatasetError;
use super::identifier::looks_like_id;
use super::labels::matrix::LabelMatrix;
use super::set::Dataset;
use rulebound_io::input::{Fallback, Lines, inner_name};
use rulebound_io::table::read_record;

/// The pairs of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LabelTable {
    path: PathBuf,
    /// The ids of each label.
    ids: BTreeMap<String, Vec<String>>,
}

impl LabelTable {
    /// Reads the pairs; `id_column` is the name of the ids in the data.
    pub(super) fn read(path: &Path, id_column: &str) -> Result<Self, DatasetError> {
        let delimiter = if inner_name(path).ends_with(".csv") { b',' } else { b'\t' };
        let mut lines = Lines::open(path, Fallback::None)?;
        let mut mistakes = Mistakes::default();
        let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut is_first = true;
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next(&mut mistakes)? else { break };
            if line.trim().is_empty() {
                continue;
            }
            let Some(fields) = read_record(&line, delimiter) else {
                mistakes.push(number, 1, "\"", Problem::OpenQuote);
                continue;
            };
            let was_first = std::mem::replace(&mut is_first, false);
            match &fields[..] {
                [id, label] if was_first && is_header(id, label, id_column) => {}
                [id, label] if !id.is_empty() && !label.is_empty() => {
                    ids.entry(label.clone()).or_default().push(id.clone());
                }
                [_, _] => mistakes.push(number, 1, &line, Problem::NotAnAnnotation),
                fields => {
                    let problem = Problem::NotTwoFields { found: fields.len() };
                    mistakes.push(number, 1, &fields.join(" "), problem);
                }
            }
        }
        DatasetError::expect_none(path, mistakes)?;
        Ok(Self { path: path.to_path_buf(), ids })
    }

    /// The data with the labels of its rows, which are found by an identifier; the classes are in the
    /// order of their names.
    pub(super) fn join(self, mut data: Dataset, id_column: &str) -> Result<Dataset, DatasetError> {
        let found = data.identifiers().iter().find(|identifier| identifier.name == id_column);
        let Some(identifier) = found else {
            let (path, name) = (data.name().into(), id_column.to_owned());
            return Err(DatasetError::NoColumn { path, name });
        };
        let mut rows_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (row, value) in identifier.values.iter().enumerate() {
            if let Some(value) = value {
                rows_of.entry(value).or_default().push(row);
            }
        }
        let wrong = |source| DatasetError::Labels { path: self.path.clone(), source };
        let classes = Labels::new(self.ids.keys().cloned()).map_err(wrong)?;
        let mut labels = LabelMatrix::new(classes.len());
        (0..data.rows()).for_each(|_| {
            labels.push_row();
        });
        let mut unknown: HashSet<&str> = HashSet::new();
        let mut has_labels = vec![false; data.rows()];
        for (class, ids) in self.ids.values().enumerate() {
            for id in ids {
                let Some(rows) = rows_of.get(id.as_str()) else {
                    unknown.insert(id);
                    continue;
                };
                for &row in rows {
                    labels.insert(row, LabelId::new(class));
                    has_labels[row] = true;
                }
            }
        }
        if self.ids.is_empty() {
            return Err(DatasetError::NoLabelInTable { path: self.path });
        }
        if !has_labels.contains(&true) {
            let first = |ids: &mut dyn Iterator<Item = &String>| ids.take(3).cloned().collect();
            let theirs = first(&mut self.ids.values().flatten());
            let ours = first(&mut identifier.values.iter().flatten());
            let (data, column) = (data.name.clone(), id_column.to_owned());
            return Err(DatasetError::NothingJoined {
                path: self.path,
                data,
                column,
                theirs,
                ours,
            });
        }
        let without = has_labels.iter().filter(|has| !**has).count();
        if unknown.len() + without > 0 {
            let (path, unknown) = (self.path.clone(), unknown.len());
            data.notes.push(ReadNote::LabelTable { path, unknown, without });
        }
        data.labels = labels;
        data.evaluated = vec![true; classes.len()];
        data.program = Program::new(classes, Vec::new())?;
        Ok(data)
    }
}

fn is_header(id: &str, label: &str, id_column: &str) -> bool {
    let word = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let names_ids = |id: &str| {
        matches!(
            id,
            "entry" | "entryid" | "protein" | "proteinid" | "accession" | "gene" | "geneid"
        )
    };
    let names_labels = |label: &str| {
        let one = label.strip_suffix('s').unwrap_or(label);
        matches!(
            one,
            "label"
                | "class"
                | "classe"
                | "term"
                | "termid"
                | "category"
                | "goid"
                | "goterm"
                | "go"
        )
    };
    id == id_column || looks_like_id(id) || names_ids(&word(id)) || names_labels(&word(label))
}

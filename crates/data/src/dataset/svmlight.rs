//! svmlight and libsvm with several labels: `1,3 5:0.2 7:1 # comment`.
//!
//! Labels come first, separated by commas; a line may have none, and then starts with a space or
//! its first feature. Features that are not listed are 0. Classes are in numeric order, or in the
//! order of their names if one is not a number. Features are named by their numbers in the file.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use rulebound_core::{LabelId, Labels};

use super::builder::{DatasetBuilder, MOST_COLUMNS};
use super::cell;
use super::column::Column;
use super::error::DatasetError;
use super::labels::matrix::LabelMatrix;
use super::mistake::{Mistakes, Problem};
use super::not_a_dataset::NotADataset;
use super::set::Dataset;
use super::split::SplitFile;
use rulebound_io::input::{Fallback, Lines};
use rulebound_io::storage::{Storage, StoredVec};

/// The number of the first feature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexBase {
    /// Detected: 0 if feature 0 occurs anywhere, 1 otherwise.
    #[default]
    Detect,
    /// 0, as scikit-learn may write.
    Zero,
    /// 1, as the authors of the formats defined it.
    One,
}

/// The contents of the files, feature by feature.
struct Sparse {
    numbers: StoredVec<u32>,
    values: StoredVec<f32>,
    cell_ends: StoredVec<usize>,
    /// The cells of the current line.
    line: Vec<(u32, f32)>,
    /// The least and the largest number of a feature.
    least: Option<u32>,
    most: Option<u32>,
    names: Vec<String>,
    ids: HashMap<String, u32>,
    labels: Vec<u32>,
    label_ends: Vec<usize>,
}

/// Reads the files of a data set.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    base: IndexBase,
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let mut sparse = Sparse::new(storage)?;
    let mut ends = Vec::new();
    for file in files {
        sparse.read(file, base)?;
        ends.push(sparse.cell_ends.len());
    }
    let first = match base {
        IndexBase::Zero => 0,
        IndexBase::One => 1,
        IndexBase::Detect => u32::from(sparse.least != Some(0)),
    };
    let Some(last) = sparse.most else {
        let (path, reason) = (files[0].path.clone(), NotADataset::NoFeature);
        return Err(DatasetError::NotADataset { path, reason });
    };
    let width = (last + 1 - first) as usize;
    let columns = (0..width).map(|place| Column::numeric((place + first as usize).to_string()));
    let (classes, order) = sparse.classes(&files[0])?;
    let builder = DatasetBuilder::new(name, columns.collect(), vec![], classes.len())?;
    let mut builder = builder.stored_in(storage);
    let mut row = 0;
    let mut places = Vec::new();
    for (file, end) in files.iter().zip(ends) {
        builder.begin(file.split)?;
        while row < end {
            let ends = sparse.cell_ends.part(row.saturating_sub(1)..row + 1);
            let cells = part(ends, row.min(1));
            places.clear();
            places.extend(sparse.numbers.part(cells.clone()).iter().map(|number| number - first));
            let built = builder.push_sparse(&places, sparse.values.part(cells), &[])?;
            let labels: &mut LabelMatrix = builder.labels_mut();
            for &label in &sparse.labels[part(&sparse.label_ends, row)] {
                labels.insert(built, order[label as usize]);
            }
            row += 1;
        }
    }
    // Its files go before rows are copied once more.
    drop(sparse);
    builder.finish_without_rules(classes)
}

fn part(ends: &[usize], row: usize) -> Range<usize> {
    row.checked_sub(1).map_or(0, |before| ends[before])..ends[row]
}

impl Sparse {
    fn new(storage: &Storage) -> Result<Self, DatasetError> {
        Ok(Self {
            numbers: StoredVec::new(storage)?,
            values: StoredVec::new(storage)?,
            cell_ends: StoredVec::new(storage)?,
            line: Vec::new(),
            least: None,
            most: None,
            names: Vec::new(),
            ids: HashMap::new(),
            labels: Vec::new(),
            label_ends: Vec::new(),
        })
    }

    fn read(&mut self, file: &SplitFile, base: IndexBase) -> Result<(), DatasetError> {
        let mut lines = Lines::open(&file.path, Fallback::None)?;
        let mut mistakes = Mistakes::default();
        let first = u32::from(base == IndexBase::One);
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next(&mut mistakes)? else {
                break;
            };
            let text = line.split('#').next().unwrap_or_default();
            if text.trim().is_empty() {
                continue;
            }
            let begun = self.labels.len();
            self.line.clear();
            let labels = read_line(text, number, first, &mut self.line, &mut mistakes);
            for label in labels.split(',').filter(|label| !label.is_empty()) {
                let id = self.label(label);
                self.labels.push(id);
            }
            if mistakes.is_empty() {
                self.keep_line()?;
            } else {
                // There will be no data set; do not grow it.
                self.labels.truncate(begun);
            }
        }
        DatasetError::expect_none(lines.path(), mistakes)
    }

    /// Adds the cells of the line, whose labels are there already.
    fn keep_line(&mut self) -> Result<(), DatasetError> {
        for &(number, value) in &self.line {
            self.numbers.try_push(number)?;
            self.values.try_push(value)?;
        }
        if let (Some((first, _)), Some((last, _))) = (self.line.first(), self.line.last()) {
            self.least = Some(self.least.map_or(*first, |least| least.min(*first)));
            self.most = self.most.max(Some(*last));
        }
        self.cell_ends.try_push(self.numbers.len())?;
        self.label_ends.push(self.labels.len());
        Ok(())
    }

    fn label(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.ids.insert(name.to_owned(), id);
        self.names.push(name.to_owned());
        id
    }

    /// The classes in order, and the class of each label in order of first occurrence.
    fn classes(&self, file: &SplitFile) -> Result<(Labels, Vec<LabelId>), DatasetError> {
        let numbers: Option<Vec<f64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        let mut met: Vec<usize> = (0..self.names.len()).collect();
        match numbers {
            Some(numbers) => met.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b])),
            None => met.sort_by_key(|&label| &self.names[label]),
        }
        let mut order = vec![LabelId::new(0); met.len()];
        for (place, &label) in met.iter().enumerate() {
            order[label] = LabelId::new(place);
        }
        let classes = Labels::new(met.iter().map(|&label| self.names[label].clone()));
        let path = file.path.clone();
        Ok((classes.map_err(|source| DatasetError::Labels { path, source })?, order))
    }
}

/// Adds the features of a line (without its comment) to `cells` in the order of their numbers,
/// which are at least `first`, and returns the labels, separated by commas. Mistakes are added to
/// `mistakes`.
pub(super) fn read_line<'a>(
    text: &'a str,
    line: u64,
    first: u32,
    cells: &mut Vec<(u32, f32)>,
    mistakes: &mut Mistakes,
) -> &'a str {
    let column = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        text[..start].chars().count() + 1
    };
    let begun = cells.len();
    let mut words = text.split_ascii_whitespace().peekable();
    let has_labels = !text.starts_with(|c: char| c.is_ascii_whitespace());
    let labels = words.next_if(|word| has_labels && !word.contains(':')).unwrap_or_default();
    for word in words {
        let Some((index, value)) = word.split_once(':') else {
            mistakes.push_at(line, || column(word), word, Problem::NotAPair);
            continue;
        };
        if index == "qid" {
            continue;
        }
        let most = MOST_COLUMNS as u32 - 1;
        let index = index.parse().ok().filter(|index| (first..=most).contains(index));
        let Some(index) = index else {
            let (first, last) = (first as usize, most as usize);
            mistakes.push_at(line, || column(word), word, Problem::BadIndex { first, last });
            continue;
        };
        match cell::number(value, &index.to_string()) {
            Ok(value) => cells.push((index, value)),
            Err(problem) => mistakes.push_at(line, || column(value), value, problem),
        }
    }
    let row = &mut cells[begun..];
    if !row.is_sorted_by(|one, other| one.0 < other.0) {
        row.sort_by_key(|cell| cell.0);
        if let Some(twice) = row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let index = twice[0].0;
            let is_it = |word: &&str| {
                word.split_once(':').is_some_and(|(number, _)| number.parse() == Ok(index))
            };
            let word = text.split_ascii_whitespace().filter(is_it).nth(1).unwrap_or(text);
            mistakes.push_at(line, || column(word), &index.to_string(), Problem::DuplicateIndex);
        }
    }
    labels
}

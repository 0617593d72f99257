//! svmlight and libsvm with several labels: `1,3 5:0.2 7:1 # comment`.
//!
//! Labels come first, separated by commas; a line may have none, and then starts with a space or
//! its first feature. Features that are not listed are 0. Classes are in numeric order, or in the
//! order of their names if one is not a number. Features are named by their numbers in the file.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::builder::{DatasetBuilder, MOST_COLUMNS};
use super::cell;
use super::column::Column;
use super::complaint::{Mistakes, NotADataset, Problem};
use super::error::DatasetError;
use super::file_rows::FileRows;
use super::labels::matrix::LabelMatrix;
use super::labels::named::{ClassOrder, NamedLabels};
use super::set::Dataset;
use super::split::SplitFile;
use rulebound_io::features::FeatureRow;
use rulebound_io::input::{Fallback, Lines};
use rulebound_io::storage::Storage;

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

/// The rows of a file, one by one.
pub(super) struct SvmlightRows {
    lines: Lines,
    /// The smallest number a feature may have.
    first: u32,
    wanted: Wanted,
    /// The features of the line, by number.
    line: Vec<(u32, f32)>,
    labels: String,
    places: Vec<u32>,
    values: Vec<f32>,
    width: usize,
}

/// The features that are read.
pub(super) enum Wanted {
    /// All: the columns are the numbers from 0 to the largest. The smallest so far.
    All(Option<u32>),
    /// Those with these numbers, which are columns.
    These(HashMap<u32, usize>),
}

impl SvmlightRows {
    pub(super) fn open(path: &Path, first: u32, wanted: Wanted) -> Result<Self, DatasetError> {
        Ok(Self {
            lines: Lines::open(path, Fallback::None)?,
            first,
            wanted,
            line: Vec::new(),
            labels: String::new(),
            places: Vec::new(),
            values: Vec::new(),
            width: 0,
        })
    }
}

impl FileRows for SvmlightRows {
    fn advance(
        &mut self,
        columns: &mut Vec<Column>,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        loop {
            let number = self.lines.number() + 1;
            let Some(line) = self.lines.next(mistakes)? else {
                return Ok(false);
            };
            let text = line.split('#').next().unwrap_or_default();
            if text.trim().is_empty() {
                continue;
            }
            self.line.clear();
            self.labels.clear();
            self.labels += read_line(text, number, self.first, &mut self.line, mistakes);
            break;
        }
        match &mut self.wanted {
            Wanted::All(least) => {
                if let (Some((first, _)), Some((last, _))) = (self.line.first(), self.line.last()) {
                    *least = Some(least.map_or(*first, |least| least.min(*first)));
                    let more = columns.len()..*last as usize + 1;
                    columns.extend(more.map(|number| Column::numeric(number.to_string())));
                }
            }
            Wanted::These(places) => {
                self.line.retain_mut(|(number, _)| match places.get(number) {
                    Some(&place) => {
                        *number = place as u32;
                        true
                    }
                    None => false,
                });
                self.line.sort_unstable_by_key(|(place, _)| *place);
            }
        }
        self.places.clear();
        self.places.extend(self.line.iter().map(|(place, _)| place));
        self.values.clear();
        self.values.extend(self.line.iter().map(|(_, value)| value));
        self.width = columns.len();
        Ok(true)
    }

    fn features(&self) -> FeatureRow<'_> {
        FeatureRow::Sparse { columns: &self.places, values: &self.values, width: self.width }
    }

    fn label(&mut self, _: usize, _: &mut LabelMatrix, named: &mut NamedLabels) {
        named.push_row(self.labels.split(',').filter(|label| !label.is_empty()));
    }
}

/// Reads the files of a data set.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    base: IndexBase,
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let mut builder = DatasetBuilder::new(name, vec![], vec![], 0)?.stored_in(storage);
    let mut has_zero = base == IndexBase::Zero;
    for file in files {
        builder.begin(file.split)?;
        let first = u32::from(base == IndexBase::One);
        let mut rows = SvmlightRows::open(&file.path, first, Wanted::All(None))?;
        builder.fill(&mut rows, &file.path)?;
        has_zero |= matches!(rows.wanted, Wanted::All(Some(0)));
    }
    if builder.columns().is_empty() {
        let (path, reason) = (files[0].path.clone(), NotADataset::NoFeature);
        return Err(DatasetError::NotADataset { path, reason });
    }
    let classes = builder.settle_names(ClassOrder::Numbers, &files[0].path)?;
    if !has_zero {
        builder.remove_first_column();
    }
    builder.finish_without_rules(classes)
}

/// Adds the features of a line (without its comment) to `cells` in the order of their numbers,
/// which are at least `first`, and returns the labels, separated by commas. Mistakes are added to
/// `mistakes`.
fn read_line<'a>(
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

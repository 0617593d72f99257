//! How to split a data set: enough to compute the same splits again.

use serde::{Deserialize, Serialize};

use super::super::error::DatasetError;
use super::super::set::Dataset;
use super::super::split::Split;
use super::dealing::deal;
use super::error::SplitError;
use super::units::Units;

/// How to split a data set into training, validation and test rows.
///
/// Shares are of all rows, rounded to whole rows, and at least one. Rows are drawn from the training
/// rows.
///
/// ```
/// use rulebound_data::dataset::{Builtin, Split, SplitRecipe, Step};
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 0)?;
/// let recipe = SplitRecipe { valid_share: Some(0.1), ..SplitRecipe::default() };
/// let data = recipe.apply(data)?;
/// assert_eq!(data.split(Split::Valid).map(|rows| rows.len()), Some(500));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SplitRecipe {
    /// The share of the rows to test on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_share: Option<f64>,
    /// The share of the rows to validate on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_share: Option<f64>,
    /// A column whose values are the names of splits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_column: Option<String>,
    /// A column whose equal values keep rows together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_column: Option<String>,
    /// Whether classes are spread evenly.
    pub stratify: bool,
    /// The seed of the draw.
    pub seed: u64,
}

impl Default for SplitRecipe {
    fn default() -> Self {
        Self {
            test_share: None,
            valid_share: None,
            split_column: None,
            group_column: None,
            stratify: true,
            seed: 0,
        }
    }
}

impl SplitRecipe {
    /// Whether it leaves the splits of the source as they are.
    pub fn is_none(&self) -> bool {
        self.test_share.is_none() && self.valid_share.is_none() && self.split_column.is_none()
    }

    /// Whether it draws rows.
    pub fn draws(&self) -> bool {
        self.test_share.is_some() || self.valid_share.is_some()
    }

    /// The columns that it needs; they are not features.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.split_column.iter().chain(&self.group_column)
    }

    /// Splits the data set.
    ///
    /// # Errors
    /// As [`assign`](Self::assign).
    pub fn apply(&self, data: Dataset) -> Result<Dataset, DatasetError> {
        if self.is_none() {
            return Ok(data);
        }
        let splits = self.assign(&data)?;
        data.reordered(&splits)
    }

    /// Makes validation rows of this share of the training rows; groups, stratification and seed are
    /// those of the recipe.
    ///
    /// # Errors
    /// As [`assign`](Self::assign).
    pub fn hold_out(&self, data: Dataset, share: f64) -> Result<Dataset, DatasetError> {
        let train = data.split(Split::Train).unwrap_or_default().len();
        let recipe = Self {
            test_share: None,
            valid_share: Some(share * train as f64 / data.rows().max(1) as f64),
            split_column: None,
            ..self.clone()
        };
        recipe.apply(data)
    }

    /// The split of each row.
    ///
    /// # Errors
    /// If a share is invalid, the data set already has such rows, a column is missing or names no
    /// split, or there are too few rows or groups; see [`SplitError`].
    pub fn assign(&self, data: &Dataset) -> Result<Vec<Split>, SplitError> {
        let shares = [(Split::Valid, self.valid_share), (Split::Test, self.test_share)];
        let mut total = 0.0;
        for (split, share) in shares.into_iter().filter_map(|(split, share)| Some((split, share?)))
        {
            if !(share > 0.0 && share < 1.0) {
                return Err(SplitError::BadShare { split, share });
            }
            total += share;
        }
        if total >= 1.0 {
            return Err(SplitError::SharesTooLarge { total });
        }
        let mut splits = match &self.split_column {
            Some(column) => named_splits(data, column)?,
            None => own_splits(data),
        };
        let name = || data.name().to_owned();
        for (split, _) in shares.into_iter().filter(|(_, share)| share.is_some()) {
            let rows = splits.iter().filter(|found| **found == split).count();
            if rows > 0 {
                return Err(SplitError::Exists { name: name(), split, rows });
            }
        }
        if self.test_share.is_some() || self.valid_share.is_some() {
            self.draw(data, &mut splits)?;
        }
        Ok(splits)
    }

    /// Draws validation and test rows from the training rows.
    fn draw(&self, data: &Dataset, splits: &mut [Split]) -> Result<(), SplitError> {
        let train = splits.iter().enumerate().filter(|(_, split)| **split == Split::Train);
        let train: Vec<usize> = train.map(|(row, _)| row).collect();
        let units = Units::new(data, train.iter().copied(), self.group_column.as_deref())?;
        let size = |share: f64| ((data.rows() as f64 * share).round() as usize).max(1);
        let (valid, test) = (self.valid_share.map_or(0, size), self.test_share.map_or(0, size));
        let parts = 1 + usize::from(valid > 0) + usize::from(test > 0);
        let count = units.rows.len();
        let too_few = SplitError::TooFew { count, what: units.what(), parts };
        if valid + test >= train.len() || count < parts {
            return Err(too_few);
        }
        let sizes = [train.len() - valid - test, valid, test];
        let dealt = deal(&units, self.stratify.then(|| data.labels()), &sizes, self.seed);
        for (rows, &part) in units.rows.iter().zip(&dealt) {
            rows.iter().for_each(|&row| splits[row] = Split::ALL[part]);
        }
        let is_filled = |part: usize| sizes[part] == 0 || dealt.contains(&part);
        if (0..sizes.len()).all(is_filled) { Ok(()) } else { Err(too_few) }
    }
}

/// The splits that a column names.
fn named_splits(data: &Dataset, column: &str) -> Result<Vec<Split>, SplitError> {
    let (name, column) = (data.name().to_owned(), column.to_owned());
    let found = data.identifiers().iter().find(|identifier| identifier.name == column);
    let Some(identifier) = found else {
        return Err(SplitError::NoColumn { name, column });
    };
    if data.splits().any(|(split, rows)| split != Split::Train && !rows.is_empty()) {
        return Err(SplitError::SplitsExist { name, column });
    }
    let values = identifier.values.iter().enumerate();
    let split = |(row, value): (usize, &Option<String>)| {
        let text = value.as_deref().unwrap_or_default();
        Split::from_word(&text.trim().to_lowercase()).ok_or_else(|| SplitError::NotASplit {
            row: row + 1,
            column: column.clone(),
            text: text.to_owned(),
        })
    };
    values.map(split).collect()
}

/// The splits as they are.
fn own_splits(data: &Dataset) -> Vec<Split> {
    let mut splits = vec![Split::Train; data.rows()];
    for (split, rows) in data.splits() {
        splits[rows].fill(split);
    }
    splits
}

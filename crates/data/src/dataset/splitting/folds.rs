//! Folds: parts of equal size, each of which is predicted by a model that was fitted on the others.

use super::super::error::DatasetError;
use super::super::set::Dataset;
use super::super::split::Split;
use super::dealing::deal;
use super::error::SplitError;
use super::recipe::SplitRecipe;
use super::units::Units;

/// The most folds.
const MOST: usize = 1000;

/// The fold of each training and validation row of a data set; test rows are in none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folds {
    count: usize,
    fold_of: Vec<Option<usize>>,
}

impl Folds {
    /// Deals the rows that are not test rows to `count` folds; seed, stratification and groups are
    /// those of the recipe.
    ///
    /// # Errors
    /// If there are fewer rows (or groups) than folds, or the group column is missing.
    pub fn deal(data: &Dataset, count: usize, recipe: &SplitRecipe) -> Result<Self, SplitError> {
        if !(2..=MOST).contains(&count) {
            return Err(SplitError::BadFolds(count));
        }
        let test = data.split(Split::Test).unwrap_or_default();
        let rows: Vec<usize> = (0..data.rows()).filter(|row| !test.contains(row)).collect();
        let units = Units::new(data, rows.iter().copied(), recipe.group_column.as_deref())?;
        let found = units.rows.len();
        let too_few = SplitError::TooFew { count: found, what: units.what(), parts: count };
        if found < count {
            return Err(too_few);
        }
        let size = |fold: usize| (fold + 1) * rows.len() / count - fold * rows.len() / count;
        let sizes: Vec<usize> = (0..count).map(size).collect();
        let dealt = deal(&units, recipe.stratify.then(|| data.labels()), &sizes, recipe.seed);
        let mut fold_of = vec![None; data.rows()];
        for (rows, &fold) in units.rows.iter().zip(&dealt) {
            rows.iter().for_each(|&row| fold_of[row] = Some(fold));
        }
        if (0..count).any(|fold| !dealt.contains(&fold)) {
            return Err(too_few);
        }
        Ok(Self { count, fold_of })
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of a row, from 0; none for a test row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn fold_of(&self, row: usize) -> Option<usize> {
        self.fold_of[row]
    }

    /// The rows of a fold, in order.
    pub fn rows(&self, fold: usize) -> impl Iterator<Item = usize> + '_ {
        let rows = self.fold_of.iter().enumerate();
        rows.filter(move |(_, found)| **found == Some(fold)).map(|(row, _)| row)
    }

    /// The data of a fit: the fold is its test rows, the other folds are its training rows. The test
    /// rows of the data itself are left out.
    ///
    /// # Errors
    /// If there is no room for the rows.
    ///
    /// # Panics
    /// If the folds are those of another data set.
    pub fn data(&self, data: &Dataset, fold: usize) -> Result<Dataset, DatasetError> {
        let split = |found: &Option<usize>| {
            found.map(|found| if found == fold { Split::Test } else { Split::Train })
        };
        let splits: Vec<Option<Split>> = self.fold_of.iter().map(split).collect();
        data.selected(&splits)
    }
}

//! Features made ready for a model: one-hot, mean imputation, standardisation, fitted once.
//!
//! A nominal column becomes one column a value (all zeros where the value is missing or unknown),
//! except that `{0,1}` is a number already and stays one column. A missing number becomes the
//! mean. Then every column is brought to mean 0 and deviation 1, over all fitted rows; one that is
//! constant there becomes 0 everywhere. Invariant: nothing but the rows given to
//! [`Pipeline::fit`] has a say in it. Sums are taken in 64 bits.

mod encoder;
mod sums;

use serde::{Deserialize, Serialize};

use self::sums::{Reading, Sums, share_scale};
use super::column::Column;
use super::set::Dataset;

pub use self::encoder::Encoder;

/// How one encoded column is brought to mean 0 and deviation 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scale {
    /// The mean of the fitted rows, which a missing number becomes.
    pub mean: f64,
    /// Their deviation (dividing by their number); 0 for a constant column.
    pub deviation: f64,
}

impl Scale {
    fn apply(self, value: f64) -> f32 {
        if self.deviation == 0.0 || value.is_nan() {
            return 0.0;
        }
        ((value - self.mean) / self.deviation) as f32
    }
}

/// What was learned of one column.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "encoding")]
pub enum FittedColumn {
    /// A number, or a nominal column of `0` and `1`.
    Number {
        /// The name of the column.
        name: String,
        /// Its scale.
        scale: Scale,
    },
    /// A nominal column, one encoded column a value.
    OneHot {
        /// The name of the column.
        name: String,
        /// Its values.
        values: Vec<String>,
        /// The scale of each.
        scales: Vec<Scale>,
    },
}

impl FittedColumn {
    /// The name of the column.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::OneHot { name, .. } => name,
        }
    }

    /// How many encoded columns it makes.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::OneHot { values, .. } => values.len(),
        }
    }
}

/// Why features cannot be prepared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PipelineError {
    /// There is nothing to fit on.
    #[error("there are no rows to fit the preprocessing on")]
    NoRows,
    /// Columns that were there when the pipeline was fitted are not there now.
    #[error("{} missing: `{}`", columns(names.len()), names.join("`, `"))]
    MissingColumns {
        /// Their names.
        names: Vec<String>,
    },
    /// Columns hold names where there were numbers, or the other way round.
    #[error("{} of another kind than when fitted: `{}`", columns(names.len()), names.join("`, `"))]
    WrongKind {
        /// Their names.
        names: Vec<String>,
    },
}

fn columns(count: usize) -> String {
    if count == 1 { "1 column is".to_owned() } else { format!("{count} columns are") }
}

/// Preprocessing as it was fitted.
///
/// ```
/// use rulebound::dataset::{Builtin, Pipeline, Split, Step};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 7)?;
/// let train = data.split(Split::Train).unwrap();
/// let pipeline = Pipeline::fit(&data, train)?;
/// let inputs = pipeline.transform(&data, data.split(Split::Test).unwrap())?;
/// assert_eq!(inputs.len(), 2500 * pipeline.width());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pipeline {
    columns: Vec<FittedColumn>,
}

impl Pipeline {
    /// Fits the features of `data` on these rows and no others.
    ///
    /// # Errors
    /// [`PipelineError::NoRows`].
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn fit(
        data: &Dataset,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> Result<Self, PipelineError> {
        let readings: Vec<Reading> = data.columns().iter().map(Reading::of).collect();
        let mut sums: Vec<Sums> = data.columns().iter().map(Sums::new).collect();
        let mut count = 0;
        for row in rows.clone() {
            count += 1;
            for ((sums, reading), &cell) in sums.iter_mut().zip(&readings).zip(data.features(row)) {
                sums.add(reading, cell);
            }
        }
        if count == 0 {
            return Err(PipelineError::NoRows);
        }
        for row in rows {
            for ((sums, reading), &cell) in sums.iter_mut().zip(&readings).zip(data.features(row)) {
                sums.add_square(reading, cell);
            }
        }
        let fitted = data.columns().iter().zip(readings).zip(sums);
        let fitted = fitted.map(|((column, reading), sums)| match reading {
            Reading::Number | Reading::Indicator(_) => {
                FittedColumn::Number { name: column.name.clone(), scale: sums.scale(count) }
            }
            Reading::Value => FittedColumn::OneHot {
                name: column.name.clone(),
                values: column.values().unwrap_or_default().to_vec(),
                scales: sums.counts.iter().map(|&ones| share_scale(ones, count)).collect(),
            },
        });
        Ok(Self { columns: fitted.collect() })
    }

    /// What cannot be in a pipeline that was fitted; nothing if all is well. For one that was read
    /// from a file.
    pub fn mistake(&self) -> Option<String> {
        self.columns.iter().find_map(|column| {
            let (name, scales) = match column {
                FittedColumn::Number { name, scale } => (name, std::slice::from_ref(scale)),
                FittedColumn::OneHot { name, values, scales } if values.len() == scales.len() => {
                    (name, &scales[..])
                }
                FittedColumn::OneHot { name, values, scales } => {
                    let (values, scales) = (values.len(), scales.len());
                    return Some(format!("`{name}` has {values} values and {scales} scales"));
                }
            };
            let sound = |scale: &Scale| scale.mean.is_finite() && scale.deviation.is_finite();
            (!scales.iter().all(sound)).then(|| format!("`{name}` has no scale"))
        })
    }

    /// What was learned, column by column.
    pub fn columns(&self) -> &[FittedColumn] {
        &self.columns
    }

    /// How many encoded columns there are.
    pub fn width(&self) -> usize {
        self.columns.iter().map(FittedColumn::width).sum()
    }

    /// The names of the encoded columns; those of a nominal column are `name=value`.
    pub fn encoded_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.width());
        for column in &self.columns {
            match column {
                FittedColumn::Number { name, .. } => names.push(name.clone()),
                FittedColumn::OneHot { name, values, .. } => {
                    names.extend(values.iter().map(|value| format!("{name}={value}")));
                }
            }
        }
        names
    }

    /// Finds the fitted columns among `columns`, by name; others are ignored.
    ///
    /// # Errors
    /// When fitted columns are missing, or are of another kind now; all of them are named.
    pub fn encoder(&self, columns: &[Column]) -> Result<Encoder<'_>, PipelineError> {
        Encoder::bind(self, columns)
    }

    /// The rows of a data set, encoded, row-major.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn transform(
        &self,
        data: &Dataset,
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<f32>, PipelineError> {
        let encoder = self.encoder(data.columns())?;
        let rows = rows.into_iter();
        let mut encoded = Vec::with_capacity(rows.size_hint().0 * encoder.width());
        for row in rows {
            let start = encoded.len();
            encoded.resize(start + encoder.width(), 0.0);
            encoder.encode(data.features(row), &mut encoded[start..]);
        }
        Ok(encoded)
    }
}

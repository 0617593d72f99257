//! Features prepared for a model: one-hot encoding, mean imputation, standardization, fitted once.
//!
//! A nominal column becomes one column per value (all zeros if the value is missing or unknown),
//! except that `{0,1}` is already a number and stays one column. A missing number becomes the mean.
//! Then every column is [scaled](Scaling): to mean 0 and standard deviation 1 over all fitted rows
//! unless something else is requested or the features are sparse; a constant column becomes 0
//! everywhere. Invariant: the result depends only on the rows given to
//! [`Pipeline::fit`]. Sums are computed in 64 bits.

mod encoder;
mod error;
mod range;
mod scale;
mod sums;
mod unusual;

use serde::{Deserialize, Serialize};

use self::sums::{CellKind, Sums};
use super::column::Column;
use super::set::Dataset;
use rulebound_io::features::{FeatureMatrix, FeatureRow};

pub use self::encoder::Encoder;
pub use self::error::PipelineError;
pub use self::range::FittedRange;
pub use self::scale::{Scale, Scaling};
pub(super) use self::unusual::UnusualCounts;
pub use self::unusual::{OutOfRange, Unseen, UnusualCells};

/// The fitted preprocessing of one column.
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
    /// A nominal column, with one encoded column per value.
    OneHot {
        /// The name of the column.
        name: String,
        /// Its values.
        values: Vec<String>,
        /// The scale of each.
        scales: Vec<Scale>,
    },
    /// A column as it is: missing cells are NaN, and those of a nominal column are the codes of
    /// its values.
    Untouched {
        /// The name of the column.
        name: String,
        /// The values of a nominal column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        values: Option<Vec<String>>,
    },
}

impl FittedColumn {
    /// The name of the column.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. }
            | Self::OneHot { name, .. }
            | Self::Untouched { name, .. } => name,
        }
    }

    /// How many encoded columns it becomes.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Untouched { .. } => 1,
            Self::OneHot { values, .. } => values.len(),
        }
    }
}

/// Fitted preprocessing.
///
/// ```
/// use rulebound_data::dataset::{Builtin, Pipeline, Split, Step};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 7)?;
/// let train = data.split(Split::Train).unwrap();
/// let pipeline = Pipeline::fit(&data, train)?;
/// let inputs = pipeline.transform(&data, data.split(Split::Test).unwrap())?;
/// assert_eq!(inputs.len(), 2500 * pipeline.width());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pipeline {
    columns: Vec<FittedColumn>,
    /// Of each column, unless it is of words or has no number; empty where they were not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ranges: Vec<Option<FittedRange>>,
}

/// Whether they encode in the same way; the ranges do not take part in that.
impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

impl Pipeline {
    /// Fits the preprocessing on these rows of `data` and no others, with standard scaling; sparse
    /// features are not centred ([`Scaling::Scale`]).
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
        Self::fit_scaled(data, rows, Scaling::default_for(data.feature_matrix()))
    }

    /// As [`fit`](Self::fit), scaled as requested.
    ///
    /// # Errors
    /// [`PipelineError::NoRows`], and [`PipelineError::CentredSparse`] for standard scaling of
    /// sparse features.
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn fit_scaled(
        data: &Dataset,
        rows: impl Iterator<Item = usize> + Clone,
        scaling: Scaling,
    ) -> Result<Self, PipelineError> {
        let kinds: Vec<CellKind> = data.columns().iter().map(CellKind::new).collect();
        let mut sums: Vec<Sums> = data.columns().iter().map(Sums::new).collect();
        let is_sparse = data.feature_matrix().is_sparse();
        let mut listed = vec![0; if is_sparse { kinds.len() } else { 0 }];
        let mut count = 0;
        for row in rows.clone() {
            count += 1;
            match data.features(row) {
                FeatureRow::Dense(cells) => {
                    for ((sums, kind), &cell) in sums.iter_mut().zip(&kinds).zip(cells) {
                        sums.add(kind, cell);
                    }
                }
                sparse => sparse.stored().for_each(|(column, cell)| {
                    listed[column] += 1;
                    sums[column].add(&kinds[column], cell);
                }),
            }
        }
        if count == 0 {
            return Err(PipelineError::NoRows);
        }
        if is_sparse && scaling == Scaling::Standard {
            return Err(PipelineError::centred(data.feature_matrix(), count));
        }
        for ((sums, kind), listed) in sums.iter_mut().zip(&kinds).zip(listed) {
            sums.add_times(kind, 0.0, count - listed);
        }
        let ranges = sums.iter().map(Sums::range).collect();
        if scaling == Scaling::Untouched {
            return Ok(Self { ranges, ..Self::untouched(data.columns()) });
        }
        for row in rows {
            match data.features(row) {
                FeatureRow::Dense(cells) => {
                    for ((sums, kind), &cell) in sums.iter_mut().zip(&kinds).zip(cells) {
                        sums.add_square(kind, cell, scaling);
                    }
                }
                sparse => sparse.stored().for_each(|(column, cell)| {
                    sums[column].add_square(&kinds[column], cell, scaling);
                }),
            }
        }
        let fitted = data.columns().iter().zip(kinds).zip(sums);
        let fitted = fitted.map(|((column, kind), sums)| match kind {
            CellKind::Number | CellKind::Indicator(_) => FittedColumn::Number {
                name: column.name.clone(),
                scale: sums.scale(&kind, count, scaling, is_sparse),
            },
            CellKind::Value => FittedColumn::OneHot {
                name: column.name.clone(),
                values: column.values().unwrap_or_default().to_vec(),
                scales: sums.value_scales(count, scaling),
            },
        });
        Ok(Self { columns: fitted.collect(), ranges })
    }

    /// Columns as they are.
    fn untouched(columns: &[Column]) -> Self {
        let untouched = |column: &Column| FittedColumn::Untouched {
            name: column.name.clone(),
            values: column.values().map(<[String]>::to_vec),
        };
        Self { columns: columns.iter().map(untouched).collect(), ranges: Vec::new() }
    }

    /// Columns of numbers as they are, also those of `0` and `1`; a missing number stays NaN.
    pub fn numbers(names: impl IntoIterator<Item = String>) -> Self {
        let scale = Scale { mean: f64::NAN, deviation: 1.0, offset: Some(0.0) };
        let column = |name| FittedColumn::Number { name, scale };
        Self { columns: names.into_iter().map(column).collect(), ranges: Vec::new() }
    }

    /// For each encoded column the number of values that its codes stand for; 0 for a number.
    pub fn value_counts(&self) -> Vec<u32> {
        let mut counts = Vec::with_capacity(self.width());
        for column in &self.columns {
            let count = match column {
                FittedColumn::Untouched { values: Some(values), .. } => values.len() as u32,
                _ => 0,
            };
            counts.resize(counts.len() + column.width(), count);
        }
        counts
    }

    /// What is not valid in a pipeline that was read from a file; `None` if it is valid.
    pub fn mistake(&self) -> Option<String> {
        let known = self.ranges.iter().flatten();
        let fits = self.ranges.is_empty() || self.ranges.len() == self.columns.len();
        if !fits || !known.copied().all(FittedRange::is_sound) {
            return Some("the ranges of its columns are not valid".to_owned());
        }
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
                FittedColumn::Untouched { .. } => return None,
            };
            (!scales.iter().all(Scale::is_sound)).then(|| format!("`{name}` has no valid scale"))
        })
    }

    /// The fitted columns.
    pub fn columns(&self) -> &[FittedColumn] {
        &self.columns
    }

    /// The numbers that each column had in fitting; none for columns of words, and where they were not
    /// kept.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Option<FittedRange>> + '_ {
        (0..self.columns.len()).map(|column| self.ranges.get(column).copied().flatten())
    }

    /// What is unusual about some rows of a data set.
    ///
    /// ```
    /// use rulebound_data::dataset::Dataset;
    /// use rulebound_data::dataset::Pipeline;
    /// let rules: rulebound_core::Program = "cat -> animal".parse()?;
    /// let y = [[true, true], [false, true]];
    /// let celsius = Dataset::from_rows(&[[36.5], [39.5]], &y, rules.clone())?;
    /// let fahrenheit = Dataset::from_rows(&[[97.7], [103.1]], &y, rules)?;
    /// let pipeline = Pipeline::fit(&celsius, 0..2)?;
    /// assert_eq!(pipeline.unusual(&celsius, 0..2)?.out_of_range_rows, 0);
    /// let found = pipeline.unusual(&fahrenheit, 0..2)?;
    /// assert_eq!((found.out_of_range_rows, found.out_of_range[0].cells), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn unusual(
        &self,
        data: &Dataset,
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<UnusualCells, PipelineError> {
        let encoder = self.encoder(data.columns())?;
        let mut counts = UnusualCounts::default();
        rows.into_iter().for_each(|row| encoder.count_unusual(data.features(row), &mut counts));
        Ok(encoder.unusual(&counts))
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
                FittedColumn::Number { name, .. } | FittedColumn::Untouched { name, .. } => {
                    names.push(name.clone());
                }
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
    /// If fitted columns are missing or of a different kind; the error names all of them.
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

    /// The rows of a data set, encoded; sparse if those of the data set are, and the encoding
    /// leaves most zeros as they are.
    ///
    /// They are kept where those of the data set are.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder), and if there is no room for them.
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn encoded(
        &self,
        data: &Dataset,
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<FeatureMatrix, PipelineError> {
        let encoder = self.encoder(data.columns())?;
        let features = data.feature_matrix();
        let sparse = features.is_sparse() && encoder.keeps_zeros();
        let mut encoded = FeatureMatrix::stored_in(&features.storage(), encoder.width(), sparse)?;
        let rows = rows.into_iter();
        match &mut encoded {
            FeatureMatrix::Dense { cells, width, rows: count } => {
                cells.try_reserve(rows.size_hint().0 * *width)?;
                for row in rows {
                    cells.try_reserve(*width)?;
                    encoder.encode(data.features(row), cells.extend_zeroed(*width));
                    *count += 1;
                }
            }
            FeatureMatrix::Sparse(sparse) => {
                let mut listed = Vec::new();
                for row in rows {
                    encoder.encode_sparse(data.features(row), &mut listed);
                    sparse.try_push(listed.iter().copied())?;
                }
            }
        }
        encoded.shrink_to_fit();
        Ok(encoded)
    }
}

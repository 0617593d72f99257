//! Features made ready for a model: one-hot, mean imputation, standardisation, fitted once.
//!
//! A nominal column becomes one column a value (all zeros where the value is missing or unknown),
//! except that `{0,1}` is a number already and stays one column. A missing number becomes the
//! mean. Then every column is brought to mean 0 and deviation 1, over all fitted rows; one that is
//! constant there becomes 0 everywhere. Invariant: nothing but the rows given to
//! [`Pipeline::fit`] has a say in it. Sums are taken in 64 bits.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::column::Column;
use super::set::Dataset;

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

/// Sums over the fitted rows of one cell column.
#[derive(Clone, Debug)]
struct Sums {
    known: usize,
    sum: f64,
    squares: f64,
    low: f64,
    high: f64,
    counts: Vec<usize>,
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
        let places: HashMap<&str, usize> =
            columns.iter().enumerate().map(|(place, c)| (c.name.as_str(), place)).collect();
        let mut missing = Vec::new();
        let mut wrong = Vec::new();
        let mut steps = Vec::with_capacity(self.columns.len());
        for fitted in &self.columns {
            let Some(&place) = places.get(fitted.name()) else {
                missing.push(fitted.name().to_owned());
                continue;
            };
            match fitted.bind(&columns[place]) {
                Some(meaning) => steps.push(EncoderStep { fitted, place, meaning }),
                None => wrong.push(fitted.name().to_owned()),
            }
        }
        if !missing.is_empty() {
            return Err(PipelineError::MissingColumns { names: missing });
        }
        if !wrong.is_empty() {
            return Err(PipelineError::WrongKind { names: wrong });
        }
        Ok(Encoder { steps, width: self.width() })
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
        let mut encoded = Vec::with_capacity(rows.size_hint().0 * encoder.width);
        for row in rows {
            let start = encoded.len();
            encoded.resize(start + encoder.width, 0.0);
            encoder.encode(data.features(row), &mut encoded[start..]);
        }
        Ok(encoded)
    }
}

/// A pipeline bound to the columns of some data.
#[derive(Clone, Debug)]
pub struct Encoder<'a> {
    steps: Vec<EncoderStep<'a>>,
    width: usize,
}

#[derive(Clone, Debug)]
struct EncoderStep<'a> {
    fitted: &'a FittedColumn,
    place: usize,
    meaning: Meaning,
}

/// What the cells of a column mean to the fitted one.
#[derive(Clone, Debug)]
enum Meaning {
    Number,
    /// A place in the list is this number.
    Numbers([f64; 2]),
    /// A place in the list is this fitted value, if any.
    Values(Vec<Option<usize>>),
}

impl FittedColumn {
    fn bind(&self, column: &Column) -> Option<Meaning> {
        match (self, column.values()) {
            (Self::Number { .. }, None) => Some(Meaning::Number),
            (Self::Number { .. }, Some(_)) => match Reading::of(column) {
                Reading::Indicator(numbers) => Some(Meaning::Numbers(numbers)),
                _ => None,
            },
            (Self::OneHot { .. }, None) => None,
            (Self::OneHot { values: fitted, .. }, Some(values)) => {
                let places: HashMap<&str, usize> =
                    fitted.iter().enumerate().map(|(place, v)| (v.as_str(), place)).collect();
                let values = values.iter().map(|value| places.get(value.as_str()).copied());
                Some(Meaning::Values(values.collect()))
            }
        }
    }
}

impl Encoder<'_> {
    /// How many cells an encoded row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Encodes one row.
    ///
    /// # Panics
    /// If `out` has not [`width`](Self::width) places, or `cells` not one a column.
    pub fn encode(&self, cells: &[f32], out: &mut [f32]) {
        assert_eq!(out.len(), self.width);
        let mut at = 0;
        for step in &self.steps {
            let cell = cells[step.place];
            match (step.fitted, &step.meaning) {
                (FittedColumn::OneHot { scales, .. }, Meaning::Values(values)) => {
                    let hot = values.get(cell as usize).filter(|_| !cell.is_nan()).copied();
                    let hot = hot.flatten();
                    for (place, scale) in scales.iter().enumerate() {
                        out[at + place] = scale.apply(f64::from(u8::from(hot == Some(place))));
                    }
                    at += scales.len();
                }
                (FittedColumn::Number { scale, .. }, Meaning::Numbers(numbers))
                    if !cell.is_nan() =>
                {
                    out[at] = scale.apply(numbers[cell as usize]);
                    at += 1;
                }
                (FittedColumn::Number { scale, .. }, _) => {
                    out[at] = scale.apply(f64::from(cell));
                    at += 1;
                }
                (FittedColumn::OneHot { .. }, _) => {}
            }
        }
    }
}

/// How the cells of a column are read when fitting.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Number,
    Indicator([f64; 2]),
    Value,
}

impl Reading {
    fn of(column: &Column) -> Self {
        match column.values() {
            None => Self::Number,
            Some([first, _]) if column.is_indicator() => {
                Self::Indicator(if first == "1" { [1.0, 0.0] } else { [0.0, 1.0] })
            }
            Some(_) => Self::Value,
        }
    }

    /// The number a known cell stands for.
    fn number(self, cell: f32) -> f64 {
        match self {
            Self::Indicator(numbers) => numbers[cell as usize],
            Self::Number | Self::Value => f64::from(cell),
        }
    }
}

impl Sums {
    fn new(column: &Column) -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let counts = vec![0; column.values().map_or(0, <[String]>::len)];
        Self { known: 0, sum: 0.0, squares: 0.0, low, high, counts }
    }

    fn add(&mut self, reading: &Reading, cell: f32) {
        if cell.is_nan() {
            return;
        }
        if let Reading::Value = reading {
            self.counts[cell as usize] += 1;
            return;
        }
        let number = reading.number(cell);
        self.known += 1;
        self.sum += number;
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }

    fn mean(&self) -> f64 {
        self.sum / self.known.max(1) as f64
    }

    fn add_square(&mut self, reading: &Reading, cell: f32) {
        if !cell.is_nan() && !matches!(reading, Reading::Value) {
            self.squares += (reading.number(cell) - self.mean()).powi(2);
        }
    }

    /// The scale; a missing number, being the mean, counts without deviating.
    fn scale(&self, rows: usize) -> Scale {
        let is_constant = self.known == 0 || self.low == self.high;
        let deviation = if is_constant { 0.0 } else { (self.squares / rows as f64).sqrt() };
        Scale { mean: self.mean(), deviation }
    }
}

/// The scale of a column that is 1 in `ones` of `rows` rows and 0 elsewhere.
fn share_scale(ones: usize, rows: usize) -> Scale {
    let mean = ones as f64 / rows as f64;
    Scale { mean, deviation: (mean * (1.0 - mean)).sqrt() }
}

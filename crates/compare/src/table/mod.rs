//! Tables of results: values by data set, method and metric.
//!
//! A table with a column `method` (or `model`) has one row per value, and one without has one
//! column per method:
//!
//! | columns | a value is |
//! |---|---|
//! | `set,method,metric,value` | in `value`; `metric` may be absent |
//! | `set,method,auprc,one_error,…` | in the column named after the metric |
//! | `set,A,B,…` | in the column of its method; a column `metric` may be among them |
//!
//! `dataset` is a synonym of `set`. Several values of the same data set, method and metric (one per
//! seed) are averaged. Columns with other names are ignored, unless they are methods. A cell that
//! is empty, `-` or `NA` has no value.
//!
//! Invariant: every value in a [`ResultTable`] is finite, and a file with a mistake adds nothing.

mod error;
mod header;
mod lines;

pub use error::{Mistake, Mistakes, Problem, ResultTableError};

use std::io::Cursor;
use std::path::Path;

use super::metric_name::MetricName;
use super::scores::{ChooseError, Scores};
use header::Layout;
use rulebound_io::input::{Bytes, decode_text};

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// Results from any number of files.
///
/// ```
/// use rulebound_compare::ResultTable;
/// let text = "set,method,seed,metric,value\nyeast,A,0,auprc,0.5\nyeast,A,1,auprc,0.7\n";
/// let mut table = ResultTable::default();
/// table.add("results.csv".as_ref(), text.as_bytes(), None)?;
/// let scores = table.choose(None)?;
/// assert_eq!(scores.values, [[Some(0.6)]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ResultTable {
    metrics: Vec<MetricName>,
    sets: Names,
    methods: Names,
    cells: Vec<Cell>,
}

/// One value, or the absence of one.
#[derive(Clone, Copy, Debug)]
struct Cell {
    metric: Option<usize>,
    set: usize,
    method: usize,
    value: Option<f64>,
}

/// Names in order of first appearance.
#[derive(Clone, Debug, Default)]
struct Names {
    list: Vec<String>,
    places: std::collections::HashMap<String, usize>,
}

impl Names {
    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.places.insert(name.to_owned(), self.list.len());
        self.list.push(name.to_owned());
        self.list.len() - 1
    }
}

impl ResultTable {
    /// Reads a file; `-` is CSV on standard input. If the columns are named after metrics, `wanted`
    /// selects the one to read.
    ///
    /// # Errors
    /// If it cannot be read, or with all its mistakes.
    pub fn read(
        &mut self,
        path: &Path,
        wanted: Option<&MetricName>,
    ) -> Result<(), ResultTableError> {
        self.add_from(Bytes::open(path)?, wanted)
    }

    /// Like [`read`](Self::read), given the content of the file, which may be compressed with gzip.
    ///
    /// # Errors
    /// If it is not text, or with all its mistakes.
    pub fn add(
        &mut self,
        path: &Path,
        bytes: &[u8],
        wanted: Option<&MetricName>,
    ) -> Result<(), ResultTableError> {
        self.add_from(Bytes::new(path, Box::new(Cursor::new(bytes.to_vec())))?, wanted)
    }

    fn add_from(
        &mut self,
        bytes: Bytes,
        wanted: Option<&MetricName>,
    ) -> Result<(), ResultTableError> {
        let path = bytes.path().to_path_buf();
        if bytes.begins_with(PARQUET) {
            return Err(ResultTableError::Parquet { path });
        }
        let text = decode_text(bytes)?;
        let mut lines = lines::lines(&path, &text);
        let Some((line, names)) = lines.next() else {
            return Err(ResultTableError::NoHeader { path });
        };
        let mut mistakes = Mistakes::default();
        let broken = |mistakes| ResultTableError::Broken { path: path.clone(), mistakes };
        let Some(layout) = Layout::new(line, &names, wanted, &mut mistakes) else {
            return Err(broken(mistakes));
        };
        let mut rows = Vec::new();
        for (line, fields) in lines {
            layout.read(line, &fields, &mut rows, &mut mistakes);
        }
        if !mistakes.is_empty() {
            return Err(broken(mistakes));
        }
        for row in rows {
            let metric = row.metric.map(|name| self.metric(&MetricName::new(&name)));
            let (set, method) = (self.sets.place(&row.set), self.methods.place(&row.method));
            self.cells.push(Cell { metric, set, method, value: row.value });
        }
        Ok(())
    }

    fn metric(&mut self, metric: &MetricName) -> usize {
        let known = self.metrics.iter().position(|known| known == metric);
        known.unwrap_or_else(|| {
            self.metrics.push(metric.clone());
            self.metrics.len() - 1
        })
    }

    /// The values of one metric; a value without a metric name belongs to any.
    ///
    /// # Errors
    /// If there are several metrics and none is requested, or no value of the requested one.
    pub fn choose(&self, wanted: Option<&MetricName>) -> Result<Scores, ChooseError> {
        let names = || self.metrics.iter().map(|metric| metric.name().to_owned()).collect();
        let chosen = match (wanted, &self.metrics[..]) {
            (Some(wanted), known) => known.iter().position(|metric| metric == wanted),
            (None, []) => None,
            (None, [_]) => Some(0),
            (None, _) => return Err(ChooseError::ManyMetrics { metrics: names() }),
        };
        let of = |cell: &&Cell| cell.metric.is_none() || cell.metric == chosen;
        let cells: Vec<&Cell> = self.cells.iter().filter(of).collect();
        if cells.iter().all(|cell| cell.value.is_none()) {
            return Err(match wanted {
                Some(wanted) if !self.metrics.is_empty() => {
                    ChooseError::NoSuchMetric { wanted: wanted.name().to_owned(), metrics: names() }
                }
                _ => ChooseError::NoValues,
            });
        }
        let metric = wanted.cloned().or_else(|| chosen.map(|at| self.metrics[at].clone()));
        // Data sets and methods without a row of this metric are left out.
        let (mut sets, mut methods) = (Names::default(), Names::default());
        for cell in &cells {
            sets.place(&self.sets.list[cell.set]);
            methods.place(&self.methods.list[cell.method]);
        }
        let mut sums = vec![vec![(0.0_f64, 0_usize); methods.list.len()]; sets.list.len()];
        for cell in cells {
            let set = sets.place(&self.sets.list[cell.set]);
            let method = methods.place(&self.methods.list[cell.method]);
            if let Some(value) = cell.value {
                let (sum, count) = &mut sums[set][method];
                *sum += value;
                *count += 1;
            }
        }
        let mean = |&(sum, count): &(f64, usize)| {
            // The sum of huge values may overflow even though the mean is finite.
            (count > 0).then(|| (sum / count as f64).clamp(f64::MIN, f64::MAX))
        };
        let values = sums.iter().map(|row| row.iter().map(mean).collect()).collect();
        Ok(Scores { metric, sets: sets.list, methods: methods.list, values })
    }
}

#[cfg(test)]
mod tests;

//! The values printed in the paper: the tables of its experiments, unchanged.
//!
//! Rows are data sets, columns are systems. The paper's own are called `CCN(h)`, `h+` and `h+CM`.
//! It does not print a standard deviation per data set, only their range: 0.0005 to 0.0026 on the
//! hierarchies, up to 0.008 on the others.

mod published;
mod ranks;

pub use published::Published;

use std::collections::HashMap;
use std::sync::LazyLock;

use rulebound::train::Method;
use rulebound_core::metrics::Metric;

/// A table of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrintedTable {
    /// AU(PRC) of five systems on 20 hierarchies.
    Hmc,
    /// AU(PRC) of three variants on the FunCat sets.
    HmcAblation,
    /// Six metrics of five systems on 16 sets.
    Lcmc,
    /// Six metrics of three variants on the same sets.
    LcmcAblation,
}

/// Runs of one system on one problem, as summarised in the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PrintedRuns {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// Minimum, median and maximum.
    pub range: [f64; 3],
}

type Values = HashMap<(Metric, String, String), f64>;

/// The tables by metric, set and system, and the epochs of the ablation.
static VALUES: LazyLock<[Values; 5]> = LazyLock::new(|| {
    let texts = PrintedTable::ALL.map(PrintedTable::text);
    let [hmc, hmc_ablation, lcmc, lcmc_ablation] = texts.map(values);
    [hmc, hmc_ablation, lcmc, lcmc_ablation, values(EPOCHS)]
});

const EPOCHS: &str = include_str!("hmc_ablation_epochs.csv");

impl PrintedTable {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Hmc, Self::HmcAblation, Self::Lcmc, Self::LcmcAblation];

    /// The table as CSV.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Hmc => include_str!("hmc_auprc.csv"),
            Self::HmcAblation => include_str!("hmc_ablation.csv"),
            Self::Lcmc => include_str!("lcmc_metrics.csv"),
            Self::LcmcAblation => include_str!("lcmc_ablation.csv"),
        }
    }

    /// The systems, in the order of the columns.
    pub fn systems(self) -> Vec<&'static str> {
        let header = self.text().lines().next().unwrap_or_default();
        header.split(',').filter(|name| !["metric", "dataset"].contains(name)).collect()
    }

    /// The value in the table for a data set, a system and a metric.
    ///
    /// ```
    /// use rulebound_core::metrics::Metric;
    /// use rulebound_reproduction::PrintedTable;
    /// assert_eq!(PrintedTable::Hmc.value("diatoms", "CCN(h)", Metric::Auprc), Some(0.758));
    /// assert_eq!(PrintedTable::Hmc.value("diatoms", "HMC-LMLP", Metric::Auprc), None);
    /// ```
    pub fn value(self, set: &str, system: &str, metric: Metric) -> Option<f64> {
        let key = (metric, of_paper(set), system.to_owned());
        VALUES[self as usize].get(&key).copied()
    }
}

/// The paper's name for a method; `None` if it is in none of its tables.
pub fn system(method: Method) -> Option<&'static str> {
    match method {
        Method::Ccn => Some("CCN(h)"),
        Method::Post => Some("h+"),
        Method::Cm => Some("h+CM"),
        _ => None,
    }
}

/// The average number of epochs after which training stopped in the ablation on the FunCat sets.
pub fn ablation_epochs(set: &str, method: Method) -> Option<usize> {
    let key = (Metric::Auprc, of_paper(set), system(method)?.to_owned());
    VALUES[4].get(&key).map(|&epochs| epochs as usize)
}

/// AU(PRC) of ten runs on the nine rectangles.
pub fn nine_rectangles(method: Method) -> Option<PrintedRuns> {
    match method {
        Method::Ccn => {
            Some(PrintedRuns { mean: 0.974, deviation: 0.007, range: [0.964, 0.975, 0.990] })
        }
        Method::Cm => {
            Some(PrintedRuns { mean: 0.938, deviation: 0.038, range: [0.871, 0.945, 0.990] })
        }
        _ => None,
    }
}

/// The fraction of the points in A1 for which the prediction on A is delegated to A1, with R1
/// separate from R2, overlapping it, and inside it.
pub const DELEGATED: [(u8, f64); 3] = [(1, 1.0), (5, 0.85), (9, 0.0)];

/// The paper uses the name `enron` for two data sets.
fn of_paper(set: &str) -> String {
    if set == "enron_corr" { "enron".to_owned() } else { set.to_owned() }
}

fn values(text: &str) -> Values {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let mut values = Values::new();
    for line in lines {
        let cell = |name| {
            let at = header.iter().position(|column| *column == name);
            at.and_then(|at| line.get(at).copied())
        };
        let metric = cell("metric").map_or(Some(Metric::Auprc), Metric::from_spelling);
        let Some(metric) = metric else { continue };
        let set = cell("dataset").unwrap_or_default();
        for (system, value) in header.iter().zip(&line) {
            if let Ok(value) = value.parse() {
                values.insert((metric, set.to_owned(), (*system).to_owned()), value);
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_whole() {
        let sizes = VALUES.each_ref().map(HashMap::len);
        // Four sets lack HMC-LMLP.
        assert_eq!(sizes, [5 * 20 - 4, 3 * 8, 6 * 5 * 16, 6 * 3 * 16, 3 * 8]);
        let value = |table: PrintedTable, set, system, metric| table.value(set, system, metric);
        assert_eq!(value(PrintedTable::Hmc, "enron_corr", "CCN(h)", Metric::Auprc), Some(0.756));
        assert_eq!(value(PrintedTable::Lcmc, "enron", "BR", Metric::OneError), Some(0.299));
        assert_eq!(ablation_epochs("expr_FUN", Method::Post), Some(39));
        assert_eq!(PrintedTable::Lcmc.systems(), ["CCN(h)", "CAMEL", "ECC", "BR", "RAKEL"]);
    }
}

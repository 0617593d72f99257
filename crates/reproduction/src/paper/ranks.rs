//! The average ranks that the paper prints.

use super::PrintedTable;
use rulebound_core::metrics::Metric;

/// A metric, and the ranks of the systems in the order of the table's columns.
type Ranks = (Metric, &'static [f64]);

/// CCN(h), HMC-LMLP, Clus-Ens, HMCN-R, HMCN-F.
const HMC: [Ranks; 1] = [(Metric::Auprc, &[1.25, 5.0, 3.93, 2.93, 1.90])];

/// CCN(h), CAMEL, ECC, BR, RAKEL.
const LCMC: [Ranks; 6] = [
    (Metric::AveragePrecision, &[1.43, 2.31, 3.34, 3.56, 4.34]),
    (Metric::CoverageError, &[1.25, 2.41, 3.60, 3.78, 3.94]),
    (Metric::HammingLoss, &[1.28, 2.38, 3.38, 3.69, 4.09]),
    (Metric::MultilabelAccuracy, &[1.53, 3.53, 3.09, 3.38, 3.47]),
    (Metric::OneError, &[1.44, 2.22, 3.50, 3.56, 4.28]),
    (Metric::RankingLoss, &[1.25, 2.22, 3.44, 3.69, 4.31]),
];

/// CCN(h), h+, h+CM.
const HMC_ABLATION: [Ranks; 1] = [(Metric::Auprc, &[1.0, 2.94, 2.06])];

/// CCN(h), h+, h+CM.
const LCMC_ABLATION: [Ranks; 6] = [
    (Metric::AveragePrecision, &[1.41, 2.34, 2.25]),
    (Metric::CoverageError, &[1.38, 2.41, 2.22]),
    (Metric::HammingLoss, &[1.47, 2.38, 2.16]),
    (Metric::MultilabelAccuracy, &[1.63, 1.75, 2.63]),
    (Metric::OneError, &[1.47, 2.38, 2.16]),
    (Metric::RankingLoss, &[1.31, 2.31, 2.38]),
];

impl PrintedTable {
    /// The average rank printed for a system.
    ///
    /// ```
    /// use rulebound_core::metrics::Metric;
    /// use rulebound_reproduction::PrintedTable;
    /// assert_eq!(PrintedTable::Hmc.rank("HMCN-F", Metric::Auprc), Some(1.90));
    /// ```
    pub fn rank(self, system: &str, metric: Metric) -> Option<f64> {
        let ranks: &[Ranks] = match self {
            Self::Hmc => &HMC,
            Self::Lcmc => &LCMC,
            Self::HmcAblation => &HMC_ABLATION,
            Self::LcmcAblation => &LCMC_ABLATION,
        };
        let (_, ranks) = ranks.iter().find(|(printed, _)| *printed == metric)?;
        ranks.get(self.systems().iter().position(|name| *name == system)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_its_rank() {
        for table in PrintedTable::ALL {
            for system in table.systems() {
                let metric =
                    if table.text().contains("metric") { Metric::OneError } else { Metric::Auprc };
                assert!(table.rank(system, metric).is_some(), "{table:?} {system}");
            }
        }
        assert_eq!(PrintedTable::Lcmc.rank("ECC", Metric::CoverageError), Some(3.60));
        assert_eq!(PrintedTable::Lcmc.rank("ECC", Metric::Auprc), None);
    }
}

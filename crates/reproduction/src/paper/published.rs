//! The best AU(PRC) published for each hierarchy, by whomever, as far as it is comparable: the same
//! files, rows and classes. Ours is not among them.
//!
//! DHN is *When Constraints Go Both Ways: Dynamic Hierarchical Multi-label Classification Networks*
//! (values of its repository, April 2026); gradient boosting is the one-vs-rest model in the draft
//! of hmc-torch (2026); C-HMCNN(h) and HMCN-F are those of the paper's table.

use super::of_paper;

const TEXT: &str = include_str!("hmc_published.csv");

/// What is published for a hierarchy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Published {
    /// The mean of ten networks of DHN.
    pub dhn: f64,
    /// The best value.
    pub best: f64,
    /// Whose it is.
    pub source: &'static str,
    /// A higher value that is doubtful: far above all other systems.
    pub doubtful: Option<f64>,
}

impl Published {
    /// What is published for a data set; none for one that is not a hierarchy of the paper.
    ///
    /// ```
    /// use rulebound_reproduction::paper::Published;
    /// let seq = Published::find("seq_FUN").expect("one of the twenty");
    /// assert_eq!((seq.best, seq.source), (0.307, "gradient boosting"));
    /// ```
    pub fn find(set: &str) -> Option<Self> {
        let name = of_paper(set);
        let line = TEXT.lines().skip(1).find(|line| line.split(',').next() == Some(&name))?;
        let cells: Vec<&'static str> = line.split(',').collect();
        let [_, dhn, best, source, doubtful] = cells[..] else { return None };
        let doubtful = doubtful.parse().ok();
        Some(Self { dhn: dhn.parse().ok()?, best: best.parse().ok()?, source, doubtful })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PrintedTable;
    use rulebound_core::metrics::Metric;

    #[test]
    fn every_hierarchy_has_a_best_value() {
        let printed = PrintedTable::Hmc;
        let sets = printed.text().lines().skip(1).filter_map(|line| line.split(',').next());
        let sets: Vec<&str> = sets.collect();
        assert_eq!((sets.len(), TEXT.lines().count()), (20, 21));
        for set in sets {
            let found = Published::find(set).unwrap();
            assert!(found.best >= found.dhn, "{set}");
            // No printed system is above it, but for the doubtful ones.
            let systems = printed.systems();
            let values = systems.iter().filter_map(|name| printed.value(set, name, Metric::Auprc));
            let most = values.fold(0.0, f64::max);
            assert!(most <= found.doubtful.unwrap_or(found.best), "{set}");
        }
        assert_eq!(Published::find("gasch2_GO").unwrap().doubtful, Some(0.465));
        assert_eq!(Published::find("enron_corr").unwrap().best, 0.764);
        assert_eq!(Published::find("yeast"), None);
    }
}

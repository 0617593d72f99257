//! The identity of a metric: its name in files, its title, which values are better, and other
//! spellings of its name.
//!
//! This is the only list of metrics: the JSON of an evaluation, the columns of results, tables and
//! comparisons are made from [`Metric::ALL`].

/// Which values of a metric are better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Direction {
    /// Higher values are better.
    Higher,
    /// Lower values are better.
    Lower,
}

crate::named_enum! {
    /// One of the metrics of this crate. Its name is the key in JSON and the column in tables.
    ///
    /// ```
    /// use rulebound_core::metrics::{Direction, Metric};
    /// assert_eq!(Metric::HammingLoss.name(), "hamming_loss");
    /// assert_eq!(Metric::HammingLoss.title(), "Hamming loss");
    /// assert_eq!(Metric::HammingLoss.direction(), Direction::Lower);
    /// ```
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Metric: "a metric" {
        /// See [`auprc`](super::auprc()).
        Auprc = "auprc",
        /// See [`average_precision`](super::average_precision()).
        AveragePrecision = "average_precision",
        /// See [`coverage_error`](super::coverage_error()).
        CoverageError = "coverage_error",
        /// See [`hamming_loss`](super::hamming_loss()).
        HammingLoss = "hamming_loss",
        /// See [`multilabel_accuracy`](super::multilabel_accuracy()).
        MultilabelAccuracy = "multilabel_accuracy",
        /// See [`one_error`](super::one_error()).
        OneError = "one_error",
        /// See [`ranking_loss`](super::ranking_loss()).
        RankingLoss = "ranking_loss",
        /// See [`micro_f1`](super::micro_f1()).
        MicroF1 = "micro_f1",
        /// See [`macro_f1`](super::macro_f1()).
        MacroF1 = "macro_f1",
        /// See [`macro_auprc`](super::macro_auprc()).
        MacroAuprc = "macro_auprc",
    }
}

impl Metric {
    /// The metric as people write it: `AU(PRC)`, `Hamming loss`.
    pub const fn title(self) -> &'static str {
        self.description().0
    }

    /// Which values are better.
    pub const fn direction(self) -> Direction {
        self.description().1
    }

    /// The metric of a name in any usual spelling; differences in case, spaces and punctuation do
    /// not matter.
    ///
    /// ```
    /// use rulebound_core::metrics::Metric;
    /// assert_eq!(Metric::from_spelling("Multi-label accuracy"), Some(Metric::MultilabelAccuracy));
    /// assert_eq!(Metric::from_spelling("LRAP"), Some(Metric::AveragePrecision));
    /// assert_eq!(Metric::from_spelling("beauty"), None);
    /// ```
    pub fn from_spelling(name: &str) -> Option<Self> {
        let key = letters_and_digits(name);
        Self::ALL.into_iter().find(|metric| {
            let (title, _, others) = metric.description();
            let mut spellings = [metric.name(), title].into_iter().chain(others.iter().copied());
            spellings.any(|spelling| letters_and_digits(spelling) == key)
        })
    }

    /// Title, direction, and spellings other than the name and the title.
    const fn description(self) -> (&'static str, Direction, &'static [&'static str]) {
        use Direction::{Higher, Lower};
        match self {
            Self::Auprc => {
                ("AU(PRC)", Higher, &["micro AU(PRC)", "area under precision-recall curve"])
            }
            Self::AveragePrecision => {
                ("average precision", Higher, &["label ranking average precision", "LRAP"])
            }
            Self::CoverageError => ("coverage error", Lower, &["coverage"]),
            Self::HammingLoss => ("Hamming loss", Lower, &["Hamming"]),
            Self::MultilabelAccuracy => ("multi-label accuracy", Higher, &["micro Jaccard"]),
            Self::OneError => ("one-error", Lower, &[]),
            Self::RankingLoss => ("ranking loss", Lower, &["label ranking loss"]),
            Self::MicroF1 => ("micro F1", Higher, &["F1 micro"]),
            Self::MacroF1 => ("macro F1", Higher, &["F1 macro"]),
            Self::MacroAuprc => ("macro AU(PRC)", Higher, &["AUPRC macro"]),
        }
    }
}

fn letters_and_digits(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(feature = "serde")]
impl serde::Serialize for Metric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_metrics_share_a_spelling() {
        let mut seen = HashSet::new();
        for metric in Metric::ALL {
            let (title, _, others) = metric.description();
            let own: HashSet<String> = [metric.name(), title]
                .iter()
                .chain(others)
                .map(|spelling| letters_and_digits(spelling))
                .collect();
            for spelling in own {
                assert_eq!(Metric::from_spelling(&spelling), Some(metric), "{spelling}");
                assert!(seen.insert(spelling));
            }
        }
        assert_eq!(Metric::from_spelling(""), None);
    }
}

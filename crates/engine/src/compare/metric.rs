//! Names of metrics, however they are spelled, and which way is better.

use std::fmt;

use serde::Serialize;

/// Which values of a metric are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The more the better.
    Higher,
    /// The less the better.
    Lower,
}

/// The metrics of [`rulebound_core::metrics`], and other spellings without what is no letter or
/// digit.
const KNOWN: [(&str, Direction, &[&str]); 10] = [
    ("auprc", Direction::Higher, &["microauprc", "areaunderprecisionrecallcurve"]),
    ("average_precision", Direction::Higher, &["labelrankingaverageprecision", "lrap"]),
    ("coverage_error", Direction::Lower, &["coverage"]),
    ("hamming_loss", Direction::Lower, &["hamming"]),
    ("multilabel_accuracy", Direction::Higher, &["microjaccard"]),
    ("one_error", Direction::Lower, &[]),
    ("ranking_loss", Direction::Lower, &["labelrankingloss"]),
    ("micro_f1", Direction::Higher, &["f1micro"]),
    ("macro_f1", Direction::Higher, &["f1macro"]),
    ("macro_auprc", Direction::Higher, &["auprcmacro"]),
];

/// The name of a metric. Names that differ only in case, spaces and signs are the same, so
/// `Multi-label accuracy` is `multilabel_accuracy` and `AU(PRC)` is `auprc`.
///
/// ```
/// use rulebound::compare::{Direction, Metric};
/// let metric = Metric::new("Hamming loss");
/// assert_eq!((metric.name(), metric.direction()), ("hamming_loss", Some(Direction::Lower)));
/// assert_eq!(Metric::new("beauty").direction(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Metric {
    name: String,
    key: String,
}

impl Metric {
    /// The metric of a name; one of ours gets our spelling.
    pub fn new(name: &str) -> Self {
        let key = key(name);
        let known = KNOWN.iter().find(|(own, _, others)| {
            key == self::key(own) || others.iter().any(|other| key == *other)
        });
        match known {
            Some((own, ..)) => Self { name: (*own).to_owned(), key: self::key(own) },
            // A name of signs alone is still a name.
            None if key.is_empty() => Self { name: name.to_owned(), key: name.to_owned() },
            None => Self { name: name.to_owned(), key },
        }
    }

    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which way is better, if it is one of ours.
    pub fn direction(&self) -> Option<Direction> {
        KNOWN.iter().find(|(own, ..)| *own == self.name).map(|(_, direction, _)| *direction)
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Metric {}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_of_the_paper_are_ours() {
        let spelled = [
            ("Average precision", "average_precision", Direction::Higher),
            ("coverage error", "coverage_error", Direction::Lower),
            ("Hamming loss", "hamming_loss", Direction::Lower),
            ("Multi-label accuracy", "multilabel_accuracy", Direction::Higher),
            ("one-error", "one_error", Direction::Lower),
            ("ranking loss", "ranking_loss", Direction::Lower),
            ("AU(PRC)", "auprc", Direction::Higher),
        ];
        for (text, name, direction) in spelled {
            let metric = Metric::new(text);
            assert_eq!((metric.name(), metric.direction()), (name, Some(direction)));
        }
    }

    #[test]
    fn every_metric_of_ours_is_known() {
        for (name, _) in rulebound_core::metrics::Metrics::default().named() {
            assert!(Metric::new(name).direction().is_some(), "{name}");
            assert_eq!(Metric::new(name).name(), name);
        }
    }

    #[test]
    fn other_names_stay() {
        assert_eq!(Metric::new("Top-1"), Metric::new("top 1"));
        assert_eq!(Metric::new("Top-1").name(), "Top-1");
        assert_ne!(Metric::new("+"), Metric::new("-"));
    }
}

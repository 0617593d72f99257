//! Names of metrics, however they are spelled, and which way is better.

use std::fmt;

use rulebound_core::metrics;
pub use rulebound_core::metrics::Direction;

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
    known: Option<metrics::Metric>,
}

impl Metric {
    /// The metric of a name; a metric of this library gets its own spelling.
    pub fn new(name: &str) -> Self {
        let known = metrics::Metric::from_spelling(name);
        let name = known.map_or(name, |metric| metric.name());
        let key = key(name);
        // A name of punctuation alone is still a name.
        let key = if key.is_empty() { name.to_owned() } else { key };
        Self { name: name.to_owned(), key, known }
    }

    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which way is better, if it is one of ours.
    pub fn direction(&self) -> Option<Direction> {
        self.known.map(metrics::Metric::direction)
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
        for name in metrics::Metric::NAMES {
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

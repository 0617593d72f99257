//! Names of metrics in tables of results: those of this library in any spelling, and all others.

use std::fmt;

use rulebound_core::metrics::{Direction, Metric};

/// The name of a metric. Names that differ only in case, spaces and punctuation are the same, so
/// `Multi-label accuracy` is `multilabel_accuracy` and `AU(PRC)` is `auprc`.
///
/// ```
/// use rulebound_compare::MetricName;
/// use rulebound_core::metrics::Direction;
/// let metric = MetricName::new("Hamming loss");
/// assert_eq!((metric.name(), metric.direction()), ("hamming_loss", Some(Direction::Lower)));
/// assert_eq!(MetricName::new("beauty").direction(), None);
/// ```
#[derive(Clone, Debug)]
pub struct MetricName {
    name: String,
    key: String,
    known: Option<Metric>,
}

impl MetricName {
    /// The metric with this name; metrics of this library get their canonical spelling.
    pub fn new(name: &str) -> Self {
        let known = Metric::from_spelling(name);
        let name = known.map_or(name, |metric| metric.name());
        let key = key(name);
        // A name that is only punctuation is still a name.
        let key = if key.is_empty() { name.to_owned() } else { key };
        Self { name: name.to_owned(), key, known }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which values are better, if it is a metric of this library.
    pub fn direction(&self) -> Option<Direction> {
        self.known.map(Metric::direction)
    }
}

impl From<Metric> for MetricName {
    fn from(metric: Metric) -> Self {
        Self::new(metric.name())
    }
}

impl PartialEq for MetricName {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for MetricName {}

impl fmt::Display for MetricName {
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
            let metric = MetricName::new(text);
            assert_eq!((metric.name(), metric.direction()), (name, Some(direction)));
        }
    }

    #[test]
    fn every_metric_of_ours_is_known() {
        for metric in Metric::ALL {
            let name = MetricName::from(metric);
            assert_eq!((name.name(), name.direction()), (metric.name(), Some(metric.direction())));
            assert_eq!(name, MetricName::new(metric.title()));
        }
    }

    #[test]
    fn other_names_stay() {
        assert_eq!(MetricName::new("Top-1"), MetricName::new("top 1"));
        assert_eq!(MetricName::new("Top-1").name(), "Top-1");
        assert_ne!(MetricName::new("+"), MetricName::new("-"));
    }
}

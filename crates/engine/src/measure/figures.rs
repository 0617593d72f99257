//! All figures of some predictions by name: metrics, further metrics, violations.

use rulebound_core::metrics::{Direction, FurtherMetric, FurtherMetrics, Metric, Metrics};

/// The name and the direction of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Its key in JSON.
    pub name: &'static str,
    /// Which values are better.
    pub direction: Direction,
}

/// The values of all figures; each is `None` where it is undefined.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// The metrics.
    pub metrics: Metrics,
    /// The further metrics, if they were asked for.
    pub further: Option<FurtherMetrics>,
    /// The share of rows that break a rule; `None` without rules.
    pub violation_rate: Option<f64>,
}

impl Figures {
    /// Every figure with its value, always in the same order; the share of violations is there only
    /// if it is defined.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, Option<f64>)> + use<> {
        let metrics = self.metrics.iter().map(|(metric, value)| (Figure::from(metric), value));
        let further = self.further.into_iter().flat_map(|further| further.iter());
        let further = further.map(|(metric, value)| (Figure::from(metric), value));
        let violations = Figure { name: "violation_rate", direction: Direction::Lower };
        let violations = self.violation_rate.map(|rate| (violations, Some(rate)));
        metrics.chain(further).chain(violations)
    }
}

impl From<Metric> for Figure {
    fn from(metric: Metric) -> Self {
        Self { name: metric.name(), direction: metric.direction() }
    }
}

impl From<FurtherMetric> for Figure {
    fn from(metric: FurtherMetric) -> Self {
        Self { name: metric.name(), direction: metric.direction() }
    }
}

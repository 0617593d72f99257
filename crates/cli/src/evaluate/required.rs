//! `evaluate --require METRIC>=X`: what a model must reach, and what it did not.

use crate::failure::Failure;
use crate::text::nearest_of;
use rulebound::measure::{Figure, Figures};
use rulebound_core::metrics::{FurtherMetric, Metric};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The share of rows that break a rule, which is measured wherever there are rules.
const VIOLATION_RATE: &str = "violation_rate";

/// A bound on one figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Required {
    figure: &'static str,
    is_further: bool,
    bound: Bound,
    value: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Bound {
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// What became of a bound; written into the JSON of the evaluation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcome {
    pub requirement: String,
    /// Null where the figure is undefined.
    pub value: Option<f64>,
    pub met: bool,
}

impl Bound {
    /// With the longer signs first, so that none is read as the beginning of another.
    const ALL: [(&'static str, Self); 4] =
        [(">=", Self::AtLeast), ("<=", Self::AtMost), (">", Self::Above), ("<", Self::Below)];

    fn sign(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, bound)| *bound == self).map_or("", |(sign, _)| sign)
    }

    fn holds(self, found: f64, value: f64) -> bool {
        match self {
            Self::AtLeast => found >= value,
            Self::AtMost => found <= value,
            Self::Above => found > value,
            Self::Below => found < value,
        }
    }
}

impl Required {
    /// Whether its figure is one of those that are measured only when they are asked for.
    pub fn is_further(&self) -> bool {
        self.is_further
    }

    /// Compares with what was measured; an undefined figure meets nothing.
    pub fn outcome(&self, figures: &Figures) -> Outcome {
        let of =
            |(figure, value): (Figure, Option<f64>)| value.filter(|_| figure.name == self.figure);
        let value = figures.iter().find_map(of);
        let met = value.is_some_and(|found| self.bound.holds(found, self.value));
        Outcome { requirement: self.to_string(), value, met }
    }
}

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.figure, self.bound.sign(), self.value)
    }
}

impl FromStr for Required {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = |sign: &'static str| text.split_once(sign);
        let found = Bound::ALL.into_iter().find_map(|(sign, bound)| Some((bound, place(sign)?)));
        let Some((bound, (name, value))) = found else {
            return Err("expected METRIC>=X, METRIC<=X, METRIC>X or METRIC<X".to_owned());
        };
        let (name, value) = (name.trim(), value.trim());
        let value: f64 = value
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("`{value}` is not a number"))?;
        let further = || FurtherMetric::ALL.into_iter().find(|metric| metric.name() == name);
        let (figure, is_further) = match (Metric::from_spelling(name), further()) {
            (Some(metric), _) => (metric.name(), false),
            (None, Some(metric)) => (metric.name(), true),
            (None, None) if name == VIOLATION_RATE => (VIOLATION_RATE, false),
            (None, None) => {
                let metrics = Metric::ALL.into_iter().map(Metric::name);
                let further = FurtherMetric::ALL.into_iter().map(FurtherMetric::name);
                let known: Vec<&str> = metrics.chain(further).chain([VIOLATION_RATE]).collect();
                return Err(format!("`{name}` is not a metric; {}", nearest_of(name, &known)));
            }
        };
        Ok(Self { figure, is_further, bound, value })
    }
}

/// The failure for the bounds that do not hold, each of which is named; `of` says of which model.
pub fn expect_met(outcomes: &[(Option<String>, Outcome)]) -> Result<(), Failure> {
    let unmet = outcomes.iter().filter(|(_, outcome)| !outcome.met).map(|(of, outcome)| {
        let of = of.as_ref().map_or(String::new(), |of| format!("{of}: "));
        let Outcome { requirement, value, .. } = outcome;
        match value {
            Some(value) => format!("{of}{requirement} is required, and it is {value}"),
            None => format!("{of}{requirement} is required, and it is undefined on these rows"),
        }
    });
    let unmet: Vec<String> = unmet.collect();
    if unmet.is_empty() { Ok(()) } else { Err(Failure::Unmet(unmet)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::metrics::Metrics;

    fn figures() -> Figures {
        let metrics = Metrics::from_fn(|metric| (metric != Metric::OneError).then_some(0.5));
        Figures { metrics, further: None, violation_rate: Some(0.0) }
    }

    #[test]
    fn bounds_include_their_end_if_they_say_so() {
        for (text, met) in [
            ("micro_f1>=0.5", true),
            ("micro_f1 > 0.5", false),
            ("hamming_loss<=0.5", true),
            ("Hamming loss<0.5", false),
            ("one_error<=1", false),
            ("violation_rate<=0", true),
            ("auprc<0.6", true),
        ] {
            let required: Required = text.parse().unwrap();
            assert_eq!(required.outcome(&figures()).met, met, "{text}");
        }
    }

    #[test]
    fn what_is_no_bound_says_what_is() {
        let told = |text: &str| text.parse::<Required>().unwrap_err();
        assert!(
            told("micro_f2>=0.5").contains("did you mean `micro_f1`?"),
            "{}",
            told("micro_f2>=0.5")
        );
        assert!(told("auprc=0.5").contains("METRIC>=X"));
        assert!(told("auprc>=nan").contains("`nan` is not a number"));
        assert!(told("auprc>=").contains("`` is not a number"));
        assert!("fmax>=0.5".parse::<Required>().unwrap().is_further());
    }
}

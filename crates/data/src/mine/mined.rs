//! Mined rules with their counts.

use std::cmp::Ordering;

use rulebound_core::Rule;

use super::options::Options;

/// A rule with its support and confidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MinedRule {
    /// The rule; its body has the positive literals first, each part in the order of the labels.
    pub rule: Rule,
    /// Rows in which the body holds; at least one.
    pub body_rows: usize,
    /// Rows in which body and head hold.
    pub hits: usize,
    /// Rows that were mined.
    pub rows: usize,
}

impl MinedRule {
    /// The share of the rows in which the body holds.
    pub fn support(&self) -> f64 {
        self.body_rows as f64 / self.rows as f64
    }

    /// The share of the body's rows in which the head holds too.
    pub fn confidence(&self) -> f64 {
        self.hits as f64 / self.body_rows as f64
    }

    /// Orders rules mined from the same rows: more confidence first, then more support, then the
    /// shorter body; then, so that no two rules are equal, by head and body.
    pub fn cmp_best_first(&self, other: &Self) -> Ordering {
        // Confidences as fractions: two that are not equal must not become so by rounding.
        let confidence = other.hits as u128 * self.body_rows as u128;
        confidence
            .cmp(&(self.hits as u128 * other.body_rows as u128))
            .then_with(|| other.body_rows.cmp(&self.body_rows))
            .then_with(|| self.rule.body().len().cmp(&other.rule.body().len()))
            .then_with(|| self.rule.head().cmp(&other.rule.head()))
            .then_with(|| self.rule.body().cmp(other.rule.body()))
    }
}

/// The rules that were mined.
#[derive(Clone, PartialEq, Debug)]
pub struct Mined {
    /// The rules, best first.
    pub rules: Vec<MinedRule>,
    /// How many rules close a cycle through a negation with better ones. They are left out, unless
    /// [`Options::keep_unstratified`] is set.
    pub unstratified: usize,
    /// How many rows were mined.
    pub rows: usize,
    /// The options.
    pub options: Options,
}

impl Mined {
    /// How many rules rest on fewer than [`Options::FEW_ROWS`] rows.
    pub fn resting_on_few_rows(&self) -> usize {
        self.rules.iter().filter(|mined| mined.body_rows < Options::FEW_ROWS).count()
    }

    /// Whether the rules are stratified and so form a valid program.
    pub fn is_stratified(&self) -> bool {
        self.unstratified == 0 || !self.options.keep_unstratified
    }
}

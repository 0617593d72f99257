//! All tests on a table of scores at once.

use rulebound_core::metrics::Direction;
use serde::Serialize;

use super::error::{CompareError, IncompleteSet};
use super::scores::{Missing, Scores};
use super::statistics::{Friedman, Nemenyi, Ranking, Wilcoxon, holm, noise, rank};

/// How to compare scores.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// Which direction is better; `None` for that of the metric.
    pub direction: Option<Direction>,
    /// The method that all others are tested against; `None` for the first.
    pub against: Option<String>,
    /// The significance level: the probability of finding a difference where there is none, between
    /// 0 and 1.
    pub alpha: f64,
    /// How to treat data sets without a value for some method.
    pub missing: Missing,
}

/// A method and its average rank.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ranked {
    /// Its name.
    pub method: String,
    /// Its average rank over the data sets; 1 is the best.
    pub rank: f64,
}

impl Ranked {
    /// The rank to two decimals, halves rounded up, as printed in tables.
    ///
    /// ```
    /// let ranked = rulebound_compare::Ranked { method: "A".to_owned(), rank: 2.925 };
    /// assert_eq!(ranked.printed(), "2.93");
    /// ```
    pub fn printed(&self) -> String {
        // The binary value of a half may be slightly too small.
        format!("{:.2}", (100.0 * self.rank + 1e-6).round() / 100.0)
    }
}

/// The test of one method against the reference.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Against {
    /// The method.
    pub method: String,
    /// The test; the reference is the first of the two.
    #[serde(flatten)]
    pub test: Wilcoxon,
    /// Its p-value, with Holm's correction for the number of methods.
    pub holm: f64,
    /// Whether the two differ: the corrected p-value is at most alpha.
    pub differs: bool,
}

/// The comparison of methods over many data sets.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The metric, if its name is known.
    pub metric: Option<String>,
    /// Which direction is better.
    pub better: Direction,
    /// The number of data sets compared.
    pub sets: usize,
    /// The data sets without a value for some method. They are dropped, or the method is ranked
    /// last there.
    pub lacking: Vec<IncompleteSet>,
    /// Whether those are dropped.
    pub left_out: bool,
    /// All methods from the best average rank.
    pub ranks: Vec<Ranked>,
    /// Whether any methods differ; `None` if all are tied on all data sets.
    pub friedman: Option<Friedman>,
    /// The critical difference of average ranks.
    pub nemenyi: Nemenyi,
    /// The largest groups of methods of which no two differ by [`Nemenyi`], from the best.
    pub groups: Vec<Vec<String>>,
    /// The method that the others are tested against.
    pub against: String,
    /// The others, in the order of the table.
    pub wilcoxon: Vec<Against>,
}

impl Comparison {
    /// Compares the methods.
    ///
    /// # Errors
    /// If there are fewer than two methods or data sets, or the request does not fit the scores.
    pub fn new(scores: &Scores, request: &Request) -> Result<Self, CompareError> {
        let metric = scores.metric.as_ref();
        let name = metric.map(|metric| metric.name().to_owned());
        let better = request.direction.or(metric.and_then(|metric| metric.direction()));
        let better = better.ok_or(CompareError::UnknownDirection { metric: name.clone() })?;
        if !(request.alpha > 0.0 && request.alpha < 1.0) {
            return Err(CompareError::Alpha { alpha: request.alpha });
        }
        let reference = match &request.against {
            None => 0,
            Some(name) => {
                scores.methods.iter().position(|method| method == name).ok_or_else(|| {
                    CompareError::NoSuchMethod {
                        name: name.clone(),
                        methods: scores.methods.clone(),
                    }
                })?
            }
        };
        let [_, _, ..] = &scores.methods[..] else {
            let method = scores.methods.first().cloned().unwrap_or_default();
            return Err(CompareError::OneMethod { method });
        };
        let left_out = request.missing == Missing::LeaveOut;
        let lacking = scores.lacking();
        let rows: Vec<Vec<Option<f64>>> = scores
            .values
            .iter()
            .filter(|row| {
                if left_out {
                    row.iter().all(Option::is_some)
                } else {
                    row.iter().any(Option::is_some)
                }
            })
            .map(|row| row.iter().map(|value| value.map(|value| cost(value, better))).collect())
            .collect();
        if rows.len() < 2 {
            return Err(CompareError::FewSets { left: rows.len(), lacking });
        }
        let rankings: Vec<Ranking> = rows.iter().map(|row| ranking(row)).collect();
        let mean = |at: usize| {
            rankings.iter().map(|ranking| ranking.ranks[at]).sum::<f64>() / rankings.len() as f64
        };
        let named = scores.methods.iter().enumerate();
        let mut ranks: Vec<Ranked> =
            named.map(|(at, method)| Ranked { method: method.clone(), rank: mean(at) }).collect();
        ranks.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let nemenyi = Nemenyi::new(scores.methods.len(), rows.len(), request.alpha);
        let sorted: Vec<f64> = ranks.iter().map(|ranked| ranked.rank).collect();
        let group = |group: std::ops::Range<usize>| {
            ranks[group].iter().map(|ranked| ranked.method.clone()).collect()
        };
        let groups = nemenyi.groups(&sorted).into_iter().map(group).collect();
        Ok(Self {
            metric: name,
            better,
            sets: rows.len(),
            lacking,
            left_out,
            friedman: Friedman::new(&rankings),
            nemenyi,
            groups,
            against: scores.methods[reference].clone(),
            wilcoxon: against(&scores.methods, &rows, reference, request.alpha),
            ranks,
        })
    }
}

/// A value as a cost, of which less is better.
fn cost(value: f64, better: Direction) -> f64 {
    match better {
        Direction::Higher => -value,
        Direction::Lower => value,
    }
}

/// The ranks on one data set; methods without a value come last.
fn ranking(row: &[Option<f64>]) -> Ranking {
    let costs: Vec<f64> = row.iter().map(|cost| cost.unwrap_or(f64::INFINITY)).collect();
    let errors: Vec<f64> = costs.iter().map(|&cost| noise(cost)).collect();
    rank(&costs, &errors)
}

/// Every other method against one, each on the data sets where both have a value.
fn against(
    methods: &[String],
    rows: &[Vec<Option<f64>>],
    reference: usize,
    alpha: f64,
) -> Vec<Against> {
    let others = (0..methods.len()).filter(|at| *at != reference);
    let tests: Vec<(usize, Wilcoxon)> = others
        .map(|at| {
            let pairs = rows.iter().filter_map(|row| Some([row[reference]?, row[at]?]));
            (at, Wilcoxon::new(&pairs.collect::<Vec<_>>()))
        })
        .collect();
    let p: Vec<f64> = tests.iter().map(|(_, test)| test.p).collect();
    let told = |((at, test), holm): ((usize, Wilcoxon), f64)| Against {
        method: methods[at].clone(),
        test,
        holm,
        differs: holm <= alpha,
    };
    tests.into_iter().zip(holm(&p)).map(told).collect()
}

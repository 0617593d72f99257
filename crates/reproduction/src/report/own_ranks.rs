//! Ranks and tests over values that were all computed here.

use super::difference::ALPHA;
use super::document::{Block, Cell, Figure, Mark, Table};
use super::number::{chance, count, list};
use super::paper_table::as_printed;
use super::ranks::{computed, tests};
use super::system_table::{SystemColumn, SystemTable};
use rulebound_compare::{Comparison, Missing, Request, Scores, diagram};

/// The system that all others are tested against.
pub(super) const OURS: &str = "CCN(h)";

/// A comparison of columns of a table of systems on the sets where all have a value.
pub(super) struct OwnRanks {
    comparison: Option<Comparison>,
    metric: &'static str,
    /// Systems without any value.
    absent: Vec<String>,
}

impl OwnRanks {
    /// Compares these columns, each under the name of its system.
    pub fn new(table: &SystemTable<'_>, columns: &[SystemColumn]) -> Self {
        let (known, absent): (Vec<&SystemColumn>, Vec<&SystemColumn>) =
            columns.iter().partition(|column| table.has(column));
        // Rounded as in print, so that ties are what they would be there.
        let value = |subject, column: &SystemColumn| {
            table.value(subject, column).map(|value| as_printed(value.mean))
        };
        let row = |subject: &crate::reproduce::Subject| {
            known.iter().map(|column| value(*subject, column)).collect()
        };
        let scores = Scores {
            metric: Some(table.metric.into()),
            sets: table.subjects.iter().map(ToString::to_string).collect(),
            methods: known.iter().map(|column| column.system.to_owned()).collect(),
            values: table.subjects.iter().map(row).collect(),
        };
        let request = Request {
            direction: None,
            against: Some(OURS.to_owned()),
            alpha: ALPHA,
            missing: Missing::LeaveOut,
        };
        Self {
            comparison: Comparison::new(&scores, &request).ok(),
            metric: table.metric.title(),
            absent: absent.iter().map(|column| column.system.to_owned()).collect(),
        }
    }

    /// The average rank of a system.
    pub fn rank(&self, system: &str) -> Option<f64> {
        let ranks = &self.comparison.as_ref()?.ranks;
        ranks.iter().find(|ranked| ranked.method == system).map(|ranked| ranked.rank)
    }

    /// The system with the best average rank.
    pub fn first(&self) -> Option<&str> {
        Some(self.comparison.as_ref()?.ranks.first()?.method.as_str())
    }

    /// Ranks, tests and diagram; `name` is the name of the picture.
    pub fn blocks(&self, name: &str) -> Vec<Block> {
        let Some(found) = &self.comparison else {
            let text = "There are too few sets with runs of all systems for ranks and tests.";
            return vec![Block::Note(text.to_owned())];
        };
        let mut ranks = Table::new(
            format!("Average ranks by {} over {}, own runs", self.metric, count(found.sets, "set")),
            &["system", "average rank"],
        );
        for ranked in &found.ranks {
            let is_first = ranked.rank <= found.ranks[0].rank;
            let rank = Cell::with_value(ranked.rank, ranked.printed());
            ranks.rows.push(vec![Cell::text(&ranked.method), rank.marked(Mark::Best, is_first)]);
        }
        let caption = format!("Wilcoxon signed-rank tests of {OURS} against each other, own runs");
        let columns = ["against", "better", "worse", "equal", "p", "computed", "p by Holm"];
        let mut wilcoxon = Table::new(caption, &columns);
        for against in &found.wilcoxon {
            let test = &against.test;
            let whole = |number: usize| Cell::number(number as f64, 0);
            let p = |p: f64| Cell::with_value(p, chance(p));
            wilcoxon.rows.push(vec![
                Cell::text(&against.method),
                whole(test.wins),
                whole(test.losses),
                whole(test.equal),
                p(test.p),
                Cell::text(computed(test.computed)),
                p(against.holm),
            ]);
        }
        let caption = format!(
            "Average ranks by {}, own runs; systems under one bar do not differ by the Nemenyi test.",
            self.metric
        );
        let figure = Figure { name: name.to_owned(), caption, svg: diagram(found) };
        let mut text = tests(found);
        if !self.absent.is_empty() {
            text += &format!(" Not run: {}.", list(&self.absent));
        }
        vec![
            Block::Table(ranks),
            Block::Text(text),
            Block::Table(wilcoxon),
            Block::Figures(String::new(), vec![figure]),
        ]
    }
}

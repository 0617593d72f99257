//! Our method among the systems of a printed table: ranks, tests, diagram.

use super::difference::ALPHA;
use super::document::{Block, Cell, Figure, Mark, Table};
use super::number::{chance, count, fixed};
use super::paper_table::as_printed;
use crate::paper::PrintedTable;
use crate::reproduce::Subject;
use rulebound_compare::diagram;
use rulebound_compare::statistics::Computed;
use rulebound_compare::{Comparison, Request};
use rulebound_compare::{Missing, Scores};
use rulebound_core::metrics::Metric;

/// Ranks and tests with the printed values and with ours among them, on the same data sets.
pub(super) struct SystemRanks {
    table: PrintedTable,
    metric: Metric,
    /// With the printed values.
    printed: Option<Comparison>,
    /// With ours; `None` if there is too little to compare.
    pub ours: Option<Comparison>,
}

impl SystemRanks {
    /// `ours` replaces the value of a system; `None` keeps the printed one. All subjects have their
    /// values.
    pub fn new(
        table: PrintedTable,
        metric: Metric,
        subjects: &[Subject],
        ours: &dyn Fn(Subject, &str) -> Option<f64>,
    ) -> Self {
        let print =
            |subject: Subject, system: &str| table.value(&subject.to_string(), system, metric);
        // Rounded as in print, so that ties stay ties.
        let mixed = |subject: Subject, system: &str| match ours(subject, system) {
            Some(value) => Some(as_printed(value)),
            None => print(subject, system),
        };
        let compare = |value: &dyn Fn(Subject, &str) -> Option<f64>| {
            let systems = table.systems();
            let row =
                |subject: &Subject| systems.iter().map(|name| value(*subject, name)).collect();
            let scores = Scores {
                metric: Some(metric.into()),
                sets: subjects.iter().map(Subject::to_string).collect(),
                methods: systems.iter().map(|name| (*name).to_owned()).collect(),
                values: subjects.iter().map(row).collect(),
            };
            let (direction, against) = (None, Some("CCN(h)".to_owned()));
            let request = Request { direction, against, alpha: ALPHA, missing: Missing::Last };
            Comparison::new(&scores, &request).ok()
        };
        Self { table, metric, printed: compare(&print), ours: compare(&mixed) }
    }

    /// The position of CCN(h) among all, from 1; ties count as the better position.
    pub fn place(&self) -> Option<usize> {
        let ranks = &self.ours.as_ref()?.ranks;
        let own = ranks.iter().find(|ranked| ranked.method == "CCN(h)")?.rank;
        Some(1 + ranks.iter().filter(|ranked| ranked.rank < own - 1e-9).count())
    }

    /// The average rank of a system, with ours among them.
    pub fn rank(&self, system: &str) -> Option<f64> {
        rank(self.ours.as_ref(), system)
    }

    /// The p-value of the Wilcoxon test between CCN(h) and another system.
    pub fn p(&self, system: &str) -> Option<f64> {
        let tests = &self.ours.as_ref()?.wilcoxon;
        tests.iter().find(|against| against.method == system).map(|against| against.test.p)
    }

    /// The systems from which CCN(h) does not differ by the Nemenyi test.
    pub fn alike(&self) -> Vec<String> {
        let groups = self.ours.iter().flat_map(|ours| &ours.groups);
        let with = groups.filter(|group| group.iter().any(|name| name == "CCN(h)"));
        with.flatten().filter(|name| *name != "CCN(h)").cloned().collect()
    }

    /// All blocks; `whose` names our values, `name` is the prefix of picture names.
    pub fn blocks(&self, whose: &str, name: &str) -> Vec<Block> {
        let Some(ours) = &self.ours else {
            let text = "There are too few sets for ranks and tests.";
            return vec![Block::Note(text.to_owned())];
        };
        let mut blocks = vec![Block::Table(self.ranks(whose, ours)), Block::Text(tests(ours))];
        blocks.push(Block::Table(self.wilcoxon(whose, ours)));
        let caption = format!(
            "Average ranks by {}, {whose}; methods under one bar do not differ by the Nemenyi test.",
            self.metric.title()
        );
        let figure = Figure { name: name.to_owned(), caption, svg: diagram(ours) };
        blocks.push(Block::Figures(String::new(), vec![figure]));
        blocks
    }

    fn ranks(&self, whose: &str, ours: &Comparison) -> Table {
        let caption = format!(
            "Average ranks by {} over {}: in print, from the printed values of the same sets, and \
             with {whose}",
            self.metric.title(),
            count(ours.sets, "set")
        );
        let columns = ["system", "in print", "from the printed values", whose];
        let mut table = Table::new(caption, &columns);
        for ranked in &ours.ranks {
            let system = ranked.method.as_str();
            table.rows.push(vec![
                Cell::text(system),
                Cell::maybe(self.table.rank(system, self.metric), 2),
                place(self.printed.as_ref(), system),
                place(Some(ours), system).marked(Mark::Best, ranked.rank <= ours.ranks[0].rank),
            ]);
        }
        table
    }

    fn wilcoxon(&self, whose: &str, ours: &Comparison) -> Table {
        let caption = format!("Wilcoxon signed-rank tests of CCN(h) against each other, {whose}");
        let columns =
            ["against", "better", "worse", "equal", "p", "computed", "p by Holm", "p in print"];
        let mut table = Table::new(caption, &columns);
        for against in &ours.wilcoxon {
            let test = &against.test;
            let whole = |number: usize| Cell::number(number as f64, 0);
            let before = self.printed.as_ref().and_then(|printed| {
                printed.wilcoxon.iter().find(|other| other.method == against.method)
            });
            let p = |p: f64| Cell::with_value(p, chance(p));
            table.rows.push(vec![
                Cell::text(&against.method),
                whole(test.wins),
                whole(test.losses),
                whole(test.equal),
                p(test.p),
                Cell::text(computed(test.computed)),
                p(against.holm),
                before.map_or_else(Cell::none, |before| p(before.test.p)),
            ]);
        }
        table
    }
}

fn rank(comparison: Option<&Comparison>, system: &str) -> Option<f64> {
    comparison?.ranks.iter().find(|ranked| ranked.method == system).map(|ranked| ranked.rank)
}

/// The average rank of a system as a cell.
fn place(comparison: Option<&Comparison>, system: &str) -> Cell {
    let found = comparison
        .and_then(|comparison| comparison.ranks.iter().find(|ranked| ranked.method == system));
    found.map_or_else(Cell::none, |ranked| Cell::with_value(ranked.rank, ranked.printed()))
}

pub(super) fn computed(computed: Computed) -> &'static str {
    match computed {
        Computed::Exact | Computed::ExactWithTies => "exact",
        Computed::Normal => "normal",
    }
}

pub(super) fn tests(ours: &Comparison) -> String {
    let friedman = match &ours.friedman {
        Some(friedman) => format!(
            "Friedman test: χ² = {} with {} degrees of freedom, p = {}.",
            fixed(friedman.chi_square, 2),
            friedman.freedom,
            chance(friedman.p)
        ),
        None => "Friedman test: all are tied.".to_owned(),
    };
    let nemenyi = ours.nemenyi;
    let lacking = match ours.lacking.is_empty() {
        true => String::new(),
        false if ours.left_out => format!(
            " Left out: {} without a value of some system.",
            count(ours.lacking.len(), "set")
        ),
        false => format!(
            " On {} a system without a value counts as the last.",
            count(ours.lacking.len(), "set")
        ),
    };
    format!(
        "{friedman} Nemenyi test at α = {}: ranks that are {} or more apart differ.{lacking}",
        nemenyi.alpha,
        fixed(nemenyi.critical_difference, 3)
    )
}

/// The six metrics of the data sets with general rules, in the order of the paper.
pub(super) const SIX: [Metric; 6] = [
    Metric::AveragePrecision,
    Metric::CoverageError,
    Metric::HammingLoss,
    Metric::MultilabelAccuracy,
    Metric::OneError,
    Metric::RankingLoss,
];

//! Warnings: rules that are legal and probably not meant.
//!
//! None of them changes what the layer computes; a contradictory body is kept
//! because the paper's closure needs it.

use crate::program::Program;
use crate::rule::{Literal, RuleId};
use std::collections::HashMap;
use std::fmt;

/// One suspicious rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The rule.
    pub rule: RuleId,
    /// What is odd about it.
    pub oddity: Oddity,
}

/// What can be odd about a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Oddity {
    /// The same head and the same body as an earlier rule.
    Duplicate {
        /// The earlier rule.
        of: RuleId,
    },
    /// The head stands in the positive body.
    NeverAdds,
    /// The body holds a class and its negation.
    Contradictory {
        /// One such class, as its positive literal.
        on: Literal,
    },
    /// Another rule has the same head and a smaller body.
    Subsumed {
        /// The other rule.
        by: RuleId,
    },
    /// The rule follows from other rules together.
    Implied {
        /// The rules it follows from.
        by: Vec<RuleId>,
    },
}

impl Oddity {
    /// A short name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Duplicate { .. } => "duplicate",
            Self::NeverAdds => "never-adds",
            Self::Contradictory { .. } => "contradictory-body",
            Self::Subsumed { .. } => "subsumed",
            Self::Implied { .. } => "implied",
        }
    }
}

/// The warnings about a program, in the order of the rules.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// Whether the search for subsumed rules was cut short: comparing sets of
    /// literals can cost the square of their number, and stops before that.
    pub incomplete: bool,
}

/// How many pairs of bodies are compared at most.
const COMPARISONS: usize = 20_000_000;

/// Looks at every rule by itself and against the rules with the same head.
pub fn lint(program: &Program) -> Lint {
    let mut lint = Lint::default();
    let mut budget = COMPARISONS;
    for head in program.labels().ids() {
        lint_head(program, program.rules_of(head), &mut budget, &mut lint.warnings);
    }
    lint.warnings.sort_by_key(|warning| warning.rule);
    lint.incomplete = budget == 0;
    lint
}

fn sorted_body(program: &Program, rule: RuleId) -> Box<[Literal]> {
    let mut body: Box<[Literal]> = program.rule(rule).body().into();
    body.sort_unstable();
    body
}

fn lint_head(program: &Program, rules: &[RuleId], budget: &mut usize, warnings: &mut Vec<Warning>) {
    let mut first_with: HashMap<Box<[Literal]>, RuleId> = HashMap::with_capacity(rules.len());
    let mut distinct = Vec::with_capacity(rules.len());
    for &rule in rules {
        let body = sorted_body(program, rule);
        // B and ¬B are neighbours once the body is sorted.
        if let Some(pair) = body.windows(2).find(|pair| pair[1] == !pair[0]) {
            warnings.push(Warning { rule, oddity: Oddity::Contradictory { on: pair[0] } });
        }
        if let Some(&of) = first_with.get(&body) {
            warnings.push(Warning { rule, oddity: Oddity::Duplicate { of } });
            continue;
        }
        first_with.insert(body.clone(), rule);
        if program.rule(rule).supports_itself() {
            warnings.push(Warning { rule, oddity: Oddity::NeverAdds });
            continue;
        }
        distinct.push((body, rule));
    }
    if distinct.len() > 1 {
        find_subsumed(distinct, budget, warnings);
    }
}

/// Finds, for each body, a smaller one inside it. Every body waits under its
/// rarest literal, so that a body is compared only with those that share it.
fn find_subsumed(
    mut bodies: Vec<(Box<[Literal]>, RuleId)>,
    budget: &mut usize,
    warnings: &mut Vec<Warning>,
) {
    bodies.sort_by_key(|(body, rule)| (body.len(), *rule));
    let mut frequency: HashMap<Literal, usize> = HashMap::new();
    for (body, _) in &bodies {
        for literal in body {
            *frequency.entry(*literal).or_default() += 1;
        }
    }
    let fact = bodies.first().filter(|(body, _)| body.is_empty()).map(|&(_, rule)| rule);
    let mut waiting: HashMap<Literal, Vec<usize>> = HashMap::new();
    for (index, (body, rule)) in bodies.iter().enumerate() {
        let inside = || {
            let candidates = body.iter().filter_map(|literal| waiting.get(literal));
            for candidates in candidates {
                for (smaller, id) in candidates.iter().map(|&other| &bodies[other]) {
                    if smaller.len() >= body.len() || *budget == 0 {
                        break;
                    }
                    *budget -= 1;
                    if smaller.iter().all(|literal| body.binary_search(literal).is_ok()) {
                        return Some(*id);
                    }
                }
            }
            None
        };
        if let Some(by) = fact.filter(|_| !body.is_empty()).or_else(inside) {
            warnings.push(Warning { rule: *rule, oddity: Oddity::Subsumed { by } });
        } else if let Some(rarest) = body.iter().min_by_key(|literal| frequency[literal]) {
            waiting.entry(*rarest).or_default().push(index);
        }
    }
}

/// The rules that follow from all the others: taking such a rule away changes
/// no output of the layer, whatever the scores.
///
/// A rule follows if its head is reached from its own body by other rules,
/// whose negated classes must stand negated in that body too: every rule on
/// the way then has at least the body's value. Rules that `lint` already found
/// to be superfluous are neither tested nor used. Costs, for each rule, the
/// part of the program that is reached from its body.
pub fn lint_deep(program: &Program, shallow: &Lint) -> Vec<Warning> {
    let mut used = vec![true; program.rules().len()];
    for warning in &shallow.warnings {
        if !matches!(warning.oddity, Oddity::Contradictory { .. }) {
            used[warning.rule.index()] = false;
        }
    }
    let mut search = Search::new(program, &used);
    program
        .rule_ids()
        .filter(|rule| used[rule.index()])
        .filter_map(|rule| {
            let by = search.derive(rule)?;
            Some(Warning { rule, oddity: Oddity::Implied { by } })
        })
        .collect()
}

/// Forward chaining from a body, with its memory kept between searches.
struct Search<'a> {
    program: &'a Program,
    /// The rules in whose positive body a label stands.
    uses: Vec<Vec<RuleId>>,
    /// The rules with no positive body.
    unconditional: Vec<RuleId>,
    reached: Vec<bool>,
    reached_by: Vec<Option<RuleId>>,
    missing: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, used: &[bool]) -> Self {
        let mut uses = vec![Vec::new(); program.labels().len()];
        let mut unconditional = Vec::new();
        let mut missing = vec![0; program.rules().len()];
        for rule in program.rule_ids().filter(|rule| used[rule.index()]) {
            for literal in program.rule(rule).body().iter().filter(|literal| !literal.is_negated())
            {
                uses[literal.label().index()].push(rule);
                missing[rule.index()] += 1;
            }
            if missing[rule.index()] == 0 {
                unconditional.push(rule);
            }
        }
        let labels = program.labels().len();
        Self {
            program,
            uses,
            unconditional,
            reached: vec![false; labels],
            reached_by: vec![None; labels],
            missing,
        }
    }

    /// The other rules by which the head of `goal` is reached from its body.
    fn derive(&mut self, goal: RuleId) -> Option<Vec<RuleId>> {
        let program = self.program;
        let rule = program.rule(goal);
        let assumed: std::collections::HashSet<Literal> = rule.body().iter().copied().collect();
        let mut touched = Vec::new();
        let mut queue = Vec::new();
        for literal in rule.body().iter().filter(|literal| !literal.is_negated()) {
            self.reached[literal.label().index()] = true;
            queue.push(literal.label());
        }
        let fires = |candidate: RuleId| {
            candidate != goal
                && program
                    .rule(candidate)
                    .body()
                    .iter()
                    .all(|l| !l.is_negated() || assumed.contains(l))
        };
        let mut reached_labels = queue.clone();
        let mut ready: Vec<RuleId> = self.unconditional.clone();
        loop {
            while let Some(candidate) = ready.pop() {
                let head = program.rule(candidate).head();
                if !self.reached[head.index()] && fires(candidate) {
                    self.reached[head.index()] = true;
                    self.reached_by[head.index()] = Some(candidate);
                    reached_labels.push(head);
                    queue.push(head);
                }
            }
            if self.reached[rule.head().index()] {
                break;
            }
            let Some(label) = queue.pop() else { break };
            for &user in &self.uses[label.index()] {
                self.missing[user.index()] -= 1;
                touched.push(user);
                if self.missing[user.index()] == 0 {
                    ready.push(user);
                }
            }
        }
        let derivation = self.reached[rule.head().index()].then(|| self.derivation(rule.head()));
        for user in touched {
            self.missing[user.index()] += 1;
        }
        for label in reached_labels {
            self.reached[label.index()] = false;
            self.reached_by[label.index()] = None;
        }
        derivation
    }

    /// The rules that were used to reach `head`, ascending.
    fn derivation(&self, head: crate::LabelId) -> Vec<RuleId> {
        let mut by = Vec::new();
        let mut seen = std::collections::HashSet::from([head]);
        let mut open = vec![head];
        while let Some(label) = open.pop() {
            let Some(rule) = self.reached_by[label.index()] else { continue };
            by.push(rule);
            for literal in
                self.program.rule(rule).body().iter().filter(|literal| !literal.is_negated())
            {
                if seen.insert(literal.label()) {
                    open.push(literal.label());
                }
            }
        }
        by.sort_unstable();
        by
    }
}

impl Warning {
    /// The warning as a sentence, with the other rules by line where they were
    /// read from a text.
    pub fn describe<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Described { warning: self, program }
    }
}

struct Described<'a> {
    warning: &'a Warning,
    program: &'a Program,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |rule: RuleId| match self.program.span(rule).line {
            0 => format!("rule {}", rule.index() + 1),
            line => format!("line {line}"),
        };
        match &self.warning.oddity {
            Oddity::Duplicate { of } => write!(f, "the same rule as on {}", at(*of)),
            Oddity::NeverAdds => {
                f.write_str("never adds anything: the head stands in its own body")
            }
            Oddity::Contradictory { on } => write!(
                f,
                "the body holds both `{0}` and `not {0}`; no prediction satisfies it (kept: it still bounds the value of the head)",
                on.display(self.program.labels())
            ),
            Oddity::Subsumed { by } => write!(
                f,
                "says no more than {}, which has the same head and a smaller body",
                at(*by)
            ),
            Oddity::Implied { by } => {
                let lines: Vec<String> = by.iter().take(8).map(|&rule| at(rule)).collect();
                let more = if by.len() > 8 {
                    format!(" and {} more", by.len() - 8)
                } else {
                    String::new()
                };
                write!(f, "follows from {}{more}", lines.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u32, &'static str)> {
        let program = crate::parse(text, None, None).unwrap().program;
        let shallow = lint(&program);
        let mut warnings = shallow.warnings.clone();
        warnings.extend(lint_deep(&program, &shallow));
        warnings.iter().map(|w| (program.span(w.rule).line, w.oddity.code())).collect()
    }

    #[test]
    fn each_oddity_is_found_where_it_is() {
        assert_eq!(codes("a, b -> c\nb, a -> c"), [(2, "duplicate")]);
        assert_eq!(codes("a, c -> c"), [(1, "never-adds")]);
        assert_eq!(codes("a, not a -> c"), [(1, "contradictory-body")]);
        assert_eq!(codes("a, b -> c\na -> c"), [(1, "subsumed")]);
        assert_eq!(codes("a -> c\n-> c"), [(1, "subsumed")]);
        assert_eq!(codes("a -> b\nb -> c\na -> c"), [(3, "implied")]);
        assert_eq!(codes("not x -> b\nb -> c\nnot x, d -> c"), [(3, "implied")]);
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        assert_eq!(codes("a -> b\nb -> c\na -> d\nc -> e\nd -> e"), []);
        // The negation is not assumed, so line 3 adds something.
        assert_eq!(codes("a, not x -> b\nb -> c\na -> c"), []);
        // A rule and its derivation through itself.
        assert_eq!(codes("a -> b\nb -> a"), []);
    }

    #[test]
    fn superfluous_rules_do_not_excuse_each_other() {
        // Line 2 repeats line 1; line 1 alone must not be called implied.
        assert_eq!(codes("a -> b\na -> b"), [(2, "duplicate")]);
    }
}

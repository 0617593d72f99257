//! A program: labels and a stratified set of rules.
//!
//! Invariant: a [`Program`] is stratified. No cycle of its dependency graph
//! has a negative edge, so the value of a class is known before its negation
//! is needed, and the layer is well defined. Rules keep the order in which they
//! were written, which decides ties and nothing else.

mod ancestors;
mod bytes;
mod closure;
mod graph;
mod hidden_requirements;
mod hide;
mod numbering;
mod requirements;
mod strata;

pub use ancestors::Ancestors;
pub use bytes::BadProgramBytes;
pub use closure::{ClosureTooLarge, closure};
pub use graph::{Components, Dependency, DependencyGraph};
pub use hide::HidingError;
pub use numbering::Numbering;
pub use requirements::{ClashingLine, RequirementError, Undecided, Unsatisfiable};
pub use strata::Strata;

use crate::flat::Flat;
use crate::label::{LabelId, Labels};
use crate::rule::{Rule, RuleId};
use crate::span::Span;
use requirements::Required;
use std::fmt;

/// How much of the rule language a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProgramKind {
    /// No negation.
    Definite,
    /// Negation, but only of classes that are not the head of a rule.
    SemiPositive,
    /// Negation of derived classes, without a cycle through it.
    Stratified,
}

impl fmt::Display for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Definite => "definite",
            Self::SemiPositive => "semi-positive",
            Self::Stratified => "stratified",
        })
    }
}

/// A cycle of rules through a negation: why a set of rules is not stratified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NegativeCycle {
    /// The steps in order, the first one negative; the last one leads back to
    /// where the first one starts.
    pub steps: Vec<CycleStep>,
}

/// One step of a cycle: a rule, and the two classes that it links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleStep {
    /// The class in the body of the rule.
    pub from: String,
    /// The head of the rule.
    pub to: String,
    /// Whether `from` is negated there.
    pub negated: bool,
    /// The rule.
    pub rule: RuleId,
    /// The rule as text.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

impl fmt::Display for NegativeCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` depends on its own negation (", self.steps[0].from)?;
        let (first, more, last) = ends(&self.steps);
        let write = |f: &mut fmt::Formatter<'_>, step: &CycleStep| {
            write!(f, "{}{} -> ", if step.negated { "not " } else { "" }, step.from)
        };
        first.iter().try_for_each(|step| write(f, step))?;
        if more > 0 {
            write!(f, "… and {more} more … -> ")?;
        }
        last.iter().try_for_each(|step| write(f, step))?;
        write!(f, "{})", self.steps[0].from)
    }
}

/// The most items of a list that a message has, of its beginning and of its end.
const ENDS: [usize; 2] = [6, 4];

/// The first and the last few items of a list, and how many are between them: what a message shows, however long the
/// list is.
pub fn ends<T>(items: &[T]) -> (&[T], usize, &[T]) {
    let [first, last] = ENDS;
    match items.len() > first + last {
        true => (&items[..first], items.len() - first - last, &items[items.len() - last..]),
        false => (items, 0, &[]),
    }
}

/// A set of rules that is not stratified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotStratified {
    /// One cycle for every component with a negative edge inside; at least one.
    pub cycles: Vec<NegativeCycle>,
}

impl fmt::Display for NotStratified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the rules are not stratified")?;
        let (first, more, last) = ends(&self.cycles);
        first.iter().try_for_each(|cycle| write!(f, "; {cycle}"))?;
        if more > 0 {
            write!(f, "; … and {more} more …")?;
        }
        last.iter().try_for_each(|cycle| write!(f, "; {cycle}"))
    }
}

impl std::error::Error for NotStratified {}

/// A stratified set of rules over a list of labels.
///
/// Read from text by [`str::parse`], with the classes in the order of their first
/// occurrence, or by [`RuleText`](crate::RuleText) where the classes or the dialect are given.
///
/// ```
/// let program: rulebound_core::Program = "stomach -> abdomen".parse()?;
/// assert!(program.is_hierarchy());
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
///
/// Or built from rules:
///
/// ```
/// use rulebound_core::{Labels, Literal, Program, Rule};
/// let labels = Labels::new(["a", "b"])?;
/// let [a, b] = [0, 1].map(rulebound_core::LabelId::new);
/// let program = Program::new(labels, vec![Rule::new(b, [Literal::negative(a)])])?;
/// assert_eq!(program.strata().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    labels: Labels,
    rules: Vec<Rule>,
    spans: Vec<Span>,
    /// The rules of every head.
    by_head: Flat<RuleId>,
    components: Components,
    strata: Strata,
    kind: ProgramKind,
    required: Required,
    numbering: Option<Numbering>,
}

impl Program {
    /// A program of rules that were not read from a text.
    ///
    /// # Errors
    /// One cycle for every component that has a negative edge inside.
    ///
    /// # Panics
    /// If a rule contains a label past the end of `labels`.
    pub fn new(labels: Labels, rules: Vec<Rule>) -> Result<Self, NotStratified> {
        let spans = vec![Span::default(); rules.len()];
        Self::from_source(labels, rules, spans)
    }

    /// A program of rules and where each of them was written.
    ///
    /// # Errors
    /// As [`new`](Self::new); the steps of a cycle have their places.
    ///
    /// # Panics
    /// If a rule speaks of a label past the end of `labels`, or there is not one place for each rule.
    pub fn from_source(
        labels: Labels,
        rules: Vec<Rule>,
        spans: Vec<Span>,
    ) -> Result<Self, NotStratified> {
        assert_eq!(rules.len(), spans.len(), "one place for each rule");
        let graph = DependencyGraph::new(labels.len(), &rules);
        let components = graph.components();
        let cycles = graph.negative_cycles(&components);
        if !cycles.is_empty() {
            let name = |steps: Vec<Dependency>| NegativeCycle {
                steps: steps
                    .into_iter()
                    .map(|step| CycleStep {
                        from: labels.name(step.from).to_owned(),
                        to: labels.name(step.to).to_owned(),
                        negated: step.negated,
                        rule: step.rule,
                        text: rules[step.rule.index()].display(&labels).to_string(),
                        span: spans[step.rule.index()],
                    })
                    .collect(),
            };
            return Err(NotStratified { cycles: cycles.into_iter().map(name).collect() });
        }
        let head = |(index, rule): (usize, &Rule)| (rule.head().index() as u32, RuleId::new(index));
        let by_head = Flat::new(labels.len(), rules.iter().enumerate().map(head).collect());
        let rules_of = |head: LabelId| by_head.list(head.index() as u32);
        let strata = Strata::new(&components, &rules, rules_of);
        let kind = kind(&rules, rules_of);
        let required = Required::default();
        let numbering = None;
        Ok(Self { labels, rules, spans, by_head, components, strata, kind, required, numbering })
    }

    /// The same classes without any rules or requirements.
    #[must_use]
    pub fn without_rules(&self) -> Self {
        match Self::new(self.labels.clone(), Vec::new()) {
            Ok(program) => program.with_settle_limit(self.settle_limit()),
            Err(error) => unreachable!("no rules close no cycle: {error}"),
        }
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The rules in the order written.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// One rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// The ids of all rules in the order written.
    pub fn rule_ids(&self) -> impl ExactSizeIterator<Item = RuleId> + use<> {
        (0..self.rules.len()).map(RuleId::new)
    }

    /// Where a rule was written; line 0 if it was not read from a text.
    pub fn span(&self, id: RuleId) -> Span {
        self.spans[id.index()]
    }

    /// The rules with this head, in the order written.
    pub fn rules_of(&self, head: LabelId) -> &[RuleId] {
        self.by_head.list(head.index() as u32)
    }

    /// The strongly connected components of the dependency graph, bodies
    /// before heads.
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// The strata of CompStrata(Π).
    pub fn strata(&self) -> &Strata {
        &self.strata
    }

    /// How much of the rule language the program uses.
    pub fn kind(&self) -> ProgramKind {
        self.kind
    }

    /// Whether the rules are a hierarchy: only rules `child -> parent`, and no class is its own ancestor.
    /// There may be requirements besides: see [`has_requirements`](Self::has_requirements).
    pub fn is_hierarchy(&self) -> bool {
        self.components.len() == self.labels.len()
            && self.rules.iter().all(|rule| {
                matches!(rule.body(), [child] if !child.is_negated() && child.label() != rule.head())
            })
    }

    /// The rules as text in the dialect `rules`, one per line, then the requirements. Reading it back with
    /// the same labels gives the same program.
    pub fn to_text(&self) -> String {
        let rules = self.rules.iter().map(|rule| format!("{}\n", rule.display(&self.labels)));
        rules.collect::<String>() + &self.required.to_text(&self.labels)
    }
}

fn kind<'a>(rules: &[Rule], rules_of: impl Fn(LabelId) -> &'a [RuleId]) -> ProgramKind {
    let mut negated = rules
        .iter()
        .flat_map(Rule::body)
        .filter(|literal| literal.is_negated())
        .map(|literal| literal.label())
        .peekable();
    if negated.peek().is_none() {
        ProgramKind::Definite
    } else if negated.all(|label| rules_of(label).is_empty()) {
        ProgramKind::SemiPositive
    } else {
        ProgramKind::Stratified
    }
}

//! Requirements settled by sureness: margins that satisfy the rules in, margins that satisfy
//! everything out.
//!
//! *What the model is surest of stays; whatever contradicts something surer gives way.* Classes are
//! taken by the size of their margins, the preferred ones before all others; each takes its own side
//! unless what is settled already excludes it, and whatever follows from it by the clauses and groups
//! is settled with it, at its strength. The value of a class is ± the margin of the assumption that
//! settled it: nothing but comparisons, copies and changes of sign happens to a number.
//!
//! Where propagation alone does not settle a row, a solver that learns clauses does ([`optimum`]); it also
//! says whether anything satisfies everything ([`oracle`]), and which lines clash ([`mod@clash`]).
//!
//! Invariant: a row that comes out satisfies every rule and requirement; a row for which that would
//! take too long is an error and never an incoherent row.

mod analysis;
mod clash;
mod counters;
mod counting;
mod derived;
mod implicates;
mod knowledge;
mod limit;
mod optimum;
mod oracle;
mod plan;
mod satisfiable;
mod search;
mod settlement;
#[cfg(test)]
mod tests;
mod trail;

pub(crate) use clash::{Broken, Question, Stopped, Switches, broken_ways, clash};
use knowledge::Knowledge;
pub(crate) use knowledge::Source;
pub use limit::SettleLimit;
pub use plan::{Counter, SettlePlan};
pub use settlement::{Settled, SettledBy, Settlement};

use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::requirement::Requirement;
use crate::rule::{Literal, Rule};
use derived::Derived;
use oracle::{Answer, Oracle};
use search::{Ending, Search};
use trail::{HOLDS, OPEN, Trail};

/// How many assumptions a row may turn before it is settled with a solver.
const TURNS: usize = 100;

/// How many steps of propagation are spent on finding what always holds.
const PROBING: usize = 20_000_000;

/// How many pairs of clauses are compared to find what propagation does not see.
const COMPARISONS: usize = 30_000_000;

/// Whether rows can need search: whether both sides of a class can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchNeed {
    /// No row needs search, and whatever follows is found by propagation: values depend on what the
    /// requirements mean and not on how they are written.
    Closed,
    /// No row needs search.
    Never,
    /// It was not found within the limit whether a row can need search.
    Unknown,
}

/// All rules and requirements of a program, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Settler {
    knowledge: Knowledge,
    /// What holds in every prediction.
    root: Trail,
    preferred: Vec<u32>,
    others: Vec<u32>,
    need: SearchNeed,
    derived: Derived,
    limit: SettleLimit,
    /// How many assumptions a row may turn before it is settled with a solver.
    turns: usize,
    /// A prediction that satisfies everything, where it took a solver to find one.
    witness: Option<Box<[bool]>>,
}

/// Why rules and requirements cannot be compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// Nothing satisfies them all.
    Unsatisfiable,
    /// Whether anything does was not found within the limit.
    Undecided,
}

/// A row could not be settled within the limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unsettled {
    /// The rules and requirements that took part.
    pub sources: Vec<Source>,
}

/// The memory of [`Settler::settle`], kept between rows.
#[derive(Clone, Debug)]
pub(crate) struct SettleSpace {
    search: Search,
    order: Vec<(u64, u32)>,
}

impl Settler {
    /// Compiles rules and requirements. Preferred classes are settled first, in this order. With a
    /// prediction that satisfies everything, as `witness`, nothing has to be decided.
    pub fn new(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        preferred: &[LabelId],
        limit: SettleLimit,
        witness: Option<&[bool]>,
    ) -> Result<Self, Refusal> {
        Self::within(classes, rules, requirements, preferred, limit, witness, COMPARISONS)
    }

    /// As [`new`](Self::new), with a limit on what is spent on implicates.
    fn within(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        preferred: &[LabelId],
        limit: SettleLimit,
        witness: Option<&[bool]>,
        comparisons: usize,
    ) -> Result<Self, Refusal> {
        let unsatisfiable = |_| Refusal::Unsatisfiable;
        let mut derived = Derived::new(rules.len() + requirements.len());
        let compile =
            |derived: &Derived| Knowledge::new(classes, rules, requirements, &derived.clauses);
        let mut knowledge = compile(&derived);
        let mut search = satisfiable::root(&knowledge, derived.sources()).map_err(unsatisfiable)?;
        let probed = satisfiable::probe(&knowledge, &mut search, &mut derived, PROBING)
            .ok_or(Refusal::Unsatisfiable)?;
        let (need, needed) = implicates::find(classes, rules, requirements, probed, comparisons)
            .ok_or(Refusal::Unsatisfiable)?;
        for (clause, sources) in needed {
            if !implicates::is_absorbed(&clause, &knowledge, &mut search) {
                derived.push(clause, sources);
                knowledge = compile(&derived);
                search = satisfiable::root(&knowledge, derived.sources()).map_err(unsatisfiable)?;
            }
        }
        if need == SearchNeed::Unknown {
            let before = derived.sources();
            counting::derive(classes, rules, requirements, &mut derived);
            if derived.sources() > before {
                knowledge = compile(&derived);
                search = satisfiable::root(&knowledge, derived.sources()).map_err(unsatisfiable)?;
            }
        }
        let witness = match (need, witness) {
            (SearchNeed::Closed | SearchNeed::Never, _) => None,
            (SearchNeed::Unknown, Some(witness)) => Some(witness.into()),
            (SearchNeed::Unknown, None) => Some(decide(&knowledge, limit)?),
        };
        search.trail.used.resize(derived.sources(), false);
        let mut is_preferred = vec![false; classes];
        preferred.iter().for_each(|class| is_preferred[class.index()] = true);
        let root = search.into_root(&knowledge);
        let others = knowledge.labels().filter(|class| !is_preferred[class.index()]);
        Ok(Self {
            others: others.map(|class| class.index() as u32).collect(),
            preferred: preferred.iter().map(|class| class.index() as u32).collect(),
            knowledge,
            root,
            need,
            derived,
            limit,
            turns: TURNS,
            witness,
        })
    }

    /// A prediction that satisfies everything, where it took a solver to find one.
    pub fn witness(&self) -> Option<&[bool]> {
        self.witness.as_deref()
    }

    /// What a row may spend.
    pub fn limit(&self) -> SettleLimit {
        self.limit
    }

    /// The same with another limit for rows.
    pub fn with_limit(&self, limit: SettleLimit) -> Self {
        Self { limit, ..self.clone() }
    }

    /// Whether rows can need search.
    pub fn need(&self) -> SearchNeed {
        self.need
    }

    /// About how many numbers one row touches.
    pub fn cost(&self) -> usize {
        self.knowledge.cost()
    }

    /// The side of a class that every prediction has.
    pub fn always(&self, class: LabelId) -> Option<bool> {
        let code = Literal::positive(class).code() as usize;
        (self.root.holds[code] != OPEN).then(|| self.root.holds[code] == HOLDS)
    }

    /// The rules and requirements from which it follows that a class always has the side it has.
    pub fn why_always(&self, class: LabelId) -> Vec<Source> {
        let mut trail = self.root.clone();
        trail.used.fill(false);
        trail.use_sources(&self.knowledge, Literal::positive(class).code());
        self.derived.flatten(&trail.used)
    }

    pub fn space(&self) -> SettleSpace {
        SettleSpace {
            search: Search::new(self.root.clone()),
            order: Vec::with_capacity(self.others.len()),
        }
    }

    /// Settles one row of margins that satisfy the rules, in place; `delegates` of the same row, or
    /// empty.
    pub fn settle<F: Margin>(
        &self,
        values: &mut [F],
        delegates: &mut [Delegate],
        space: &mut SettleSpace,
    ) -> Result<(), Unsettled> {
        self.search(values, space)?;
        let Search { trail, assumptions, .. } = &space.search;
        for class in 0..values.len() {
            let holds = trail.holds[2 * class] == HOLDS;
            let constant = if holds { F::TRUE } else { F::FALSE };
            match trail.level[class] {
                // What follows from nothing is certain; where the rules said so, they decided.
                0 if values[class] == constant => {}
                0 => {
                    values[class] = constant;
                    if let Some(delegate) = delegates.get_mut(class) {
                        *delegate = Delegate::of_fact(class as u32).flip(!holds);
                    }
                }
                level => {
                    let by = assumptions[level as usize - 1].literal;
                    let (decider, flips) = (by as usize >> 1, (by & 1 == 0) != holds);
                    if decider != class {
                        values[class] = if flips { -values[decider] } else { values[decider] };
                        if !delegates.is_empty() {
                            delegates[class] = delegates[decider].flip(flips);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives every class its side, on the trail of `space`.
    fn search<F: Margin>(&self, values: &[F], space: &mut SettleSpace) -> Result<(), Unsettled> {
        let SettleSpace { search, order } = space;
        order.clear();
        let key = |&class: &u32| (!values[class as usize].sureness(), class);
        order.extend(self.others.iter().map(key));
        order.sort_unstable();
        let preferred = self.preferred.len();
        let classes = (0..preferred + order.len()).map(|at| match at.checked_sub(preferred) {
            Some(at) => order[at].1,
            None => self.preferred[at],
        });
        let side = |class: u32| class << 1 | u32::from(!values[class as usize].is_predicted());
        search.trail.used.fill(false);
        let turns = self.turns;
        let ending = match search.run(&self.knowledge, &self.root, classes.clone(), side, turns) {
            Ending::TooManyTurns => {
                search.optimum(&self.knowledge, &self.root, classes, side, self.limit)
            }
            ending => ending,
        };
        match ending {
            Ending::Settled => Ok(()),
            Ending::TooManyTurns | Ending::Unsatisfiable => {
                Err(Unsettled { sources: self.derived.flatten(&search.trail.used) })
            }
        }
    }
}

/// A prediction that satisfies everything.
fn decide(knowledge: &Knowledge, limit: SettleLimit) -> Result<Box<[bool]>, Refusal> {
    let mut oracle = Oracle::new(knowledge, |_| None, limit);
    match oracle.ask([]) {
        Answer::Yes => {
            Ok(knowledge.labels().map(|id| oracle.witness((id.index() as u32) << 1)).collect())
        }
        Answer::No => Err(Refusal::Unsatisfiable),
        Answer::Undecided => Err(Refusal::Undecided),
    }
}

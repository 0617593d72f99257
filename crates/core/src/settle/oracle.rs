//! Whether literals can hold together with everything that is known: a solver that learns clauses.
//!
//! The solver is `batsat`, with the groups as its theory ([`Counters`]). An oracle forgets nothing
//! between its questions; whoever needs answers that depend on nothing else makes a new one.

use super::counters::{Counters, lit};
use super::knowledge::Knowledge;
use super::limit::SettleLimit;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;
use std::rc::Rc;

/// What a solver may spend, and has spent, in steps.
struct Budget {
    spent: Rc<Cell<u64>>,
    most: Rc<Cell<u64>>,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, clause: &[Lit], _: ClauseKind) {
        self.spent.set(self.spent.get() + SettleLimit::steps_of_conflict(clause.len()));
    }

    fn stop(&self) -> bool {
        self.spent.get() >= self.most.get()
    }
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// They can; the [witness](Oracle::witness) is one prediction in which they do.
    Yes,
    /// They cannot; the [core](Oracle::core) is why.
    No,
    /// What may be spent was spent.
    Undecided,
}

pub(super) struct Oracle<'a> {
    solver: Solver<Budget>,
    counters: Counters<'a>,
    spent: Rc<Cell<u64>>,
    most: Rc<Cell<u64>>,
    assumed: Vec<Lit>,
    core: Vec<u32>,
}

impl<'a> Oracle<'a> {
    /// All that `knowledge` holds; where there is a choice, a class is tried on the side that `side`
    /// names, or on the one it had last, at first without it.
    pub fn new(
        knowledge: &'a Knowledge,
        side: impl Fn(u32) -> Option<bool>,
        limit: SettleLimit,
    ) -> Self {
        let (spent, most) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(limit.steps())));
        let budget = Budget { spent: Rc::clone(&spent), most: Rc::clone(&most) };
        let mut solver = Solver::new(SolverOpts::default(), budget);
        for variable in 0..knowledge.classes as u32 {
            solver.new_var(side(variable).map_or(lbool::UNDEF, lbool::new), true);
        }
        let mut clause = Vec::new();
        let mut add = |literals: &mut dyn Iterator<Item = u32>| {
            clause.clear();
            clause.extend(literals.map(lit));
            solver.add_clause_reuse(&mut clause);
        };
        if knowledge.falsehood.is_some() {
            add(&mut std::iter::empty());
        }
        for unit in &knowledge.units {
            add(&mut std::iter::once(unit.literal));
        }
        for literal in 0..2 * knowledge.classes as u32 {
            // Each clause of two is there from both of its sides.
            let others = knowledge.implied.list(literal).iter().map(|implied| implied.literal);
            for other in others.filter(|&other| literal ^ 1 < other) {
                add(&mut [literal ^ 1, other].into_iter());
            }
        }
        for at in 0..knowledge.clauses.lists() as u32 {
            add(&mut knowledge.clauses.list(at).iter().copied());
        }
        let counters = Counters::new(knowledge, Rc::clone(&spent));
        Self { solver, counters, spent, most, assumed: Vec::new(), core: Vec::new() }
    }

    /// Lets the oracle spend so much more, whatever it has spent.
    pub fn allow(&mut self, limit: SettleLimit) {
        self.most.set(self.spent.get().saturating_add(limit.steps()));
    }

    /// What it has spent.
    pub fn spent(&self) -> SettleLimit {
        SettleLimit::of_steps(self.spent.get())
    }

    /// Whether these literals can hold together.
    pub fn ask(&mut self, literals: impl IntoIterator<Item = u32>) -> Answer {
        self.assumed.clear();
        self.assumed.extend(literals.into_iter().map(lit));
        self.spent.set(self.spent.get() + self.assumed.len() as u64);
        let before = self.solver.num_propagations();
        let answer = self.solver.solve_limited_th(&mut self.counters, &self.assumed);
        let propagated = self.solver.num_propagations() - before;
        self.spent.set(self.spent.get() + propagated / 4);
        if answer == lbool::TRUE {
            return Answer::Yes;
        }
        if answer != lbool::FALSE {
            return Answer::Undecided;
        }
        self.core.clear();
        let solver = &self.solver;
        let is_core = |one: &&Lit| solver.unsat_core_contains_var(one.var());
        self.core.extend(self.assumed.iter().filter(is_core).map(Lit::idx));
        Answer::No
    }

    /// Whether a literal holds in the prediction that was found last.
    pub fn witness(&self, literal: u32) -> bool {
        self.solver.value_lit(lit(literal)) == lbool::TRUE
    }

    /// Those of the literals asked for last that cannot hold together.
    pub fn core(&self) -> &[u32] {
        &self.core
    }
}

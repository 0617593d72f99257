//! The same optimum for rows in which propagation alone goes wrong too often: a solver that learns
//! clauses is asked before a class takes its side.
//!
//! A prediction that satisfies everything, and agrees with what is settled so far, is kept as witness. A
//! class on whose side the witness is takes it; for another one the solver is asked whether it can. If
//! not, the class takes the other side, at the strength of the least sure of the classes that exclude it.
//!
//! The solver tries classes on the sides that they had in the last witness, so that there is little to repair.
//! Two solvers are kept for a row: in one, what is settled holds for good, which makes it smaller and
//! smaller; the other is asked why a class cannot take its side.
//!
//! Invariant: sides, strengths and whether the limit is reached depend on nothing but the row. That is
//! why each row has a solver of its own; nothing that was learned from one row helps another.

use super::knowledge::Knowledge;
use super::limit::SettleLimit;
use super::oracle::{Answer, Oracle};
use super::search::{Ending, Search};
use super::trail::{OPEN, Reason, Trail};

impl Search {
    /// As [`run`](Self::run), with a solver.
    pub fn optimum(
        &mut self,
        knowledge: &Knowledge,
        root: &Trail,
        order: impl Iterator<Item = u32>,
        side: impl Fn(u32) -> u32,
        limit: SettleLimit,
    ) -> Ending {
        self.trail.reset(root);
        self.assumptions.clear();
        // One that only ever answers whether a class can take its side: what is settled is part of it.
        let mut oracle = Oracle::new(knowledge, |_| None, limit);
        // And one that says why not.
        let mut critic: Option<Oracle<'_>> = None;
        let settled = self.trail.settled.len();
        let mut witness = match oracle.ask([]) {
            Answer::Yes => Witness::new(&oracle, knowledge),
            Answer::No => return Ending::Unsatisfiable,
            Answer::Undecided => return Ending::TooManyTurns,
        };
        for (at, class) in order.enumerate() {
            let literal = side(class);
            if self.trail.holds[literal as usize] != OPEN {
                continue;
            }
            self.assume(literal, at as u32);
            let answer = match self.trail.propagate(knowledge) {
                Ok(()) if witness.holds(literal) => Ok(()),
                Ok(()) => match oracle.ask([literal]) {
                    Answer::Yes => {
                        witness = Witness::new(&oracle, knowledge);
                        Ok(())
                    }
                    Answer::No => {
                        let critic = critic.get_or_insert_with(|| oracle.another(knowledge));
                        match self.excluding(literal, settled, critic) {
                            Some(core) => Err(core),
                            None => return Ending::TooManyTurns,
                        }
                    }
                    Answer::Undecided => return Ending::TooManyTurns,
                },
                Err(conflict) => {
                    let mut involved = std::mem::take(&mut self.involved);
                    self.trail.analyse(knowledge, conflict, &mut involved);
                    let others = involved.iter().copied().filter(|&other| other != literal);
                    let others = others.collect();
                    self.involved = involved;
                    Err(others)
                }
            };
            match answer {
                Ok(()) => oracle.fix(literal),
                Err(others) => {
                    self.turn_last(knowledge, literal, &others);
                    oracle.fix(literal ^ 1);
                    if self.trail.propagate(knowledge).is_err() {
                        // The witness says that this cannot be.
                        return Ending::Unsatisfiable;
                    }
                }
            }
        }
        Ending::Settled
    }

    /// The literals that were chosen or turned, and not found by propagation.
    fn chosen(&self, from: usize) -> impl Iterator<Item = u32> + '_ {
        self.trail.settled[from..].iter().copied().filter(|&literal| {
            let reason = self.trail.reason[literal as usize >> 1];
            matches!(reason, Reason::Assumed | Reason::Clash { .. })
        })
    }

    /// Literals that exclude the last assumption. `None` past the limit.
    fn excluding(&self, literal: u32, from: usize, critic: &mut Oracle<'_>) -> Option<Vec<u32>> {
        let others = self.chosen(from).filter(|&other| other != literal);
        match critic.ask(others.chain([literal])) {
            Answer::No => {
                Some(critic.core().iter().copied().filter(|&one| one != literal).collect())
            }
            // The other solver has said that it is excluded.
            Answer::Yes | Answer::Undecided => None,
        }
    }

    /// Settles the other side of the last assumption, because of these literals.
    fn turn_last(&mut self, knowledge: &Knowledge, literal: u32, others: &[u32]) {
        let Some(turned) = self.assumptions.pop() else { return };
        self.trail.undo(knowledge, turned.settled as usize);
        self.trail.clashes.truncate(turned.clashes as usize);
        let levels = others.iter().map(|&other| self.trail.level[other as usize >> 1]);
        let level = levels.max().unwrap_or(0);
        self.trail.clashes.extend_from_slice(others);
        let reason = Reason::Clash { start: turned.clashes, end: self.trail.clashes.len() as u32 };
        self.trail.settle(literal ^ 1, reason, level);
    }
}

/// A prediction that satisfies everything.
struct Witness {
    sides: Vec<bool>,
}

impl Witness {
    fn new(oracle: &Oracle<'_>, knowledge: &Knowledge) -> Self {
        let sides = (0..knowledge.classes as u32).map(|class| oracle.witness(class << 1));
        Self { sides: sides.collect() }
    }

    fn holds(&self, literal: u32) -> bool {
        self.sides[literal as usize >> 1] == (literal & 1 == 0)
    }
}

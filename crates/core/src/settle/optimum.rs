//! The same optimum for rows in which propagation alone goes wrong too often: a solver that learns
//! clauses is asked before a class takes its side.
//!
//! A prediction that satisfies everything, and agrees with what is settled so far, is kept as witness. A
//! class on whose side the witness is takes it; for another one the solver is asked whether it can, together with
//! everything that was chosen before. If not, the class takes the other side, at the strength of the least sure of the
//! classes that the solver names as the reason.
//!
//! The solver tries classes on the sides that they had in the last witness, so that there is little to repair. What is
//! chosen is assumed and never made part of what the solver knows: then it can say why not, and what it has learned is used for
//! both. (A second solver to ask for reasons, beside one to which choices are added for good, took longer on the hardest rows.)
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
        let mut oracle = Oracle::new(knowledge, |_| None, limit);
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
            let others: Vec<u32> = match self.trail.propagate(knowledge) {
                Ok(()) if witness.holds(literal) => continue,
                Ok(()) => match oracle.ask(self.chosen(settled)) {
                    Answer::Yes => {
                        witness = Witness::new(&oracle, knowledge);
                        continue;
                    }
                    Answer::No => oracle.core().to_vec(),
                    Answer::Undecided => return Ending::TooManyTurns,
                },
                Err(conflict) => {
                    let mut involved = std::mem::take(&mut self.involved);
                    self.trail.analyse(knowledge, conflict, &mut involved);
                    let others = involved.clone();
                    self.involved = involved;
                    others
                }
            };
            self.turn_last(knowledge, literal, &others);
            if self.trail.propagate(knowledge).is_err() {
                // The witness says that this cannot be.
                return Ending::Unsatisfiable;
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

    /// Settles the other side of the last assumption, because of these literals, of which it may be one.
    fn turn_last(&mut self, knowledge: &Knowledge, literal: u32, reasons: &[u32]) {
        let Some(turned) = self.assumptions.pop() else { return };
        let others: Vec<u32> = reasons.iter().copied().filter(|&one| one != literal).collect();
        self.trail.undo(knowledge, turned.settled as usize);
        self.trail.clashes.truncate(turned.clashes as usize);
        let levels = others.iter().map(|&other| self.trail.level[other as usize >> 1]);
        let level = levels.max().unwrap_or(0);
        self.trail.clashes.extend(&others);
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

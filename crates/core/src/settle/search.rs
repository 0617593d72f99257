//! Strongest first: classes take the side that the model is on, one after the other, unless that
//! contradicts what is settled already.
//!
//! Depth first with the own side first, so what comes out is the lexicographic optimum: on the first
//! class of the order where any other coherent prediction differs, this one agrees with the model.
//! Where both sides of a class fail, the last assumption that either failure rests on is turned;
//! those after it had no part in it. A row with many such turns is left to a solver
//! ([`super::optimum`]).

use super::knowledge::Knowledge;
use super::trail::{Conflict, HOLDS, OPEN, Reason, Trail};

/// An assumption: a class took the model's side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assumption {
    pub literal: u32,
    /// Its place in the order.
    at: u32,
    /// The trail and the clashes before it.
    pub settled: u32,
    pub clashes: u32,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// Every class has a side.
    Settled,
    /// No prediction satisfies everything.
    Unsatisfiable,
    /// More assumptions had to be turned than is allowed.
    TooManyTurns,
}

/// The memory of searches.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub trail: Trail,
    pub assumptions: Vec<Assumption>,
    pub involved: Vec<u32>,
    pub turns: usize,
}

impl Search {
    pub fn new(trail: Trail) -> Self {
        let classes = trail.level.len();
        let assumptions = Vec::with_capacity(classes);
        Self { trail, assumptions, involved: Vec::with_capacity(classes), turns: 0 }
    }

    /// Settles all classes of `order` from the state of `root`; `side` is the literal that the model
    /// is on.
    pub fn run(
        &mut self,
        knowledge: &Knowledge,
        root: &Trail,
        order: impl ExactSizeIterator<Item = u32> + Clone,
        side: impl Fn(u32) -> u32,
        most_turns: usize,
    ) -> Ending {
        self.trail.reset(root);
        self.assumptions.clear();
        self.turns = 0;
        let mut rest = order.clone();
        let count = order.len() as u32;
        while let Some(class) = rest.next() {
            let literal = side(class);
            if self.trail.holds[literal as usize] != OPEN {
                continue;
            }
            let at = count - rest.len() as u32 - 1;
            self.assume(literal, at);
            let Err(conflict) = self.trail.propagate(knowledge) else { continue };
            match self.turn(knowledge, conflict, most_turns) {
                Ok(at) if at == count - rest.len() as u32 - 1 => {}
                Ok(at) => {
                    // Back to the class that was turned; it is settled now.
                    rest = order.clone();
                    if at > 0 {
                        rest.nth(at as usize - 1);
                    }
                }
                Err(ending) => return ending,
            }
        }
        Ending::Settled
    }

    pub fn assume(&mut self, literal: u32, at: u32) {
        let settled = self.trail.settled.len() as u32;
        let clashes = self.trail.clashes.len() as u32;
        self.assumptions.push(Assumption { literal, at, settled, clashes });
        self.trail.settle(literal, Reason::Assumed, self.assumptions.len() as u32);
    }

    /// Turns assumptions, the last one first, until nothing contradicts. Returns the place of the class
    /// that was turned last.
    fn turn(
        &mut self,
        knowledge: &Knowledge,
        mut conflict: Conflict,
        most_turns: usize,
    ) -> Result<u32, Ending> {
        let mut is_trial = true;
        loop {
            self.trail.analyse(knowledge, conflict, &mut self.involved);
            let Some(&last) = self.involved.first() else { return Err(Ending::Unsatisfiable) };
            if !std::mem::take(&mut is_trial) {
                self.turns += 1;
                if self.turns > most_turns {
                    return Err(Ending::TooManyTurns);
                }
            }
            let level = self.trail.level[last as usize >> 1] as usize;
            let turned = self.assumptions[level - 1];
            self.assumptions.truncate(level - 1);
            self.trail.undo(knowledge, turned.settled as usize);
            self.trail.clashes.truncate(turned.clashes as usize);
            let others = &self.involved[1..];
            let level = others.first().map_or(0, |&other| self.trail.level[other as usize >> 1]);
            self.trail.clashes.extend_from_slice(others);
            let reason =
                Reason::Clash { start: turned.clashes, end: self.trail.clashes.len() as u32 };
            self.trail.settle(last ^ 1, reason, level);
            match self.trail.propagate(knowledge) {
                Ok(()) => return Ok(turned.at),
                Err(next) => conflict = next,
            }
        }
    }

    /// The trail before the first assumption.
    pub fn into_root(mut self, knowledge: &Knowledge) -> Trail {
        self.forget(knowledge);
        self.trail
    }

    /// Takes back all assumptions.
    pub fn forget(&mut self, knowledge: &Knowledge) {
        if let Some(first) = self.assumptions.first() {
            self.trail.undo(knowledge, first.settled as usize);
        }
        self.trail.clashes.clear();
        self.assumptions.clear();
    }

    /// Whether `literals` can all be assumed together as far as propagation tells; what follows from
    /// them is on the trail until they are [forgotten](Self::forget).
    pub fn assume_all(&mut self, knowledge: &Knowledge, literals: &[u32]) -> bool {
        self.forget(knowledge);
        for &literal in literals {
            match self.trail.holds[literal as usize] {
                HOLDS => continue,
                OPEN => self.assume(literal, 0),
                _ => return false,
            }
            if self.trail.propagate(knowledge).is_err() {
                return false;
            }
        }
        true
    }
}

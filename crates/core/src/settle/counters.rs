//! Groups inside the solver: counters that tell it what follows, and why.
//!
//! A group is never written as clauses, neither pairs nor a totalizer: its memory is its members,
//! whatever its bounds are, and the solver asks for a clause only where a conflict rests on it.
//!
//! Invariant between calls: the literals of `seen`, the first ones of the solver's trail, are counted
//! in every group that contains them, and no others are.

use super::knowledge::{GUARD_FAILS, Knowledge, MEMBER_FAILS, MEMBER_HOLDS};
use super::trail::Counts;
use batsat::{Lit, Theory, TheoryArg, Var, lbool};
use std::cell::Cell;
use std::rc::Rc;

/// Why a group settled a literal: on which side its members had become too many, and the place on the
/// trail where that was.
#[derive(Clone, Copy, Default)]
struct Cause {
    group: u32,
    most: bool,
    place: u32,
}

/// What a group says of what is on the trail.
enum Verdict {
    Open,
    /// These literals follow, all for the same cause.
    Follows,
    /// The group is broken.
    Broken,
}

pub(super) struct Counters<'a> {
    knowledge: &'a Knowledge,
    counts: Vec<Counts>,
    seen: Vec<u32>,
    /// Of each literal, by its code: whether it is among `seen`.
    holds: Vec<bool>,
    /// Of each variable that is settled: its place in `seen`.
    place: Vec<u32>,
    causes: Vec<Cause>,
    /// How many literals had been seen when each level was begun.
    levels: Vec<u32>,
    reason: Vec<Lit>,
    following: Vec<u32>,
    has_begun: bool,
    spent: Rc<Cell<u64>>,
}

pub(super) fn lit(code: u32) -> Lit {
    Lit::new(Var::unsafe_from_idx(code >> 1), code & 1 == 0)
}

impl<'a> Counters<'a> {
    /// The groups of `knowledge`; what they look at is added to `spent`.
    pub fn new(knowledge: &'a Knowledge, spent: Rc<Cell<u64>>) -> Self {
        let variables = knowledge.classes;
        Self {
            knowledge,
            counts: vec![Counts::default(); knowledge.groups.len()],
            seen: Vec::new(),
            holds: vec![false; 2 * variables],
            place: vec![0; variables],
            causes: vec![Cause::default(); variables],
            levels: Vec::new(),
            reason: Vec::new(),
            following: Vec::new(),
            has_begun: false,
            spent,
        }
    }

    fn spend(&self, literals: usize) {
        self.spent.set(self.spent.get() + literals as u64);
    }

    fn count(&mut self, code: u32) {
        self.place[code as usize >> 1] = self.seen.len() as u32;
        self.holds[code as usize] = true;
        self.seen.push(code);
        for &group_use in self.knowledge.group_uses.list(code) {
            self.counts[group_use as usize >> 2].add(group_use & 3);
        }
    }

    fn forget(&mut self, left: usize) {
        let knowledge = self.knowledge;
        for code in self.seen.drain(left.min(self.seen.len())..) {
            self.holds[code as usize] = false;
            for &group_use in knowledge.group_uses.list(code) {
                self.counts[group_use as usize >> 2].subtract(group_use & 3);
            }
        }
    }

    /// Looks at one bound of a group: too many members hold (`most`), or too few are left. What follows
    /// is in `following`.
    fn look(&mut self, arg: &TheoryArg<'_>, group: u32, most: bool) -> Verdict {
        let knowledge = self.knowledge;
        let bounds = &knowledge.groups[group as usize];
        let counts = self.counts[group as usize];
        let members = knowledge.members(group);
        let (over, full) = match most {
            true => (counts.members_hold > bounds.most, counts.members_hold == bounds.most),
            false => {
                let left = members.len() as u32 - counts.members_fail;
                (left < bounds.least, left == bounds.least)
            }
        };
        if !over && !full {
            return Verdict::Open;
        }
        let guard = knowledge.guard(group);
        let missing = guard.len() as u32 - counts.guards_hold;
        if counts.guards_fail > 0 || missing > u32::from(over) {
            return Verdict::Open;
        }
        self.following.clear();
        if missing == 1 {
            self.spend(guard.len());
            let open = guard.iter().copied().find(|&literal| !self.holds[literal as usize]);
            // One that is settled and not yet seen is looked at when it is.
            let open = open.filter(|&literal| arg.value(lit(literal).var()) == lbool::UNDEF);
            self.following.extend(open.map(|literal| literal ^ 1));
            return Verdict::Follows;
        }
        if over {
            return Verdict::Broken;
        }
        self.spend(members.len());
        let open = members.iter().filter(|&&one| arg.value(lit(one).var()) == lbool::UNDEF);
        self.following.extend(open.map(|&one| if most { one ^ 1 } else { one }));
        Verdict::Follows
    }

    /// Fills `reason` with the literals on which what a group says rests, seen before a place.
    fn explain(&mut self, cause: Cause) {
        let Cause { group, most, place } = cause;
        let (guard, members) = (self.knowledge.guard(group), self.knowledge.members(group));
        self.spend(guard.len() + members.len());
        self.reason.clear();
        let flip = u32::from(!most);
        let of_members = members.iter().map(|&one| one ^ flip);
        for code in guard.iter().copied().chain(of_members) {
            if self.holds[code as usize] && self.place[code as usize >> 1] < place {
                self.reason.push(lit(code));
            }
        }
    }

    /// Looks at a bound and tells the solver. Returns whether to continue.
    fn tell(&mut self, arg: &mut TheoryArg<'_>, group: u32, most: bool) -> bool {
        match self.look(arg, group, most) {
            Verdict::Open => true,
            Verdict::Follows => {
                let place = self.seen.len() as u32;
                for at in 0..self.following.len() {
                    let code = self.following[at];
                    self.causes[code as usize >> 1] = Cause { group, most, place };
                    if !arg.propagate(lit(code)) {
                        return false;
                    }
                }
                true
            }
            Verdict::Broken => {
                self.explain(Cause { group, most, place: u32::MAX });
                let clause: Vec<Lit> = self.reason.iter().map(|&literal| !literal).collect();
                // Without any literal, the set itself is broken: it is found when it is compiled.
                if !clause.is_empty() {
                    arg.raise_conflict(&clause, false);
                }
                false
            }
        }
    }
}

impl Theory for Counters<'_> {
    fn partial_check(&mut self, arg: &mut TheoryArg<'_>) {
        let knowledge = self.knowledge;
        if !std::mem::replace(&mut self.has_begun, true) {
            for group in 0..self.counts.len() as u32 {
                if !self.tell(arg, group, true) || !self.tell(arg, group, false) {
                    return;
                }
            }
        }
        while let Some(literal) = arg.model().get(self.seen.len()) {
            let code = literal.idx();
            self.count(code);
            for &group_use in knowledge.group_uses.list(code) {
                let (group, role) = (group_use >> 2, group_use & 3);
                if role == GUARD_FAILS {
                    continue;
                }
                if role != MEMBER_FAILS && !self.tell(arg, group, true) {
                    return;
                }
                if role != MEMBER_HOLDS && !self.tell(arg, group, false) {
                    return;
                }
            }
        }
    }

    fn final_check(&mut self, arg: &mut TheoryArg<'_>) {
        self.partial_check(arg);
    }

    fn create_level(&mut self) {
        self.levels.push(self.seen.len() as u32);
    }

    fn pop_levels(&mut self, n: usize) {
        let Some(level) = self.levels.len().checked_sub(n) else { return };
        let Some(&left) = self.levels.get(level) else { return };
        self.levels.truncate(level);
        self.forget(left as usize);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, literal: Lit) -> &[Lit] {
        self.explain(self.causes[literal.var().idx() as usize]);
        &self.reason
    }
}

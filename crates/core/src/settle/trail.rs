//! What is settled so far, in the order in which it was settled, and why.
//!
//! Invariant between calls: the literals before `head` are counted in every clause and group that
//! contains them, the others in none; [`Trail::undo`] takes back exactly that.

use super::knowledge::{GUARD_FAILS, GUARD_HOLDS, Knowledge, MEMBER_FAILS, MEMBER_HOLDS, Source};

pub(super) const OPEN: u8 = 0;
pub(super) const HOLDS: u8 = 1;
pub(super) const FAILS: u8 = 2;

/// Why a literal holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Reason {
    /// It is the side that the model is on.
    Assumed,
    /// A clause of this literal alone.
    Unit(Source),
    /// A clause of two: the other literal's negation holds.
    Implied { by: u32, source: Source },
    /// A longer clause of which nothing else holds.
    Clause(u32),
    /// A group that has as many members as it may have (`most`), or needs all that are left.
    Group { group: u32, most: bool },
    /// The other side clashes with these assumptions, literals `start..end` of the clashes.
    Clash { start: u32, end: u32 },
}

/// What cannot all hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Conflict {
    /// A clause of two, by the negations of its literals.
    Pair {
        holds: u32,
        fails: u32,
        source: Source,
    },
    Clause(u32),
    Group {
        group: u32,
        most: bool,
    },
    /// A literal and its negation, both for a reason of their own.
    Unit {
        literal: u32,
        source: Source,
    },
}

/// How many members and guard literals of a group hold, and do not.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Counts {
    pub members_hold: u32,
    pub members_fail: u32,
    pub guards_hold: u32,
    pub guards_fail: u32,
}

impl Counts {
    /// Counts a literal by what it is to the group.
    #[inline(always)]
    pub fn add(&mut self, role: u32) {
        *self.of(role) += 1;
    }

    /// Takes that back.
    #[inline(always)]
    pub fn subtract(&mut self, role: u32) {
        *self.of(role) -= 1;
    }

    #[inline(always)]
    fn of(&mut self, role: u32) -> &mut u32 {
        match role {
            MEMBER_HOLDS => &mut self.members_hold,
            MEMBER_FAILS => &mut self.members_fail,
            GUARD_HOLDS => &mut self.guards_hold,
            _ => &mut self.guards_fail,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// Of each literal, by its code.
    pub holds: Vec<u8>,
    /// Of each class: the assumption that settled it, from 1; 0 if none was needed.
    pub level: Vec<u32>,
    pub reason: Vec<Reason>,
    pub(super) place: Vec<u32>,
    pub settled: Vec<u32>,
    head: usize,
    failing: Vec<u32>,
    counts: Vec<Counts>,
    /// The assumptions of all clashes on the trail, one after the other.
    pub clashes: Vec<u32>,
    pub(super) seen: Vec<bool>,
    /// Of each group: the last analysis that marked what failed in it, and what held.
    pub(super) marked: Vec<[u32; 2]>,
    /// The analysis that goes on.
    pub(super) analysis: u32,
    /// The sources that took part in a conflict since this was cleared.
    pub used: Vec<bool>,
}

impl Trail {
    pub fn new(knowledge: &Knowledge, sources: usize) -> Self {
        let classes = knowledge.classes;
        Self {
            holds: vec![OPEN; 2 * classes],
            level: vec![0; classes],
            reason: vec![Reason::Assumed; classes],
            place: vec![0; classes],
            settled: Vec::with_capacity(classes),
            head: 0,
            failing: vec![0; knowledge.clauses.lists()],
            counts: vec![Counts::default(); knowledge.groups.len()],
            clashes: Vec::new(),
            seen: vec![false; classes],
            marked: vec![[0; 2]; knowledge.groups.len()],
            analysis: 0,
            used: vec![false; sources],
        }
    }

    /// Goes back to the state of `root`, of which this is a continuation.
    pub fn reset(&mut self, root: &Self) {
        self.holds.copy_from_slice(&root.holds);
        self.failing.copy_from_slice(&root.failing);
        self.counts.copy_from_slice(&root.counts);
        self.settled.truncate(root.settled.len());
        self.head = root.head;
        self.clashes.truncate(root.clashes.len());
    }

    #[inline(always)]
    pub fn settle(&mut self, literal: u32, reason: Reason, level: u32) {
        self.holds[literal as usize] = HOLDS;
        self.holds[literal as usize ^ 1] = FAILS;
        let class = literal as usize >> 1;
        self.level[class] = level;
        self.reason[class] = reason;
        self.place[class] = self.settled.len() as u32;
        self.settled.push(literal);
    }

    #[inline(always)]
    fn level_of(&self, literal: u32) -> u32 {
        self.level[literal as usize >> 1]
    }

    /// Settles all clauses of one literal; with no assumptions made.
    pub fn settle_units(&mut self, knowledge: &Knowledge) -> Result<(), Conflict> {
        for unit in &knowledge.units {
            match self.holds[unit.literal as usize] {
                OPEN => self.settle(unit.literal, Reason::Unit(unit.source), 0),
                FAILS => {
                    return Err(Conflict::Unit { literal: unit.literal, source: unit.source });
                }
                _ => {}
            }
        }
        self.propagate(knowledge)
    }

    /// Settles everything that follows, clause by clause.
    pub fn propagate(&mut self, knowledge: &Knowledge) -> Result<(), Conflict> {
        while self.head < self.settled.len() {
            let literal = self.settled[self.head];
            let mut conflict = None;
            let level = self.level_of(literal);
            for &implied in knowledge.implied.list(literal) {
                match self.holds[implied.literal as usize] {
                    OPEN => {
                        let reason = Reason::Implied { by: literal, source: implied.source };
                        self.settle(implied.literal, reason, level);
                    }
                    FAILS => {
                        let (fails, source) = (implied.literal, implied.source);
                        conflict = Some(Conflict::Pair { holds: literal, fails, source });
                        break;
                    }
                    _ => {}
                }
            }
            // All counts are taken also after a conflict: that is how they are taken back.
            for &clause in knowledge.uses.list(literal ^ 1) {
                self.failing[clause as usize] += 1;
                let size = knowledge.clauses.list(clause).len() as u32;
                if conflict.is_none() && self.failing[clause as usize] + 1 == size {
                    conflict = self.last_of_clause(knowledge, clause).err();
                }
            }
            for &group_use in knowledge.group_uses.list(literal) {
                let (group, role) = (group_use >> 2, group_use & 3);
                let counts = &mut self.counts[group as usize];
                match role {
                    MEMBER_HOLDS => counts.members_hold += 1,
                    MEMBER_FAILS => counts.members_fail += 1,
                    GUARD_HOLDS => counts.guards_hold += 1,
                    _ => counts.guards_fail += 1,
                }
                if conflict.is_none() && role != GUARD_FAILS {
                    let most = role != MEMBER_FAILS;
                    let least = role != MEMBER_HOLDS;
                    if most {
                        conflict = self.most_of_group(knowledge, group, role).err();
                    }
                    if least && conflict.is_none() {
                        conflict = self.least_of_group(knowledge, group, role).err();
                    }
                }
            }
            self.head += 1;
            if let Some(conflict) = conflict {
                return Err(conflict);
            }
        }
        Ok(())
    }

    /// All literals of a clause but one are counted as failing: the last one must hold.
    fn last_of_clause(&mut self, knowledge: &Knowledge, clause: u32) -> Result<(), Conflict> {
        let mut level = 0;
        let mut last = None;
        for &literal in knowledge.clauses.list(clause) {
            match self.holds[literal as usize] {
                HOLDS => return Ok(()),
                OPEN => last = Some(literal),
                _ => level = level.max(self.level_of(literal)),
            }
        }
        let last = last.ok_or(Conflict::Clause(clause))?;
        self.settle(last, Reason::Clause(clause), level);
        Ok(())
    }

    /// The level of the counted guard of a group, and its one literal that is not counted yet; `None`
    /// if more is missing, or a literal of the guard fails.
    fn guard(&self, knowledge: &Knowledge, group: u32) -> Option<(u32, Option<u32>)> {
        let counts = self.counts[group as usize];
        let guard = knowledge.guard(group);
        let missing = guard.len() as u32 - counts.guards_hold;
        if counts.guards_fail > 0 || missing > 1 {
            return None;
        }
        let mut level = 0;
        let mut open = None;
        for &literal in guard {
            match self.holds[literal as usize] {
                HOLDS => level = level.max(self.level_of(literal)),
                FAILS => return None,
                _ => open = Some(literal),
            }
        }
        // A literal that holds and is not counted yet: the group is looked at again with it.
        (missing == 0 || open.is_some()).then_some((level, open))
    }

    /// Too many members hold, or as many as may.
    fn most_of_group(
        &mut self,
        knowledge: &Knowledge,
        group: u32,
        role: u32,
    ) -> Result<(), Conflict> {
        let most = knowledge.groups[group as usize].most;
        let hold = self.counts[group as usize].members_hold;
        // As many as may: only when that has become so.
        if hold < most || (hold == most && role == MEMBER_FAILS) {
            return Ok(());
        }
        let Some((mut level, open)) = self.guard(knowledge, group) else { return Ok(()) };
        if hold == most && open.is_some() {
            return Ok(());
        }
        let members = knowledge.members(group);
        for &member in members {
            if self.holds[member as usize] == HOLDS {
                level = level.max(self.level_of(member));
            }
        }
        let reason = Reason::Group { group, most: true };
        match open {
            Some(open) => self.settle(open ^ 1, reason, level),
            None if hold > most => return Err(Conflict::Group { group, most: true }),
            None => {
                for &member in members {
                    if self.holds[member as usize] == OPEN {
                        self.settle(member ^ 1, reason, level);
                    }
                }
            }
        }
        Ok(())
    }

    /// Too few members are left, or just as many as must hold.
    fn least_of_group(
        &mut self,
        knowledge: &Knowledge,
        group: u32,
        role: u32,
    ) -> Result<(), Conflict> {
        let members = knowledge.members(group);
        let least = knowledge.groups[group as usize].least;
        let left = members.len() as u32 - self.counts[group as usize].members_fail;
        if left > least || (left == least && role == MEMBER_HOLDS) {
            return Ok(());
        }
        let Some((mut level, open)) = self.guard(knowledge, group) else { return Ok(()) };
        if left == least && open.is_some() {
            return Ok(());
        }
        for &member in members {
            if self.holds[member as usize] == FAILS {
                level = level.max(self.level_of(member));
            }
        }
        let reason = Reason::Group { group, most: false };
        match open {
            Some(open) => self.settle(open ^ 1, reason, level),
            None if left < least => return Err(Conflict::Group { group, most: false }),
            None => {
                for &member in members {
                    if self.holds[member as usize] == OPEN {
                        self.settle(member, reason, level);
                    }
                }
            }
        }
        Ok(())
    }

    /// Groups without a guard whose bounds leave no choice from the start, and those that are never met.
    pub fn settle_groups(&mut self, knowledge: &Knowledge) -> Result<(), Conflict> {
        for group in 0..knowledge.groups.len() as u32 {
            self.most_of_group(knowledge, group, GUARD_HOLDS)?;
            self.least_of_group(knowledge, group, GUARD_HOLDS)?;
        }
        self.propagate(knowledge)
    }

    /// Takes back everything from this place on.
    pub fn undo(&mut self, knowledge: &Knowledge, place: usize) {
        for at in (place..self.settled.len()).rev() {
            let literal = self.settled[at];
            self.holds[literal as usize] = OPEN;
            self.holds[literal as usize ^ 1] = OPEN;
            if at >= self.head {
                continue;
            }
            for &clause in knowledge.uses.list(literal ^ 1) {
                self.failing[clause as usize] -= 1;
            }
            for &group_use in knowledge.group_uses.list(literal) {
                let counts = &mut self.counts[group_use as usize >> 2];
                match group_use & 3 {
                    MEMBER_HOLDS => counts.members_hold -= 1,
                    MEMBER_FAILS => counts.members_fail -= 1,
                    GUARD_HOLDS => counts.guards_hold -= 1,
                    _ => counts.guards_fail -= 1,
                }
            }
        }
        self.settled.truncate(place);
        self.head = self.head.min(place);
    }
}

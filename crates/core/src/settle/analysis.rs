//! Why something is on the trail, and what a conflict rests on.

use super::knowledge::Knowledge;
use super::trail::{Conflict, FAILS, HOLDS, Reason, Trail};

impl Trail {
    /// Fills `assumptions` with the assumptions, as literals, that a conflict rests on; the last one
    /// made comes first.
    pub fn analyse(
        &mut self,
        knowledge: &Knowledge,
        conflict: Conflict,
        assumptions: &mut Vec<u32>,
    ) {
        assumptions.clear();
        self.begin();
        let mut marks = 0;
        let from = self.settled.len() as u32;
        self.mark_conflict(knowledge, conflict, from, &mut marks);
        self.trace(knowledge, marks, assumptions);
    }

    /// Marks the sources that a settled class follows from.
    pub fn use_sources(&mut self, knowledge: &Knowledge, literal: u32) {
        self.begin();
        let mut marks = 0;
        self.mark(literal, &mut marks);
        self.trace(knowledge, marks, &mut Vec::new());
    }

    /// Begins an analysis: no group is marked.
    fn begin(&mut self) {
        self.analysis = self.analysis.checked_add(1).unwrap_or_else(|| {
            self.marked.fill([0; 2]);
            1
        });
    }

    /// Follows all marks back to the assumptions.
    fn trace(&mut self, knowledge: &Knowledge, mut marks: usize, assumptions: &mut Vec<u32>) {
        for at in (0..self.settled.len()).rev() {
            if marks == 0 {
                break;
            }
            let literal = self.settled[at];
            let class = literal as usize >> 1;
            if !std::mem::take(&mut self.seen[class]) {
                continue;
            }
            marks -= 1;
            match self.reason[class] {
                Reason::Assumed => assumptions.push(literal),
                reason => self.mark_reason(knowledge, literal, reason, &mut marks),
            }
        }
    }

    fn mark(&mut self, literal: u32, marks: &mut usize) {
        if !std::mem::replace(&mut self.seen[literal as usize >> 1], true) {
            *marks += 1;
        }
    }

    fn mark_conflict(
        &mut self,
        knowledge: &Knowledge,
        conflict: Conflict,
        from: u32,
        marks: &mut usize,
    ) {
        match conflict {
            Conflict::Pair { holds, fails, source } => {
                self.used[source as usize] = true;
                self.mark(holds, marks);
                self.mark(fails, marks);
            }
            Conflict::Unit { literal, source } => {
                self.used[source as usize] = true;
                self.mark(literal, marks);
            }
            Conflict::Clause(clause) => {
                self.used[knowledge.clause_sources[clause as usize] as usize] = true;
                for &literal in knowledge.clauses.list(clause) {
                    self.mark(literal, marks);
                }
            }
            Conflict::Group { group, most } => {
                self.mark_group(knowledge, group, most, from, marks);
            }
        }
    }

    /// Marks what made a group decide, before this place of the trail. The trail is followed backwards, so what was marked
    /// for a later place is all there is to mark: a group is looked through once, however many of its members it settled.
    fn mark_group(
        &mut self,
        knowledge: &Knowledge,
        group: u32,
        most: bool,
        from: u32,
        marks: &mut usize,
    ) {
        let marked = &mut self.marked[group as usize][usize::from(most)];
        if std::mem::replace(marked, self.analysis) == self.analysis {
            return;
        }
        self.used[knowledge.groups[group as usize].source as usize] = true;
        let side = if most { HOLDS } else { FAILS };
        for (literals, side) in [(knowledge.guard(group), HOLDS), (knowledge.members(group), side)]
        {
            for &literal in literals {
                let before = self.place[literal as usize >> 1] < from;
                if self.holds[literal as usize] == side && before {
                    self.mark(literal, marks);
                }
            }
        }
    }

    fn mark_reason(
        &mut self,
        knowledge: &Knowledge,
        literal: u32,
        reason: Reason,
        marks: &mut usize,
    ) {
        match reason {
            Reason::Assumed => {}
            Reason::Unit(source) => self.used[source as usize] = true,
            Reason::Implied { by, source } => {
                self.used[source as usize] = true;
                self.mark(by, marks);
            }
            Reason::Clause(clause) => {
                self.used[knowledge.clause_sources[clause as usize] as usize] = true;
                for &other in knowledge.clauses.list(clause) {
                    if other != literal {
                        self.mark(other, marks);
                    }
                }
            }
            Reason::Group { group, most } => {
                let from = self.place[literal as usize >> 1];
                self.mark_group(knowledge, group, most, from, marks);
            }
            Reason::Clash { start, end } => {
                for at in start..end {
                    self.mark(self.clashes[at as usize], marks);
                }
            }
        }
    }

    /// The literals that a reason rests on, in the order in which they were settled.
    pub fn antecedents(&mut self, knowledge: &Knowledge, literal: u32) -> Vec<u32> {
        self.begin();
        let mut marks = 0;
        let reason = self.reason[literal as usize >> 1];
        self.mark_reason(knowledge, literal, reason, &mut marks);
        let mut found = Vec::with_capacity(marks);
        for at in 0..self.settled.len() {
            let literal = self.settled[at];
            if std::mem::take(&mut self.seen[literal as usize >> 1]) {
                found.push(literal);
            }
        }
        found
    }
}

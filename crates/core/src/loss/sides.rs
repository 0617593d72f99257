//! Who puts a class on the side of its labels, and who on the other.
//!
//! Classes are taken from the strongest down. What a limit concludes from them has the strength of the
//! class that completed it: a largest-smallest path, found as a shortest one.

use super::limits::{Limit, Limits};

/// No class has settled this one yet.
const OPEN: u32 = u32::MAX;

/// It follows from nothing at all.
pub(super) const NOTHING: u32 = u32::MAX - 1;

/// For the labels, or against them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Right,
    Wrong,
}

/// What the labels of a row make of a limit.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// The members that hold.
    held: u32,
    /// The literals of the guard that do not.
    denied: u32,
}

/// What a limit still waits for before it concludes something; `None` if it never does.
type Waiting = Option<(u32, u32)>;

/// The memory of [`Sides::settle`], kept between rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    counts: Vec<Count>,
    waiting: Vec<Waiting>,
    queue: Vec<u32>,
}

impl Sides {
    /// Counts what holds in the labels; whether they break a limit.
    pub fn count(&mut self, limits: &Limits, labels: &[bool]) -> bool {
        self.counts.clear();
        self.counts.extend(limits.limits.iter().map(|limit| {
            let members = limits.members(limit).iter().filter(|&&code| holds(labels, code));
            let denied = limits.guard(limit).iter().filter(|&&code| !holds(labels, code));
            Count { held: members.count() as u32, denied: denied.count() as u32 }
        }));
        let mut pairs = limits.limits.iter().zip(&self.counts);
        pairs.any(|(limit, count)| is_broken(limit, *count))
    }

    /// Finds, for each class, the one whose strength it has on a side; `order` are all classes, the
    /// strongest first. The labels have been counted.
    pub fn settle(
        &mut self,
        side: Side,
        limits: &Limits,
        labels: &[bool],
        order: impl Iterator<Item = u32>,
        by: &mut Vec<u32>,
    ) {
        by.clear();
        by.resize(labels.len(), OPEN);
        self.waiting.clear();
        let pairs = limits.limits.iter().zip(&self.counts);
        self.waiting.extend(pairs.map(|(limit, count)| {
            let guards = limits.guard(limit).len() as u32;
            waiting(side, limit, guards, *count)
        }));
        for limit in 0..self.waiting.len() {
            if self.waiting[limit] == Some((0, 0)) {
                self.conclude(side, limits, labels, limit as u32, NOTHING, by);
            }
        }
        self.follow(side, limits, labels, NOTHING, by);
        for class in order {
            if by[class as usize] == OPEN {
                by[class as usize] = class;
                self.queue.push(class);
                self.follow(side, limits, labels, class, by);
            }
        }
    }

    /// Settles whatever follows from the classes of the queue.
    fn follow(&mut self, side: Side, limits: &Limits, labels: &[bool], from: u32, by: &mut [u32]) {
        while let Some(class) = self.queue.pop() {
            for used in limits.uses.list(class) {
                let holds = labels[class as usize] != used.is_negated;
                let Some((guards, members)) = &mut self.waiting[used.limit as usize] else {
                    continue;
                };
                if holds != (side == Side::Right) {
                    continue;
                }
                let one = if used.is_member { &mut *members } else { &mut *guards };
                *one = one.saturating_sub(1);
                if (*guards, *members) == (0, 0) {
                    self.conclude(side, limits, labels, used.limit, from, by);
                }
            }
        }
    }

    /// A limit is complete: its other literals are settled, too.
    fn conclude(
        &mut self,
        side: Side,
        limits: &Limits,
        labels: &[bool],
        limit: u32,
        from: u32,
        by: &mut [u32],
    ) {
        self.waiting[limit as usize] = None;
        let (at, count) = (&limits.limits[limit as usize], self.counts[limit as usize]);
        let (guard, members) = match side {
            Side::Right if count.denied == 0 => (&[][..], limits.members(at)),
            Side::Right => (limits.guard(at), &[][..]),
            Side::Wrong => (limits.guard(at), limits.members(at)),
        };
        for &code in guard.iter().chain(members) {
            let place = &mut by[(code >> 1) as usize];
            if *place == OPEN && holds(labels, code) == (side == Side::Wrong) {
                *place = from;
                self.queue.push(code >> 1);
            }
        }
    }
}

fn holds(labels: &[bool], code: u32) -> bool {
    labels[(code >> 1) as usize] != (code & 1 == 1)
}

fn is_broken(limit: &Limit, count: Count) -> bool {
    count.denied == 0 && count.held > limit.most
}

/// What a limit waits for: literals of its guard, and members.
///
/// As clauses, "at most k of n" is "not all" of any k + 1 members. On the right side, such a clause
/// waits for all its literals but one, on the wrong side for those that the labels make true in it.
fn waiting(side: Side, limit: &Limit, guards: u32, count: Count) -> Waiting {
    let Count { held, denied } = count;
    match side {
        _ if is_broken(limit, count) => None,
        Side::Right if denied == 0 && held == limit.most => Some((guards, held)),
        Side::Right if denied == 1 && held > limit.most => Some((guards - 1, limit.most + 1)),
        Side::Right => None,
        Side::Wrong => Some((denied, (limit.most + 1).saturating_sub(held))),
    }
}

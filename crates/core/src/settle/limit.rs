//! How long the solver may look before a question counts as undecided.

use std::fmt;

/// The most conflicts that the solver may meet: while it decides whether requirements can be
/// satisfied, while it makes a clash smaller, and for each row that needs search.
///
/// A number of conflicts and not of seconds, so that the answer is the same on every machine. What is
/// spent between two conflicts is counted, too: a conflict among many thousand classes counts for
/// several.
///
/// ```
/// use rulebound_core::SettleLimit;
/// assert_eq!(SettleLimit::default(), SettleLimit::new(SettleLimit::DEFAULT));
/// assert_eq!(SettleLimit::new(5).conflicts(), 5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SettleLimit(u64);

/// Of what is counted, so much is one conflict: about the literals that one conflict of a small set
/// looks at.
const STEPS: u64 = 256;

impl SettleLimit {
    /// The limit unless another one is given: a few seconds at most.
    pub const DEFAULT: u64 = 200_000;

    /// So many conflicts.
    pub const fn new(conflicts: u64) -> Self {
        Self(conflicts)
    }

    /// The number of conflicts.
    pub const fn conflicts(self) -> u64 {
        self.0
    }

    /// A longer limit and what it is, as a message suggests it.
    pub fn longer(self) -> String {
        match self.0 {
            0 => format!("{} is the default", Self::DEFAULT),
            conflicts => format!("{} looks ten times as long", conflicts.saturating_mul(10)),
        }
    }

    /// The same in steps of the solver.
    pub(super) const fn steps(self) -> u64 {
        self.0.saturating_mul(STEPS)
    }

    /// So many steps, as conflicts.
    pub(super) const fn of_steps(steps: u64) -> Self {
        Self(steps / STEPS)
    }

    /// The steps of one conflict that is learned as a clause of so many literals.
    pub(super) const fn steps_of_conflict(literals: usize) -> u64 {
        STEPS + literals as u64
    }
}

impl Default for SettleLimit {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}

impl fmt::Display for SettleLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

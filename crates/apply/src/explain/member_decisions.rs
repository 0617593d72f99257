//! Who decided a class in each of the members that became one.

use rulebound_core::{Delegate, LabelId};

/// How the members of an ensemble, or of a blend, decided the classes of a row, each by itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MemberDecisions {
    /// The share of each member in the mean, and the delegate of each class.
    members: Vec<(f64, Vec<Delegate>)>,
}

/// A delegate of a class, and the members that have it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MemberDecision {
    /// The literal that decided, or a fact.
    pub delegate: Delegate,
    /// How many members it decided in.
    pub members: usize,
    /// Their share in the mean; all shares of a class sum to 1.
    pub share: f64,
}

impl MemberDecisions {
    /// Adds a member with its share in the mean.
    pub fn add(&mut self, share: f64, delegates: &[Delegate]) {
        self.members.push((share, delegates.to_vec()));
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// Who decided a class, the largest share first; equal ones in the order of members.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn of(&self, label: LabelId) -> Vec<MemberDecision> {
        let mut decisions: Vec<MemberDecision> = Vec::new();
        for (share, delegates) in &self.members {
            let delegate = delegates[label.index()];
            match decisions.iter_mut().find(|known| known.delegate == delegate) {
                Some(known) => {
                    known.members += 1;
                    known.share += share;
                }
                None => decisions.push(MemberDecision { delegate, members: 1, share: *share }),
            }
        }
        decisions.sort_by(|one, other| other.share.total_cmp(&one.share));
        decisions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_with_the_same_delegate_are_counted_together() {
        let own = |class| Delegate::own(LabelId::new(class));
        let mut decisions = MemberDecisions::default();
        for (share, delegates) in
            [(0.25, [own(0), own(1)]), (0.25, [own(0), own(0)]), (0.5, [own(0), own(0)])]
        {
            decisions.add(share, &delegates);
        }
        let of = |class| {
            let decisions = decisions.of(LabelId::new(class)).into_iter();
            decisions.map(|one| (one.delegate, one.members, one.share)).collect::<Vec<_>>()
        };
        assert_eq!(decisions.members(), 3);
        assert_eq!(of(0), [(own(0), 3, 1.0)]);
        assert_eq!(of(1), [(own(0), 2, 0.75), (own(1), 1, 0.25)]);
    }
}

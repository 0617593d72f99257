//! The classes that must be decided again when one class changes before the layer, in the order in
//! which they depend on each other.

use rulebound_core::{LabelId, Program};

/// What follows from each class.
pub(super) struct Consequences<'a> {
    program: Option<&'a Program>,
    /// The heads of the rules with each class in their body.
    heads: Vec<Vec<usize>>,
}

/// The classes that one class can change, itself first; bodies come before heads.
pub(super) struct Affected {
    components: Vec<Component>,
}

/// Classes that depend on each other, or a single one.
struct Component {
    members: Vec<usize>,
    is_cycle: bool,
}

impl<'a> Consequences<'a> {
    pub(super) fn new(program: Option<&'a Program>, classes: usize) -> Self {
        let mut heads = vec![Vec::new(); classes];
        for rule in program.iter().flat_map(|program| program.rules()) {
            for literal in rule.body() {
                heads[literal.label().index()].push(rule.head().index());
            }
        }
        for heads in &mut heads {
            heads.sort_unstable();
            heads.dedup();
        }
        Self { program, heads }
    }

    /// The classes that a class can change.
    pub(super) fn of(&self, class: usize) -> Affected {
        let mut found = vec![class];
        let mut is_found = std::collections::HashSet::from([class]);
        let mut at = 0;
        while let Some(&class) = found.get(at) {
            found.extend(self.heads[class].iter().copied().filter(|head| is_found.insert(*head)));
            at += 1;
        }
        let Some(program) = self.program else {
            return Affected { components: vec![Component { members: found, is_cycle: false }] };
        };
        let place = |class: usize| program.components().component_of(LabelId::new(class));
        found.sort_unstable_by_key(|&class| (place(class), class));
        let component = |members: &[usize]| Component {
            members: members.to_vec(),
            is_cycle: members.len() > 1 || self.heads[members[0]].contains(&members[0]),
        };
        let components = found.chunk_by(|&a, &b| place(a) == place(b)).map(component).collect();
        Affected { components }
    }

    /// Decides the affected classes of a row again, given what is above its threshold in it.
    pub(super) fn decide(&self, affected: &Affected, above: &[bool], decided: &mut [bool]) {
        for component in &affected.components {
            for &class in &component.members {
                decided[class] = above[class];
            }
            let mut changes = true;
            while std::mem::take(&mut changes) {
                for &class in &component.members {
                    if !decided[class] && self.follows(class, decided) {
                        decided[class] = true;
                        changes = component.is_cycle;
                    }
                }
            }
        }
    }

    /// Whether a rule of a class holds.
    fn follows(&self, class: usize, decided: &[bool]) -> bool {
        let Some(program) = self.program else { return false };
        let holds = |literal: &rulebound_core::Literal| {
            decided[literal.label().index()] != literal.is_negated()
        };
        let rules = program.rules_of(LabelId::new(class)).iter();
        rules.map(|&rule| program.rule(rule)).any(|rule| rule.body().iter().all(holds))
    }
}

impl Affected {
    /// The classes, in order.
    pub(super) fn classes(&self) -> impl Iterator<Item = usize> + '_ {
        self.components.iter().flat_map(|component| component.members.iter().copied())
    }
}

//! A program ordered for a graph: levels of classes, each computed as late as it can be.
//!
//! Invariant: the rules of a level read classes of earlier levels and, in a positive cycle, of their own component. A class is
//! one level before the first that reads it, so that it is carried no further than necessary.

use std::cmp::Reverse;
use std::ops::Range;

use rulebound_core::{LabelId, Literal, Program};

/// The levels of a program.
#[derive(Clone, Debug)]
pub(super) struct LayerPlan {
    /// The levels, bodies before heads.
    pub levels: Vec<Level>,
    /// For each class, the last level that reads it; 0 if none does.
    pub last_read: Vec<usize>,
}

/// Classes that can be computed side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// The classes: those that rules of other components raise, by number of these rules; then those of facts; then those
    /// that have only their own value (or their cycle).
    pub heads: Vec<Head>,
    /// The positive cycles among them.
    pub cycles: Vec<Cycle>,
}

/// A class and what raises it from outside of its component.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub class: usize,
    /// It holds in every row.
    pub is_fact: bool,
    /// The bodies of its rules, without those that read its own component; none for a fact.
    pub bodies: Vec<Vec<Literal>>,
}

/// Classes that derive each other.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub members: Vec<usize>,
    /// The rules that read their own component: head and body.
    pub rules: Vec<(usize, Vec<Literal>)>,
}

impl Cycle {
    /// Whether all of its classes have one value: every rule inside has one literal.
    pub fn is_one_value(&self) -> bool {
        self.rules.iter().all(|(_, body)| body.len() == 1)
    }
}

impl LayerPlan {
    /// Orders the classes of a program.
    pub fn new(program: &Program) -> Self {
        // A rule that supports itself raises nothing; without such rules every class of a cycle derives every other.
        let rules = program.rules().iter().filter(|rule| !rule.supports_itself()).cloned();
        match Program::new(program.labels().clone(), rules.collect()) {
            Ok(program) => Self::of_sound_rules(&program),
            Err(error) => unreachable!("a part of a stratified program is stratified: {error}"),
        }
    }

    fn of_sound_rules(program: &Program) -> Self {
        let components = program.components();
        let levels_after = levels_after(program);
        let last = levels_after.iter().copied().max().unwrap_or(0);
        let mut levels = vec![Level::default(); last + 1];
        let mut last_read = vec![0; program.labels().len()];
        for (component, after) in levels_after.iter().enumerate() {
            let at = last - after;
            let level = &mut levels[at];
            let members = components.members(component);
            let mut inner = Vec::new();
            for &class in members {
                let mut head = Head { class: class.index(), is_fact: false, bodies: Vec::new() };
                for (body, is_inner) in bodies(program, class) {
                    let others = body
                        .iter()
                        .map(|literal| literal.label())
                        .filter(|&of| components.component_of(of) != component);
                    for read in others {
                        last_read[read.index()] = last_read[read.index()].max(at);
                    }
                    match () {
                        () if is_inner => inner.push((class.index(), body.to_vec())),
                        () if body.is_empty() => head.is_fact = true,
                        () => head.bodies.push(body.to_vec()),
                    }
                }
                if head.is_fact {
                    head.bodies.clear();
                }
                level.heads.push(head);
            }
            if !inner.is_empty() {
                let members = members.iter().map(|member| member.index()).collect();
                level.cycles.push(Cycle { members, rules: inner });
            }
        }
        for level in &mut levels {
            level.heads.sort_by_key(|head| {
                let free = Reverse(!head.bodies.is_empty());
                (free, Reverse(head.is_fact), bucket(head.bodies.len()), head.class)
            });
        }
        Self { levels, last_read }
    }

    /// The class of each row, level after level.
    pub fn order(&self) -> Vec<usize> {
        self.levels.iter().flat_map(|level| &level.heads).map(|head| head.class).collect()
    }
}

/// The bodies of a class's rules, and whether they read its own component.
fn bodies(program: &Program, head: LabelId) -> impl Iterator<Item = (&[Literal], bool)> {
    let components = program.components();
    let own = components.component_of(head);
    let rules = program.rules_of(head).iter().map(|&rule| program.rule(rule));
    rules.map(move |rule| {
        let mut read = rule.body().iter().map(|literal| components.component_of(literal.label()));
        (rule.body(), read.any(|component| component == own))
    })
}

/// For each component, how many levels come after it.
fn levels_after(program: &Program) -> Vec<usize> {
    let components = program.components();
    let mut after = vec![0; components.len()];
    // Components come bodies before heads.
    for component in (0..components.len()).rev() {
        for &head in components.members(component) {
            for literal in bodies(program, head).flat_map(|(body, _)| body) {
                let below = components.component_of(literal.label());
                if below != component {
                    after[below] = after[below].max(after[component] + 1);
                }
            }
        }
    }
    after
}

/// The number of columns that so many entries are padded to. Few sizes mean few nodes, which is what a single row waits for.
pub(super) fn bucket(count: usize) -> usize {
    match count {
        0 | 1 => count,
        2..=3 => 3,
        _ => std::iter::successors(Some(8), |size| Some(3 * size))
            .find(|size| *size >= count)
            .unwrap_or(count),
    }
}

/// Rows of padding that cost less than a further group.
const PADDING: usize = 64;

/// Neighbours that are padded to one width, by their numbers of entries, whose [`bucket`]s ascend.
pub(super) fn grouped(counts: &[usize]) -> Vec<(Range<usize>, usize)> {
    let mut groups: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, &count) in counts.iter().enumerate() {
        let width = bucket(count);
        match groups.last_mut() {
            Some((range, last)) if *last == width || range.len() * (width - *last) <= PADDING => {
                (range.end, *last) = (at + 1, width);
            }
            _ => groups.push((at..at + 1, width)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(level: &Level) -> Vec<usize> {
        level.heads.iter().map(|head| head.class).collect()
    }

    #[test]
    fn classes_are_as_late_as_they_can_be() {
        // Classes in the order of their first occurrence: a 0, b 1, c 2, d 3.
        let program: Program = "a -> b\nb -> c\nd -> c".parse().unwrap();
        let plan = LayerPlan::new(&program);
        let levels: Vec<Vec<usize>> = plan.levels.iter().map(classes).collect();
        assert_eq!(levels, [vec![0], vec![1, 3], vec![2]]);
        assert_eq!(plan.last_read, [1, 2, 0, 2]);
    }

    #[test]
    fn a_few_rows_are_padded_to_the_width_of_more() {
        let counts = [vec![1; 200], vec![2; 3], vec![5; 1]].concat();
        assert_eq!(grouped(&counts), [(0..200, 1), (200..204, 8)]);
        assert_eq!(grouped(&[]), []);
    }

    #[test]
    fn a_cycle_that_only_supports_itself_is_none() {
        let program: Program = "b -> a\na, b -> b".parse().unwrap();
        let plan = LayerPlan::new(&program);
        assert!(plan.levels.iter().all(|level| level.cycles.is_empty()));
        assert_eq!(plan.levels.len(), 2);
    }

    #[test]
    fn a_cycle_is_apart_from_what_raises_it() {
        let program: Program = "a -> b\nb, x -> a\ny -> a\n-> b\nb -> b".parse().unwrap();
        let plan = LayerPlan::new(&program);
        let last = plan.levels.last().unwrap();
        assert_eq!(last.cycles.len(), 1);
        assert_eq!(last.cycles[0].rules.len(), 2);
        assert!(!last.cycles[0].is_one_value());
        let facts: Vec<bool> = last.heads.iter().map(|head| head.is_fact).collect();
        assert_eq!(facts, [false, true]);
        assert_eq!(last.heads[0].bodies.len(), 1);
    }
}

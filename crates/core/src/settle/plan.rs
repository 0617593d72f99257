//! Rules and requirements as counters, for machines that can count but cannot search.
//!
//! *So many of these literals hold, where those do.* A clause is a counter that needs one; a bound from above is
//! one from below on the negations. Where no row needs search ([`SearchNeed::Closed`]), a class may take the side
//! that the model is on as soon as counting has found nothing more, and nothing is ever taken back: that is all
//! that a graph of tensors has to do.
//!
//! Classes that no requirement and no preferred class reaches, not even through rules, are left out: settling never changes
//! them, because whatever could settle such a class on the side it is on is no surer than the class itself.

use super::knowledge::Knowledge;
use super::{SearchNeed, Settler};
use crate::label::LabelId;
use crate::rule::Literal;

/// How the rows of a program are settled by counting alone.
///
/// ```
/// use rulebound_core::Program;
/// let program: Program = "exclusive(car, truck)\ncar -> vehicle\ndog -> animal".parse()?;
/// let plan = program.settle_plan().expect("no row needs search");
/// // Cars, trucks and vehicles, with one counter for each line about them.
/// assert_eq!((plan.classes.len(), plan.counters.len()), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettlePlan {
    /// The classes that take part, in the order of the class list.
    pub classes: Vec<LabelId>,
    /// What must hold among them.
    pub counters: Vec<Counter>,
    /// The classes that have the same side in every prediction, and which.
    pub always: Vec<(LabelId, bool)>,
    /// Those that are settled before all others, in this order.
    pub preferred: Vec<LabelId>,
}

/// Where the whole guard holds, at least so many of the members do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// What must hold for the count to be required.
    pub guard: Vec<Literal>,
    /// The literals that are counted.
    pub members: Vec<Literal>,
    /// How many of them hold, at least.
    pub least: usize,
}

impl Counter {
    fn literals(&self) -> impl Iterator<Item = Literal> + '_ {
        self.guard.iter().chain(&self.members).copied()
    }
}

impl Settler {
    /// How rows are settled by counting alone, if they can be; `rules` is the number of rules.
    pub fn plan(&self, rules: usize) -> Option<SettlePlan> {
        if self.need != SearchNeed::Closed {
            return None;
        }
        let knowledge = &self.knowledge;
        let counters = knowledge.counters();
        let is_reached = self.reached(rules, &counters);
        let takes_part = |class: LabelId| is_reached[class.index()];
        let classes: Vec<LabelId> = knowledge.labels().filter(|&class| takes_part(class)).collect();
        let sides = classes.iter().filter_map(|&class| Some((class, self.always(class)?)));
        let always = sides.collect();
        let preferred = self.preferred.iter().map(|&class| LabelId::new(class as usize));
        let preferred = preferred.filter(|&class| takes_part(class)).collect();
        let is_of_them =
            |counter: &Counter| counter.literals().any(|literal| takes_part(literal.label()));
        let counters =
            counters.into_iter().map(|(counter, _)| counter).filter(is_of_them).collect();
        Some(SettlePlan { classes, counters, always, preferred })
    }

    /// For each class, whether a requirement or a preferred class reaches it.
    fn reached(&self, rules: usize, counters: &[(Counter, super::Source)]) -> Vec<bool> {
        let mut leaders: Vec<usize> = (0..self.knowledge.classes).collect();
        fn leader(leaders: &mut [usize], mut class: usize) -> usize {
            while leaders[class] != class {
                leaders[class] = leaders[leaders[class]];
                class = leaders[class];
            }
            class
        }
        let is_requirement = |source: super::Source| {
            self.derived.written_of(source).iter().any(|&written| written as usize >= rules)
        };
        let mut starts: Vec<usize> = self.preferred.iter().map(|&class| class as usize).collect();
        for (counter, source) in counters {
            let mut classes = counter.literals().map(|literal| literal.label().index());
            let Some(first) = classes.next() else { continue };
            for class in classes {
                let (a, b) = (leader(&mut leaders, first), leader(&mut leaders, class));
                leaders[b] = a;
            }
            if is_requirement(*source) {
                starts.push(first);
            }
        }
        let mut is_led = vec![false; leaders.len()];
        for class in starts {
            is_led[leader(&mut leaders, class)] = true;
        }
        (0..leaders.len()).map(|class| is_led[leader(&mut leaders, class)]).collect()
    }
}

impl Knowledge {
    /// Everything as counters, with what each comes from.
    fn counters(&self) -> Vec<(Counter, super::Source)> {
        let literals = |codes: &[u32]| codes.iter().map(|&code| Literal::from_code(code)).collect();
        let clause =
            |codes: &[u32]| Counter { guard: Vec::new(), members: literals(codes), least: 1 };
        let mut counters: Vec<(Counter, super::Source)> =
            self.units.iter().map(|unit| (clause(&[unit.literal]), unit.source)).collect();
        for literal in 0..2 * self.classes as u32 {
            // Each clause of two is there from both of its sides.
            let implied = self.implied.list(literal).iter();
            for other in implied.filter(|other| literal ^ 1 < other.literal) {
                counters.push((clause(&[literal ^ 1, other.literal]), other.source));
            }
        }
        for (at, &source) in (0..).zip(&self.clause_sources) {
            counters.push((clause(self.clauses.list(at)), source));
        }
        for (at, group) in (0..).zip(&self.groups) {
            let members: Vec<Literal> = literals(self.members(at));
            let size = members.len();
            let mut push = |members: Vec<Literal>, least: usize| {
                if least > 0 {
                    let counter = Counter { guard: literals(self.guard(at)), members, least };
                    counters.push((counter, group.source));
                }
            };
            push(members.iter().map(|&member| !member).collect(), size - group.most as usize);
            push(members, group.least as usize);
        }
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    fn program(text: &str) -> Program {
        text.parse().unwrap()
    }

    #[test]
    fn classes_that_nothing_required_or_preferred_reaches_take_no_part() {
        let program = program("a -> b\nx -> y\nexclusive(a, d)\nk -> l\nprefer k\n");
        let plan = program.settle_plan().unwrap();
        let names: Vec<&str> =
            plan.classes.iter().map(|&class| program.labels().name(class)).collect();
        assert_eq!(names, ["a", "b", "d", "k", "l"]);
    }

    #[test]
    fn where_rows_can_need_search_there_is_no_plan() {
        let mut text = String::new();
        // A random formula of three literals a clause, past what implicates are looked for.
        for at in 0..400u64 {
            let class = |salt: u64| (at * 2_654_435_761 + salt * 40_503 + at * at * salt) % 100;
            text.push_str(&format!("c{} | c{} | not c{}\n", class(1), class(7), class(13)));
        }
        let program = program(&text);
        assert_eq!(
            program.search_need() == Some(SearchNeed::Closed),
            program.settle_plan().is_some()
        );
        assert!(program.settle_plan().is_none());
    }

    #[test]
    fn bounds_from_above_are_bounds_on_negations() {
        let program = program("g -> between 1 and 2 of(a, b, c)\n");
        let plan = program.settle_plan().unwrap();
        let shown: Vec<(usize, usize, bool, usize)> = plan
            .counters
            .iter()
            .map(|one| (one.guard.len(), one.members.len(), one.members[0].is_negated(), one.least))
            .collect();
        // The derived clauses of the group may stand beside it.
        assert!(shown.contains(&(1, 3, true, 1)), "{shown:?}");
        assert!(shown.contains(&(1, 3, false, 1)), "{shown:?}");
    }
}

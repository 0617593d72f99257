//! Whether everything can hold at once; if not, a smallest set of lines that clash.

use super::derived::Derived;
use super::knowledge::{Knowledge, Source};
use super::search::{Ending, Search};
use super::trail::{OPEN, Reason, Trail};
use crate::requirement::Requirement;
use crate::rule::Rule;

/// How many assumptions may be turned to find a prediction that satisfies everything.
const TURNS: usize = 100_000;

/// What follows without any assumption. The error marks the sources that contradict each other.
pub(super) fn root(knowledge: &Knowledge, sources: usize) -> Result<Search, Vec<bool>> {
    let mut trail = Trail::new(knowledge, sources);
    if let Some(source) = knowledge.falsehood {
        trail.used[source as usize] = true;
        return Err(trail.used);
    }
    let result = trail.settle_units(knowledge).and_then(|()| trail.settle_groups(knowledge));
    match result {
        Ok(()) => Ok(Search::new(trail)),
        Err(conflict) => {
            trail.analyse(knowledge, conflict, &mut Vec::new());
            Err(trail.used)
        }
    }
}

/// Finds literals that cannot hold because a contradiction follows from them by propagation, and
/// settles their negations. Returns whether all literals were tried in at most `steps` steps; `None`
/// if both sides of a class fail.
pub(super) fn probe(
    knowledge: &Knowledge,
    search: &mut Search,
    derived: &mut Derived,
    mut steps: usize,
) -> Option<bool> {
    let trail = &mut search.trail;
    let mut involved = Vec::new();
    loop {
        let mut has_changed = false;
        for literal in 0..2 * knowledge.classes as u32 {
            if trail.holds[literal as usize] != OPEN {
                continue;
            }
            let before = trail.settled.len();
            trail.settle(literal, Reason::Assumed, 1);
            let result = trail.propagate(knowledge);
            steps = match steps.checked_sub(trail.settled.len() - before) {
                Some(left) => left,
                None => {
                    trail.undo(knowledge, before);
                    return Some(false);
                }
            };
            if let Err(conflict) = result {
                trail.used.fill(false);
                trail.analyse(knowledge, conflict, &mut involved);
                trail.undo(knowledge, before);
                let parents = derived.flatten(&trail.used);
                let source = derived.push(vec![literal ^ 1], parents);
                trail.used.push(false);
                trail.settle(literal ^ 1, Reason::Unit(source), 0);
                trail.propagate(knowledge).ok()?;
                has_changed = true;
            } else {
                trail.undo(knowledge, before);
            }
        }
        if !has_changed {
            return Some(true);
        }
    }
}

/// Looks for any prediction that satisfies everything.
pub(super) fn solve(knowledge: &Knowledge, search: &mut Search) -> Ending {
    search.forget(knowledge);
    let mut root = search.trail.clone();
    let nothing = |class: u32| class << 1 | 1;
    let ending = search.run(knowledge, &root, 0..knowledge.classes as u32, nothing, TURNS);
    std::mem::swap(&mut root.used, &mut search.trail.used);
    search.trail = root;
    search.assumptions.clear();
    ending
}

/// Marks rules and requirements, of those that are kept, that no prediction satisfies together; `None` if
/// there are no such, or none were found within the bound.
pub(crate) fn refutation(
    classes: usize,
    rules: &[Rule],
    requirements: &[Requirement],
    kept: &[bool],
) -> Option<Vec<bool>> {
    let is_kept = |source: Source| kept[source as usize];
    let knowledge = Knowledge::new(classes, rules, requirements, &[], is_kept);
    let mut search = match root(&knowledge, rules.len() + requirements.len()) {
        Ok(search) => search,
        Err(used) => return Some(used),
    };
    search.trail.used.fill(false);
    let ending = solve(&knowledge, &mut search);
    (ending == Ending::Unsatisfiable).then_some(search.trail.used)
}

/// Rules and requirements that no prediction satisfies together, none of which can be left out; none
/// if there are no such.
pub(crate) fn clash(
    classes: usize,
    rules: &[Rule],
    requirements: &[Requirement],
) -> Option<Vec<Source>> {
    let sources = rules.len() + requirements.len();
    let refute = |kept: &[bool]| refutation(classes, rules, requirements, kept);
    let mut core = refute(&vec![true; sources])?;
    for source in 0..sources {
        if !core[source] {
            continue;
        }
        core[source] = false;
        match refute(&core) {
            Some(smaller) => core = smaller,
            None => core[source] = true,
        }
    }
    Some((0..sources as Source).filter(|&source| core[source as usize]).collect())
}

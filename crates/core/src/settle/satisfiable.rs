//! Whether everything can hold at once, as far as propagation tells.

use super::derived::Derived;
use super::knowledge::Knowledge;
use super::search::Search;
use super::trail::{OPEN, Reason, Trail};

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

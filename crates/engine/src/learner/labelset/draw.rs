//! Which classes are in which label set.

use std::collections::BTreeSet;

use super::python_random::paper_partition;
use super::settings::{LabelsetDraw, LabelsetSettings};
use crate::random::{Draws, Purpose};

/// Orders of all classes that are tried for each that is needed: nearly all sets of few classes may
/// be there already.
const TRIES: usize = 64;

/// The label sets, each in ascending order; every class is in at least one.
pub(super) fn label_sets(
    classes: usize,
    settings: &LabelsetSettings,
    seed: u64,
) -> Vec<Vec<usize>> {
    let size = settings.size.min(classes).max(1);
    let mut sets = match settings.draw {
        LabelsetDraw::Paper => paper_partition(classes, size),
        LabelsetDraw::Partition => {
            order(classes, seed, 0).chunks(size).map(<[usize]>::to_vec).collect()
        }
        LabelsetDraw::Overlapping => overlapping(classes, size, settings.sets, seed),
    };
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets
}

fn order(classes: usize, seed: u64, number: u32) -> Vec<usize> {
    let draws = Draws::in_epoch(seed, Purpose::Labelsets, number);
    draws.shuffle(classes).into_iter().map(|class| class as usize).collect()
}

/// Cuts one order after the other; what is left of one is filled up from the next. The sets of the
/// first order stay even if fewer are wanted, because every class needs one.
fn overlapping(classes: usize, size: usize, sets: Option<usize>, seed: u64) -> Vec<Vec<usize>> {
    let per_order = classes.div_ceil(size).max(1);
    let wanted = sets.unwrap_or(2 * classes).max(per_order);
    let (mut drawn, mut seen) = (Vec::with_capacity(wanted), BTreeSet::new());
    let mut set: Vec<usize> = Vec::with_capacity(size);
    for number in 0..wanted.div_ceil(per_order).saturating_mul(TRIES).min(1 << 20) {
        for class in order(classes, seed, number as u32) {
            if set.contains(&class) {
                continue;
            }
            set.push(class);
            if set.len() == size {
                set.sort_unstable();
                if seen.insert(set.clone()) {
                    drawn.push(set.clone());
                }
                set.clear();
                if drawn.len() == wanted {
                    return drawn;
                }
            }
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_in_about_as_many_sets_and_no_set_occurs_twice() {
        for (classes, size) in [(6, 3), (14, 3), (101, 3), (4, 3), (5, 2), (1, 3), (3, 3)] {
            let settings = LabelsetSettings { size, ..LabelsetSettings::default() };
            let sets = label_sets(classes, &settings, 7);
            let distinct: BTreeSet<_> = sets.iter().collect();
            assert_eq!(distinct.len(), sets.len());
            let in_sets = |class| sets.iter().filter(|set| set.contains(&class)).count();
            let counts: Vec<usize> = (0..classes).map(in_sets).collect();
            assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
            if classes > 10 {
                assert_eq!(sets.len(), 2 * classes);
                assert!(counts.iter().all(|&count| (5..=7).contains(&count)), "{counts:?}");
            }
        }
    }

    #[test]
    fn there_are_no_more_sets_than_there_can_be() {
        let settings = LabelsetSettings { sets: Some(100), ..LabelsetSettings::default() };
        assert_eq!(label_sets(5, &settings, 0).len(), 10);
        assert_eq!(label_sets(2, &settings, 0), [[0, 1]]);
    }

    #[test]
    fn a_partition_has_every_class_once_and_changes_with_the_seed() {
        for settings in [LabelsetSettings::partition(), LabelsetSettings::paper()] {
            let sets = label_sets(53, &settings, 3);
            let mut classes: Vec<usize> = sets.concat();
            classes.sort_unstable();
            assert!(classes.into_iter().eq(0..53));
            assert_eq!(sets.len(), 18);
        }
        let partition = |seed| label_sets(53, &LabelsetSettings::partition(), seed);
        assert_ne!(partition(0), partition(1));
    }
}

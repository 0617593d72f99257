//! The levels of a hierarchy.

use rulebound_core::{LabelId, Program};

use super::rows::{FitError, FitRows};

/// More levels than any hierarchy of use has; each has networks of its own.
pub(super) const MOST_LEVELS: usize = 64;

/// A class in no level.
const NOWHERE: u32 = u32::MAX;

/// The classes of each level: a class is one level below the lowest of its parents, so that parents
/// always come first. Levels in which no class is evaluated (those of roots) are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Levels {
    /// The level of each class, or [`NOWHERE`].
    of: Vec<u32>,
    classes: Vec<Vec<u32>>,
}

impl Levels {
    /// The levels of the rules of these rows; one level if there are no rules.
    ///
    /// # Errors
    /// If the rules are not a hierarchy, or it has too many levels.
    pub fn new(method: &'static str, rows: &FitRows<'_>) -> Result<Self, FitError> {
        let hint = "use a method for any rules, such as ccn";
        let unsuitable = |what: String| Err(FitError::Unsuitable { method, what, hint });
        if !rows.program().is_hierarchy() {
            let what = "the rules are not a hierarchy (rules `child -> parent` without a cycle)";
            return unsuitable(what.to_owned());
        }
        let depths = depths(rows.program());
        let mut counts = vec![false; depths.iter().max().map_or(0, |&deepest| deepest + 1)];
        for (class, &depth) in depths.iter().enumerate() {
            counts[depth] |= rows.is_evaluated(class);
        }
        let mut level = 0;
        let mut places = vec![NOWHERE; counts.len()];
        for (place, _) in places.iter_mut().zip(counts).filter(|(_, counts)| *counts) {
            *place = level;
            level += 1;
        }
        if level as usize > MOST_LEVELS {
            return unsuitable(format!("the hierarchy has {level} levels, not {MOST_LEVELS}"));
        }
        let of: Vec<u32> = depths.iter().map(|&depth| places[depth]).collect();
        Self::from_places(of).or_else(|_| unsuitable("no class is evaluated".to_owned()))
    }

    /// The levels of classes by their number; `u32::MAX` for a class in none.
    ///
    /// # Errors
    /// A sentence, if there are none or too many, or one has no class.
    pub fn from_places(of: Vec<u32>) -> Result<Self, String> {
        let deepest = of.iter().filter(|&&level| level != NOWHERE).max().ok_or("no levels")?;
        if *deepest as usize >= MOST_LEVELS {
            return Err(format!("more than {MOST_LEVELS} levels"));
        }
        let mut classes = vec![Vec::new(); *deepest as usize + 1];
        for (class, &level) in of.iter().enumerate().filter(|(_, level)| **level != NOWHERE) {
            classes[level as usize].push(class as u32);
        }
        match classes.iter().position(Vec::is_empty) {
            Some(level) => Err(format!("level {level} has no classes")),
            None => Ok(Self { of, classes }),
        }
    }

    /// The level of each class; `u32::MAX` for a class in none.
    pub fn places(&self) -> &[u32] {
        &self.of
    }

    /// The classes of a level, in order.
    pub fn classes(&self, level: usize) -> &[u32] {
        &self.classes[level]
    }

    /// The levels with their classes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.classes.iter().map(|classes| &classes[..])
    }
}

/// The longest path from a class without parents to each class.
fn depths(program: &Program) -> Vec<usize> {
    let mut depths = vec![0; program.labels().len()];
    // Bodies come before heads, so from the end on parents come before children.
    let order: Vec<LabelId> = program.components().iter().flatten().copied().collect();
    for &parent in order.iter().rev() {
        for &rule in program.rules_of(parent) {
            for child in program.rule(rule).body() {
                let child = child.label().index();
                depths[child] = depths[child].max(1 + depths[parent.index()]);
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::LabelMatrix;

    fn levels(rules: &str, evaluated: &[bool]) -> Result<Vec<Vec<u32>>, FitError> {
        let program: Program = rules.parse().unwrap();
        let labels = LabelMatrix::new(program.labels().len());
        let rows = FitRows::new(&[], 1, &labels, &program).with_evaluated(evaluated);
        Levels::new("lmlp", &rows).map(|levels| levels.classes)
    }

    #[test]
    fn a_class_is_below_all_of_its_parents() {
        // a = 0, b = 1, c = 2, root = 3: c is below b and a, b is below a.
        let rules = "a -> root\nb -> a\nc -> b\nc -> a";
        let program: Program = rules.parse().unwrap();
        let of = |name: &str| program.labels().find(name).unwrap().index() as u32;
        let all = vec![vec![of("root")], vec![of("a")], vec![of("b")], vec![of("c")]];
        assert_eq!(levels(rules, &[true; 4]).unwrap(), all);
        let mut without_root = [true; 4];
        without_root[of("root") as usize] = false;
        assert_eq!(levels(rules, &without_root).unwrap(), all[1..]);
    }

    #[test]
    fn rules_that_are_no_hierarchy_are_refused() {
        let error = levels("a, b -> c", &[true; 3]).unwrap_err().to_string();
        assert!(error.contains("not a hierarchy"), "{error}");
        assert!(levels("a -> b", &[false; 2]).unwrap_err().to_string().contains("evaluated"));
        let chain: String = (0..70).map(|at| format!("c{at} -> c{}\n", at + 1)).collect();
        assert!(levels(&chain, &[true; 71]).unwrap_err().to_string().contains("71 levels"));
    }

    #[test]
    fn levels_of_a_file_are_checked() {
        assert_eq!(Levels::from_places(vec![1, NOWHERE, 0, 1]).unwrap().classes(1), [0, 3]);
        assert!(Levels::from_places(vec![1, 1]).unwrap_err().contains("level 0"));
        assert!(Levels::from_places(vec![64]).is_err() && Levels::from_places(vec![]).is_err());
    }
}

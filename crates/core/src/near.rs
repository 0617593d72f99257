//! Names that are nearly the same: typing mistakes, as opposed to other names.
//!
//! Two names are near if they are equal but for case, spaces, `_` and `-`, or if one change to a
//! character (a missing, surplus or other one, or two swapped) makes one of the other. Names of fewer
//! than five characters are too short for that, and identifiers that differ in a digit are
//! different identifiers, so a change to a digit does not count.
//!
//! Invariant: the work for a name depends on its length, not on how many names are known: names
//! one change apart have a form in common in which one character is missing.

use std::collections::HashMap;

/// The shortest name, in characters, in which a change to one of them is a typing mistake.
const SHORTEST: usize = 5;

/// Longer names are compared by their folded forms only.
const LONGEST: usize = 64;

/// The most names compared per form.
const COMPARED: usize = 8;

/// Known names, arranged so that near ones are found.
#[derive(Debug)]
pub struct NearNames<'a> {
    folded: HashMap<String, &'a str>,
    /// Names by the forms that lack one character that is no digit, and by themselves.
    shortened: HashMap<String, Vec<&'a str>>,
}

impl<'a> NearNames<'a> {
    /// Arranges the known names.
    pub fn new(known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut near = Self { folded: HashMap::new(), shortened: HashMap::new() };
        for name in known {
            near.folded.entry(fold(name)).or_insert(name);
            for form in forms(name) {
                let names = near.shortened.entry(form).or_default();
                if names.len() < COMPARED {
                    names.push(name);
                }
            }
        }
        near
    }

    /// A known name that is nearly this one, if this one is not known itself.
    ///
    /// ```
    /// use rulebound_core::NearNames;
    /// let known = NearNames::new(["abdomen", "GO:0008150", "left arm"]);
    /// assert_eq!(known.find("abdomne"), Some("abdomen"));
    /// assert_eq!(known.find("Left_Arm"), Some("left arm"));
    /// assert_eq!(known.find("GO:0008151"), None);
    /// ```
    pub fn find(&self, name: &str) -> Option<&'a str> {
        if let Some(&known) = self.folded.get(&fold(name)) {
            return Some(known).filter(|&known| known != name);
        }
        forms(name)
            .filter_map(|form| self.shortened.get(&form))
            .flatten()
            .copied()
            .find(|known| one_change(name, known))
    }
}

/// Without case, spaces, `_` and `-`.
fn fold(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

/// The name itself, and without each of its characters that is no digit.
fn forms(name: &str) -> impl Iterator<Item = String> + '_ {
    let length = name.chars().count();
    let places = if (SHORTEST..=LONGEST).contains(&length) { length } else { 0 };
    let without = (0..places).filter_map(move |place| {
        let is_digit = name.chars().nth(place).is_some_and(|c| c.is_ascii_digit());
        let kept = name.chars().enumerate().filter(move |(at, _)| *at != place);
        (!is_digit).then(|| kept.map(|(_, c)| c).collect())
    });
    (places > 0).then(|| name.to_owned()).into_iter().chain(without)
}

/// Whether one change to a character that is no digit makes one name of the other.
fn one_change(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().min(other.len()) < SHORTEST {
        return false;
    }
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    let plain = |c: &char| !c.is_ascii_digit();
    match (one, other) {
        ([a, rest @ ..], [b, more @ ..]) if rest == more => plain(a) && plain(b),
        ([a, b, rest @ ..], [c, d, more @ ..]) if rest == more => {
            (a, b) == (d, c) && plain(a) && plain(b)
        }
        ([surplus, rest @ ..], all) | (all, [surplus, rest @ ..]) if rest == all => plain(surplus),
        (all, [surplus, rest @ ..]) => rest == all && plain(surplus),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_name_is_not() {
        let known = ["gastrointestinal", "GO:0008150", "left arm", "animal", "cat", "01.01.03"];
        let near = NearNames::new(known);
        for (name, expected) in [
            ("gastrointestnal", Some("gastrointestinal")),
            ("gastrointestinnal", Some("gastrointestinal")),
            ("gastrointestimal", Some("gastrointestinal")),
            ("gastrointestinla", Some("gastrointestinal")),
            ("Gastro-Intestinal", Some("gastrointestinal")),
            ("LEFT_ARM", Some("left arm")),
            ("animals", Some("animal")),
            ("GO-0008150", Some("GO:0008150")),
            ("animal", None),
            ("GO:0008151", None),
            ("GO:008150", None),
            ("GO:00081500", None),
            ("GO:0008105", None),
            ("01.01.04", None),
            ("cats", None),
            ("CAT", Some("cat")),
            ("anmials", None),
        ] {
            assert_eq!(near.find(name), expected, "{name}");
        }
    }

    #[test]
    fn many_names_take_no_longer_each() {
        let names: Vec<String> = (0..20_000).map(|n| format!("class number {n}")).collect();
        let near = NearNames::new(names.iter().map(String::as_str));
        for name in &names {
            assert_eq!(near.find(&format!("{name}x")), Some(name.as_str()));
        }
    }
}

//! Column names. Real files have several columns of the same name; this makes them unique, the same
//! way every time.

use std::collections::{HashMap, HashSet};

/// The names with later duplicates renamed: the second `a` becomes `a#2`, the third `a#3`; a number
/// that would give an existing name is skipped. An empty name becomes `column` and its position.
///
/// ```
/// let names = ["a", "b", "a", "a#2", "a", ""].map(String::from);
/// assert_eq!(rulebound_io::table::unique_names(names), ["a", "b", "a#3", "a#2", "a#4", "column6"]);
/// ```
pub fn unique_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    for (place, name) in names.iter_mut().enumerate() {
        if name.is_empty() {
            *name = format!("column{}", place + 1);
        }
    }
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    if taken.len() == names.len() {
        return names;
    }
    let mut met: HashSet<String> = HashSet::with_capacity(names.len());
    let mut last: HashMap<String, usize> = HashMap::new();
    for name in &mut names {
        if met.insert(name.clone()) {
            continue;
        }
        let number = last.entry(name.clone()).or_insert(1);
        let renamed = loop {
            *number += 1;
            let candidate = format!("{name}#{number}");
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
        *name = renamed;
    }
    names
}

/// The name, renamed if it is one of `others`.
pub fn unique_name(name: &str, others: impl IntoIterator<Item = String>) -> String {
    let mut names = unique_names(others.into_iter().chain([name.to_owned()]));
    names.pop().unwrap_or_default()
}

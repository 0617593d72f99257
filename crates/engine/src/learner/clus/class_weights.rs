//! How much each class counts in the variance of a node: less with its depth.

use rulebound_core::Program;

/// By how much a class counts less than its parents.
const DECAY: f64 = 0.75;

/// For each class 0.75 to the power of its depth in the hierarchy; with several parents, 0.75 times
/// the mean of their weights. A class without parents that every row has (`is_root`) is above the
/// top and has weight 0; its children have depth 0. With rules that are not a hierarchy, every class
/// has weight 1.
pub(super) fn class_weights(program: &Program, is_root: impl Fn(usize) -> bool) -> Vec<f64> {
    let classes = program.labels().len();
    if !program.is_hierarchy() {
        return vec![1.0; classes];
    }
    let mut parents = vec![Vec::new(); classes];
    for rule in program.rules() {
        for child in rule.body() {
            let parents: &mut Vec<usize> = &mut parents[child.label().index()];
            if !parents.contains(&rule.head().index()) {
                parents.push(rule.head().index());
            }
        }
    }
    let mut weights: Vec<Option<f64>> = vec![None; classes];
    for class in 0..classes {
        let mut waiting = vec![class];
        while let Some(&class) = waiting.last() {
            let unknown =
                parents[class].iter().copied().filter(|&parent| weights[parent].is_none());
            let before = waiting.len();
            waiting.extend(unknown);
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            let sum: f64 = parents[class].iter().filter_map(|&parent| weights[parent]).sum();
            weights[class] = Some(match parents[class].len() {
                0 if is_root(class) => 1.0 / DECAY,
                0 => 1.0,
                count => DECAY * (sum / count as f64),
            });
        }
    }
    let is_above = |class: usize| parents[class].is_empty() && is_root(class);
    let weights = weights.into_iter().enumerate();
    weights.map(|(class, weight)| weight.filter(|_| !is_above(class)).unwrap_or(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(rules: &str, root: &str) -> Vec<(String, f64)> {
        let program: Program = rules.parse().unwrap();
        let labels = program.labels();
        let names: Vec<String> = labels.names().map(str::to_owned).collect();
        let weights = class_weights(&program, |class| names[class] == root);
        names.iter().cloned().zip(weights).collect()
    }

    fn of(weights: &[(String, f64)], name: &str) -> f64 {
        weights.iter().find(|pair| pair.0 == name).unwrap().1
    }

    #[test]
    fn a_class_counts_less_with_its_depth() {
        let weights = weights("b -> a\nc -> b\nd -> c\nd -> a\n", "none");
        assert_eq!(of(&weights, "a"), 1.0);
        assert_eq!(of(&weights, "b"), 0.75);
        assert_eq!(of(&weights, "c"), 0.5625);
        assert_eq!(of(&weights, "d"), 0.75 * (1.0 + 0.5625) / 2.0);
    }

    #[test]
    fn the_class_that_all_rows_have_is_above_the_top() {
        let weights = weights("a -> root\nb -> a\nc -> root\nc -> b\n", "root");
        assert_eq!(of(&weights, "root"), 0.0);
        assert_eq!(of(&weights, "a"), 1.0);
        assert_eq!(of(&weights, "b"), 0.75);
        assert!((of(&weights, "c") - 0.75 * (1.0 / 0.75 + 0.75) / 2.0).abs() < 1e-15);
    }

    #[test]
    fn other_rules_give_equal_weights() {
        assert!(weights("a, not b -> c\nd -> a\n", "a").iter().all(|pair| pair.1 == 1.0));
    }
}

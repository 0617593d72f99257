//! Random stratified programs, and a checker of their rules that shares no code with the product.

use rulebound_testing::Random;
use std::fmt::Write;

/// A rule: the head, and the body with whether each literal is negated.
pub struct PlainRule {
    head: usize,
    body: Vec<(usize, bool)>,
}

pub struct PlainProgram {
    pub classes: usize,
    rules: Vec<PlainRule>,
}

impl PlainProgram {
    /// Negated literals are only from lower levels, so every program is stratified; positive ones may
    /// close cycles within a level.
    pub fn random(random: &mut Random, most_classes: usize) -> Self {
        let classes = 2 + random.below(most_classes - 1);
        let levels: Vec<usize> = (0..classes).map(|_| random.below(4)).collect();
        let mut rules = Vec::new();
        for _ in 0..random.below(3 * classes) + 1 {
            let head = random.below(classes);
            let mut body = Vec::new();
            for _ in 0..random.below(4) {
                let class = random.below(classes);
                let negated = levels[class] < levels[head] && random.below(2) == 0;
                let is_new = body.iter().all(|&(other, _)| other != class);
                if is_new && (negated || levels[class] <= levels[head]) {
                    body.push((class, negated));
                }
            }
            // Facts make everything true; a few of them are enough.
            if !body.is_empty() || random.below(20) == 0 {
                rules.push(PlainRule { head, body });
            }
        }
        Self { classes, rules }
    }

    pub fn name(class: usize) -> String {
        format!("c{class}")
    }

    /// In the rule language, with every class in the label list.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for rule in &self.rules {
            let literal = |&(class, negated): &(usize, bool)| {
                format!("{}{}", if negated { "not " } else { "" }, Self::name(class))
            };
            let body: Vec<String> = rule.body.iter().map(literal).collect();
            writeln!(text, "{} -> {}", body.join(", "), Self::name(rule.head)).unwrap();
        }
        text
    }

    pub fn label_list(&self) -> String {
        (0..self.classes).map(|class| Self::name(class) + "\n").collect()
    }

    /// Whether every rule whose body holds has its head.
    pub fn is_satisfied(&self, predicted: &[bool]) -> bool {
        self.rules.iter().all(|rule| {
            predicted[rule.head]
                || !rule.body.iter().all(|&(class, negated)| predicted[class] != negated)
        })
    }
}

#[test]
fn a_broken_rule_is_noticed() {
    let body = vec![(0, false), (2, true)];
    let plain = PlainProgram { classes: 3, rules: vec![PlainRule { head: 1, body }] };
    assert_eq!(plain.text(), "c0, not c2 -> c1\n");
    assert!(!plain.is_satisfied(&[true, false, false]));
    for satisfied in [[true, true, false], [true, false, true], [false, false, false]] {
        assert!(plain.is_satisfied(&satisfied));
    }
}

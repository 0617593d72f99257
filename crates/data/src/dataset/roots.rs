//! Roots: classes that every example has, so that they say nothing about any of them.
//!
//! A class is a root if it implies nothing, some class implies it, and it is one of the three roots
//! of the Gene Ontology or every training row has it once its labels are completed by the rules. A
//! root takes part in the rules, but has no term in the loss and does not count in the metrics.

use rulebound_core::{LabelId, Program};

use super::ontology::plain;
use super::set::Dataset;
use super::split::Split;
use crate::completion::Completion;

/// The roots of the Gene Ontology, however they are spelled.
const GENE_ONTOLOGY: [&str; 3] = ["GO0003674", "GO0005575", "GO0008150"];

impl Dataset {
    /// The same data with its roots not evaluated.
    pub(super) fn with_roots(mut self) -> Self {
        for root in roots(&self) {
            self.evaluated[root.index()] = false;
        }
        self
    }

    /// The same data with all classes evaluated, also its roots.
    #[must_use]
    pub fn with_evaluated_roots(mut self) -> Self {
        self.evaluated.fill(true);
        self
    }
}

fn roots(data: &Dataset) -> Vec<LabelId> {
    let tops = tops(data.program());
    let is_named = |id: &LabelId| GENE_ONTOLOGY.contains(&&*plain(data.classes().name(*id)));
    let (mut found, mut candidates): (Vec<LabelId>, Vec<LabelId>) =
        tops.into_iter().partition(is_named);
    let rows = data.split(Split::Train).unwrap_or_default();
    if rows.is_empty() || candidates.is_empty() {
        return found;
    }
    let mut completion = Completion::new(data.program());
    let mut labels = vec![false; data.classes().len()];
    let mut known = labels.clone();
    for row in rows {
        if candidates.iter().all(|&class| data.labels().contains(row, class)) {
            continue;
        }
        data.labels().unpack(row, &mut labels);
        data.labels().unpack_known(row, &mut known);
        completion.complete_known(&mut labels, &mut known);
        candidates.retain(|class| labels[class.index()]);
        if candidates.is_empty() {
            return found;
        }
    }
    found.extend(candidates);
    found
}

/// The classes that imply nothing and that some class implies.
fn tops(program: &Program) -> Vec<LabelId> {
    let mut implies = vec![false; program.labels().len()];
    let mut implied = implies.clone();
    for rule in program.rules() {
        for literal in rule.body() {
            implies[literal.label().index()] = true;
            implied[rule.head().index()] |= !literal.is_negated();
        }
    }
    program.labels().ids().filter(|id| implied[id.index()] && !implies[id.index()]).collect()
}

//! The text of every delegate there can be, made once.

use rulebound_core::{Delegate, Labels};

pub(crate) struct LiteralNames {
    positive: Vec<String>,
    negative: Vec<String>,
    facts: Vec<String>,
}

impl LiteralNames {
    pub(crate) fn new(labels: &Labels) -> Self {
        let named = |write: &dyn Fn(&str) -> String| labels.names().map(write).collect();
        Self {
            positive: named(&str::to_owned),
            negative: named(&|name| format!("not {name}")),
            facts: named(&|name| format!("-> {name}")),
        }
    }

    pub(crate) fn name(&self, delegate: Delegate) -> &str {
        match (delegate.literal(), delegate.fact()) {
            (Some(literal), _) if literal.is_negated() => &self.negative[literal.label().index()],
            (Some(literal), _) => &self.positive[literal.label().index()],
            (None, Some(head)) => &self.facts[head.index()],
            (None, None) => "->",
        }
    }
}

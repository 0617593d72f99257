//! The text of every delegate there can be, made once.

use rulebound_core::{Delegate, Labels};

pub(crate) struct LiteralNames {
    positive: Vec<String>,
    negative: Vec<String>,
    facts: Vec<String>,
    never: Vec<String>,
}

impl LiteralNames {
    pub(crate) fn new(labels: &Labels) -> Self {
        let named = |write: &dyn Fn(&str) -> String| labels.names().map(write).collect();
        Self {
            positive: named(&str::to_owned),
            negative: named(&|name| format!("not {name}")),
            facts: named(&|name| format!("-> {name}")),
            never: named(&|name| format!("-> not {name}")),
        }
    }

    pub(crate) fn name(&self, delegate: Delegate) -> &str {
        match (delegate.literal(), delegate.fact()) {
            (Some(literal), _) if literal.is_negated() => &self.negative[literal.label().index()],
            (Some(literal), _) => &self.positive[literal.label().index()],
            (None, Some(head)) if delegate.is_never() => &self.never[head.index()],
            (None, Some(head)) => &self.facts[head.index()],
            (None, None) => "->",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::{ConstraintLayer, Program, Thresholds};

    #[test]
    fn every_delegate_has_the_text_that_it_displays() {
        let program: Program = "not (a)\n-> b\nc -> not d\na | e".parse().unwrap();
        let labels = program.labels();
        let names = LiteralNames::new(labels);
        let layer = ConstraintLayer::new(&program, Thresholds::half(5));
        let mut values = [0.0; 5];
        let mut delegates = [Delegate::default(); 5];
        let margins = [2.0, -1.0, 3.0, 1.0, -4.0];
        let mut workspace = layer.workspace();
        layer
            .forward_with_delegates(&margins, &mut values, &mut delegates, &mut workspace)
            .unwrap();
        let written: Vec<&str> = delegates.iter().map(|&delegate| names.name(delegate)).collect();
        let displayed = delegates.map(|delegate| delegate.display(labels).to_string());
        assert_eq!(written, displayed);
        assert_eq!(written, ["-> not a", "-> b", "c", "not c", "-> e"]);
    }
}

//! Explanations as trees of text. A class is explained where it first occurs and only named after
//! that, so a tree is never longer than the program.

use std::collections::HashSet;

use rulebound_core::{Delegate, LabelId, Literal};

use super::{Explanation, MemberDecision};

/// A class still to be drawn. Tasks are kept on a stack, so nothing recurses.
struct Task {
    label: LabelId,
    /// The prefix of the first line, and of all lines below it.
    first: String,
    rest: String,
    /// What the line starts with: the class or its negation.
    literal: Literal,
    /// The remark at the end of the line.
    remark: &'static str,
    depth: usize,
}

/// Draws the trees of `labels`, at most `depth` rules deep.
pub(super) fn draw(row: &Explanation<'_>, labels: &[LabelId], depth: usize) -> String {
    let mut text = String::new();
    let mut explained = HashSet::new();
    for (index, &label) in labels.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let literal = Literal::positive(label);
        let (first, rest) = (String::new(), String::new());
        let mut open = vec![Task { label, first, rest, literal, remark: "", depth }];
        // Each requested class is explained in full, even if it occurred before.
        explained.remove(&label);
        while let Some(task) = open.pop() {
            draw_class(row, task, &mut explained, &mut text, &mut open);
        }
    }
    text
}

fn draw_class(
    row: &Explanation<'_>,
    task: Task,
    explained: &mut HashSet<LabelId>,
    text: &mut String,
    open: &mut Vec<Task>,
) {
    let Task { label, first, rest, literal, remark, depth } = task;
    let labels = row.program.labels();
    let shown = literal.display(labels);
    let worth = if literal.is_negated() { row.literal_score(literal) } else { row.score(label) };
    let mut line = format!("{first}{shown} = {worth:?}");
    if literal.is_negated() {
        line += &format!(
            ", since {} = {:?}",
            Literal::positive(label).display(labels),
            row.score(label)
        );
    }
    line += if row.is_predicted(label) { " (predicted" } else { " (not predicted" };
    line += &match row.members() {
        None => "; own score".to_owned(),
        Some(members) => format!("; mean of {} members", members.members()),
    };
    let by_rule = row.is_by_rule(label);
    let settled = row.settled(label);
    if by_rule || settled.is_some() {
        line += &format!(": {:?}", row.network_score(label));
    }
    line += &decided_by(row, label);
    let rule = row.rule(label).filter(|_| settled.is_none());
    let again = !explained.insert(label);
    if again && (rule.is_some() || settled.is_some()) {
        line += "; explained above";
    }
    line += ")";
    line += remark;
    text.push_str(&line);
    text.push('\n');
    if let Some(settled) = settled.filter(|_| !again) {
        let what = if settled.is_overruled { "overruled" } else { "settled" };
        text.push_str(&format!("{rest}└─ {what}: {}\n", row.settled_by(settled)));
        if depth == 0 && !settled.because.is_empty() {
            text.push_str(&format!("{rest}   └─ … (a larger --depth shows more)\n"));
        } else {
            let decides = match row.precedence(settled) {
                Some("preferred") => "  ← preferred, decides",
                _ => "  ← surer, decides",
            };
            let remark = |literal| if Some(literal) == settled.decider { decides } else { "" };
            push_all(&settled.because, &rest, depth, remark, open);
        }
        return;
    }
    // The own score needs no explanation; a class at the top that is not
    // predicted also shows the rule that comes closest.
    let at_the_top = rest.is_empty();
    let wanted = by_rule || (at_the_top && !row.is_predicted(label));
    let Some((rule, limit)) = rule.filter(|_| wanted && !again) else {
        if at_the_top && !by_rule && !row.is_predicted(label) {
            text.push_str("└─ no rule derives it\n");
        }
        return;
    };
    let span = row.program.span(rule);
    let what = if by_rule { "by" } else { "closest rule:" };
    let displayed = row.program.rule(rule).display(labels);
    text.push_str(&format!("{rest}└─ {what} {displayed}  (line {})\n", span.line));
    if depth == 0 {
        text.push_str(&format!("{rest}   └─ … (a larger --depth shows more)\n"));
        return;
    }
    let remark = |literal| match (Some(literal) == limit, row.is_predicted(label)) {
        (false, _) => "",
        (true, true) => "  ← decides",
        (true, false) => "  ← blocks",
    };
    push_all(row.program.rule(rule).body(), &rest, depth, remark, open);
}

/// Who decided a class in the members, where not all decided it themselves.
fn decided_by(row: &Explanation<'_>, label: LabelId) -> String {
    let Some(members) = row.members() else { return String::new() };
    let labels = row.program.labels();
    let own = Delegate::own(label);
    let decisions = members.of(label);
    if decisions.iter().all(|decision| decision.delegate == own) {
        return String::new();
    }
    let text = |decision: &MemberDecision| match decision.delegate == own {
        true => format!("its own score in {}", decision.members),
        false => format!("{} in {}", decision.delegate.display(labels), decision.members),
    };
    let texts: Vec<String> = decisions.iter().map(text).collect();
    format!(", decided by {}", texts.join(", "))
}

/// Adds the literals that a line rests on, the first one on top of the stack.
fn push_all(
    literals: &[Literal],
    rest: &str,
    depth: usize,
    remark: impl Fn(Literal) -> &'static str,
    open: &mut Vec<Task>,
) {
    for (place, &literal) in literals.iter().enumerate().rev() {
        let last = place + 1 == literals.len();
        open.push(Task {
            label: literal.label(),
            first: format!("{rest}   {}", if last { "└─ " } else { "├─ " }),
            rest: format!("{rest}   {}", if last { "   " } else { "│  " }),
            literal,
            remark: remark(literal),
            depth: depth - 1,
        });
    }
}

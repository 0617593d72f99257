//! Explanations as trees of text. A class is explained where it first occurs and only named later,
//! so a tree is never longer than the program.

use std::collections::HashSet;

use rulebound_core::{LabelId, Literal};

use super::Explanation;

/// What is still to be drawn, the next on top: nothing recurses.
struct Task {
    label: LabelId,
    /// What stands before the first line, and before all lines below it.
    first: String,
    rest: String,
    /// What the line starts with: the class or its negation.
    literal: Literal,
    /// What is said at the end of the line.
    remark: &'static str,
    depth: usize,
}

/// Draws the trees of `labels`, at most `depth` rules deep.
pub(super) fn draw(row: &Explanation<'_>, labels: &[LabelId], depth: usize) -> String {
    let mut text = String::new();
    let mut told = HashSet::new();
    for (index, &label) in labels.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let literal = Literal::positive(label);
        let (first, rest) = (String::new(), String::new());
        let mut open = vec![Task { label, first, rest, literal, remark: "", depth }];
        // Each class asked for is told in full, also if another one named it.
        told.remove(&label);
        while let Some(task) = open.pop() {
            draw_class(row, task, &mut told, &mut text, &mut open);
        }
    }
    text
}

fn draw_class(
    row: &Explanation<'_>,
    task: Task,
    told: &mut HashSet<LabelId>,
    text: &mut String,
    open: &mut Vec<Task>,
) {
    let Task { label, first, rest, literal, remark, depth } = task;
    let labels = row.program.labels();
    let shown = literal.display(labels);
    let worth = if literal.is_negated() { row.literal_score(literal) } else { row.score(label) };
    let mut line = format!("{first}{shown} = {worth:?}");
    if literal.is_negated() {
        line +=
            &format!(", as {} = {:?}", Literal::positive(label).display(labels), row.score(label));
    }
    line += if row.is_predicted(label) { " (predicted)" } else { " (not predicted)" };
    let by_rule = row.is_by_rule(label);
    line += &match by_rule {
        true => format!("; the network said {:?}", row.network_score(label)),
        false => "; the network's own score".to_owned(),
    };
    line += remark;
    let rule = row.rule(label);
    let again = !told.insert(label);
    if again && rule.is_some() {
        line += "; explained above";
    }
    text.push_str(&line);
    text.push('\n');
    // What the network said needs no more; a class at the top that is not
    // predicted also shows the rule that comes closest.
    let at_the_top = rest.is_empty();
    let wanted = by_rule || (at_the_top && !row.is_predicted(label));
    let Some((rule, limit)) = rule.filter(|_| wanted && !again) else {
        if at_the_top && !by_rule && !row.is_predicted(label) {
            text.push_str("└─ no rule leads to it\n");
        }
        return;
    };
    let span = row.program.span(rule);
    let what = if by_rule { "by" } else { "the closest rule" };
    let displayed = row.program.rule(rule).display(labels);
    text.push_str(&format!("{rest}└─ {what} {displayed}  (line {})\n", span.line));
    if depth == 0 {
        text.push_str(&format!("{rest}   └─ … (--depth draws more)\n"));
        return;
    }
    let body = row.program.rule(rule).body();
    for (place, &literal) in body.iter().enumerate().rev() {
        let last = place + 1 == body.len();
        let remark = match (Some(literal) == limit, row.is_predicted(label)) {
            (false, _) => "",
            (true, true) => "  ← decides",
            (true, false) => "  ← blocks",
        };
        open.push(Task {
            label: literal.label(),
            first: format!("{rest}   {}", if last { "└─ " } else { "├─ " }),
            rest: format!("{rest}   {}", if last { "   " } else { "│  " }),
            literal,
            remark,
            depth: depth - 1,
        });
    }
}

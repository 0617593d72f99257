//! What `check` says about requirements.

use crate::text::{count, some_names};
use rulebound_core::{LabelId, Program, RequirementId, RuleId, SearchNeed};
use serde_json::{Value, json};
use std::fmt::Write;

/// The most groups and classes that are listed.
const LISTED: usize = 12;

type Constant = (LabelId, bool, Vec<RuleId>, Vec<RequirementId>);

fn need(program: &Program) -> Option<(&'static str, &'static str)> {
    Some(match program.search_need()? {
        SearchNeed::Closed => {
            ("closed", "no row needs search; values depend only on what the requirements mean")
        }
        SearchNeed::Never => ("never", "no row needs search"),
        SearchNeed::Unknown => (
            "unknown",
            "whether a row can need search was not found within the limit; a row that takes too long \
             is an error",
        ),
    })
}

pub fn to_text(program: &Program) -> String {
    let mut text = String::new();
    let Some((_, need)) = need(program) else {
        if !program.preferred().is_empty() {
            text.push_str("  preferred classes make no difference without requirements\n");
        }
        return text;
    };
    let groups: Vec<RequirementId> = program
        .requirement_ids()
        .filter(|&id| program.requirement(id).group_size().is_some())
        .collect();
    let clauses = program.requirements().len() - groups.len();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "  requirements: {}, {}; {need}",
        count(clauses, "clause"),
        count(groups.len(), "group")
    );
    for &id in groups.iter().take(LISTED) {
        let size = program.requirement(id).group_size().unwrap_or(0);
        let place = program.named_lines(&[], &[id]);
        let _ = writeln!(text, "  group of {}: {place}", count(size, "class"));
    }
    if groups.len() > LISTED {
        let _ = writeln!(text, "  … and {} more groups (--json lists all)", groups.len() - LISTED);
    }
    if !program.preferred().is_empty() {
        let names = program.preferred().iter().map(|&id| program.labels().name(id));
        let names = some_names(names, program.preferred().len(), LISTED);
        let _ = writeln!(text, "  settled before all others: {names}");
    }
    for side in [true, false] {
        let found: Vec<Constant> =
            program.constant_classes().into_iter().filter(|class| class.1 == side).collect();
        let what = if side { "always" } else { "never" };
        for (id, _, rules, requirements) in found.iter().take(LISTED) {
            let lines = program.named_lines(rules, requirements);
            let name = program.labels().name(*id);
            let _ = writeln!(text, "  {what} predicted: {name} ({lines})");
        }
        if found.len() > LISTED {
            let more = count(found.len() - LISTED, "more class");
            let _ = writeln!(text, "  … and {more} {what} predicted (--json lists all)");
        }
    }
    text
}

/// `None` without requirements.
pub fn to_json(program: &Program) -> Option<Value> {
    let (need, _) = need(program)?;
    let one = |id: RequirementId| {
        json!({
            "requirement": program.requirement(id).display(program.labels()).to_string(),
            "line": program.requirement_span(id).line,
            "group": program.requirement(id).group_size(),
        })
    };
    let constants = |side: bool| -> Vec<Value> {
        let of_side = program.constant_classes().into_iter().filter(|class| class.1 == side);
        of_side
            .map(|(id, _, rules, requirements)| {
                let mut lines: Vec<u32> = rules.iter().map(|&id| program.span(id).line).collect();
                lines.extend(requirements.iter().map(|&id| program.requirement_span(id).line));
                lines.sort_unstable();
                json!({ "class": program.labels().name(id), "lines": lines })
            })
            .collect()
    };
    let name = |id: &LabelId| program.labels().name(*id);
    Some(json!({
        "list": program.requirement_ids().map(one).collect::<Vec<_>>(),
        "preferred": program.preferred().iter().map(name).collect::<Vec<_>>(),
        "search": need,
        "always": constants(true),
        "never": constants(false),
    }))
}

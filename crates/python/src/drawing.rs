//! Mistakes in rules, drawn with carets.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rulebound_core::{RuleError, Span, ends};

/// Longest part of a line that is drawn.
const WIDTH: usize = 160;

/// A mistake with the lines it is about, without colours and without a line end.
pub fn draw(name: &str, lines: &[&str], error: &RuleError) -> String {
    let places = match error {
        RuleError::NotStratified { cycle } => some(&cycle.steps)
            .map(|step| {
                let not = if step.negated { "not " } else { "" };
                (step.span, format!("`{}` depends on `{not}{}`", step.to, step.from))
            })
            .collect(),
        RuleError::Unsatisfiable { problem } => {
            problem.lines.iter().take(20).map(|line| (line.span, String::new())).collect()
        }
        error => vec![(error.span(), String::new())],
    };
    let message = visible(&error.to_string());
    let hint = error.hint().map(|hint| visible(&hint));
    let name = visible(name);
    let mut group = Group::with_title(Level::ERROR.primary_title(message.as_str()));
    let cuts: Vec<Cut> = places.iter().filter_map(|(span, note)| cut(lines, *span, note)).collect();
    for cut in &cuts {
        let mut annotation = AnnotationKind::Primary.span(cut.start..cut.end);
        if !cut.note.is_empty() {
            annotation = annotation.label(cut.note.as_str());
        }
        let snippet = Snippet::source(cut.text.as_str())
            .line_start(cut.line)
            .path(name.as_str())
            .annotation(annotation);
        group = group.element(snippet);
    }
    let mut report = vec![group];
    if let Some(hint) = &hint {
        report.push(Group::with_title(Level::HELP.secondary_title(hint.as_str())));
    }
    Renderer::plain().term_width(WIDTH + 40).render(&report)
}

/// The first and the last few of what a mistake is about, which can be every line of a file; the message says that there are
/// more.
fn some<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let (first, _, last) = ends(all);
    first.iter().chain(last)
}

/// The part of a line that is drawn, and where its carets go, in bytes.
struct Cut {
    line: usize,
    text: String,
    start: usize,
    end: usize,
    note: String,
}

/// None for a rule that was not read from a text.
fn cut(lines: &[&str], span: Span, note: &str) -> Option<Cut> {
    let line = lines.get((span.line as usize).checked_sub(1)?)?.trim_start_matches('\u{feff}');
    let column = (span.column as usize).saturating_sub(1);
    let skip = if line.chars().count() <= WIDTH { 0 } else { column.saturating_sub(WIDTH / 4) };
    let text: String = line.chars().skip(skip).take(WIDTH).collect();
    let text = visible(&text);
    let byte_of = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let start = byte_of(column - skip);
    let end = byte_of(column - skip + (span.length as usize).min(WIDTH)).max(start);
    Some(Cut { line: span.line as usize, start, end, text, note: visible(note) })
}

/// Without anything that a terminal would obey; every character stays one.
fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

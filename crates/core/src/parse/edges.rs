//! The dialect `edges`: a hierarchy as two columns, `child,parent`, separated
//! by commas or tabs. A first line `child,parent` is a header.

use super::draft::Draft;
use super::error::SyntaxProblem;
use crate::rule::Literal;
use crate::span::Span;
use std::borrow::Cow;

pub(super) fn read(text: &str, draft: &mut Draft) {
    let mut first = true;
    for (number, line) in text.lines().enumerate() {
        let at = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let header = std::mem::take(&mut first);
        match split(line) {
            Ok(fields) => {
                if let Err((span, problem)) = read_edge(at, line, &fields, header, draft) {
                    draft.problem(span, problem);
                }
            }
            Err(start) => {
                draft.problem(Span::within(at, line, start, line.len()), SyntaxProblem::OpenQuote);
            }
        }
    }
}

/// Whether a line has exactly two columns.
pub(super) fn looks_like(line: &str) -> bool {
    split(line).is_ok_and(|fields| fields.len() == 2)
}

struct Field<'a> {
    name: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The fields of a line. Tabs separate if there is one, otherwise commas; a
/// field in double quotes may hold the separator, and `""` for a quote.
/// `Err` is the position of a quotation mark that is never closed.
fn split(line: &str) -> Result<Vec<Field<'_>>, usize> {
    let separator = if line.contains('\t') { '\t' } else { ',' };
    let mut fields = Vec::with_capacity(2);
    let mut start = 0;
    loop {
        let rest = &line[start..];
        let opening = rest.len() - rest.trim_start_matches(' ').len();
        let end = if rest[opening..].starts_with('"') {
            let open = start + opening;
            let mut inside = true;
            let mut end = line.len();
            for (at, c) in line[open + 1..].char_indices() {
                match c {
                    '"' => inside = !inside,
                    c if c == separator && !inside => {
                        end = open + 1 + at;
                        break;
                    }
                    _ => {}
                }
            }
            if inside {
                return Err(open);
            }
            end
        } else {
            rest.find(separator).map_or(line.len(), |at| start + at)
        };
        let raw = line[start..end].trim();
        let name = match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
            Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
            None => Cow::Borrowed(raw),
        };
        let lead = line[start..end].len() - line[start..end].trim_start().len();
        fields.push(Field { name, start: start + lead, end: (start + lead + raw.len()).min(end) });
        if end == line.len() {
            return Ok(fields);
        }
        start = end + separator.len_utf8();
    }
}

fn read_edge(
    line: u32,
    text: &str,
    fields: &[Field<'_>],
    header: bool,
    draft: &mut Draft,
) -> Result<(), (Span, SyntaxProblem)> {
    let place = |field: &Field<'_>| Span::within(line, text, field.start, field.end);
    let [child, parent] = fields else {
        let start = text.len() - text.trim_start().len();
        let span = Span::within(line, text, start, text.trim_end().len());
        return Err((span, SyntaxProblem::NotTwoColumns(fields.len())));
    };
    if header
        && child.name.eq_ignore_ascii_case("child")
        && parent.name.eq_ignore_ascii_case("parent")
    {
        return Ok(());
    }
    for field in [child, parent] {
        if field.name.is_empty() {
            return Err((place(field), SyntaxProblem::EmptyName));
        }
    }
    let labels = [child, parent].map(|field| draft.label(&field.name, || place(field)));
    if let [Some(child_label), Some(parent_label)] = labels {
        let span = Span::within(line, text, child.start, parent.end);
        draft.rule(parent_label, vec![Literal::positive(child_label)], span);
    }
    Ok(())
}

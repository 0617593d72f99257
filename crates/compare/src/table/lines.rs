//! A text as lines of fields.
//!
//! A row is one line: a table of results needs no line breaks in its names, and an unclosed
//! quotation mark would otherwise swallow the rest of the file.

use std::path::Path;

use rulebound_io::table::{Layout, read_record};

/// The fields of a line, trimmed; or the line, if a quotation mark is not closed.
pub(super) type Fields<'a> = Result<Vec<String>, &'a str>;

/// The lines that are not blank, with their numbers from 1.
pub(super) fn lines<'a>(
    path: &Path,
    text: &'a str,
) -> impl Iterator<Item = (u64, Fields<'a>)> + use<'a> {
    // Tabs separate the fields only if the file name says so; everything else is CSV.
    let delimiter = match Layout::from_name(path) {
        Some(Layout::Tsv) => b'\t',
        _ => b',',
    };
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(move |(number, line)| (number, read_record(line, delimiter).ok_or(line)))
}

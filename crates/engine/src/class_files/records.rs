//! The records of a file about classes: a class and its numbers, separated by commas or tabs. A name with a
//! comma, a tab or a line break is quoted, as in CSV.
//!
//! A record is one line, unless a quoted name has line breaks. A quotation mark that is not closed before a class
//! and its numbers are complete is an error of its own line.

#[cfg(feature = "parquet")]
use std::iter;
use std::path::Path;

use rulebound_core::Labels;

use super::error::{ClassFileError, ClassNumbers};
#[cfg(not(feature = "parquet"))]
use crate::table::TableError;
use crate::table::read_fields;
#[cfg(feature = "parquet")]
use crate::table::{
    As,
    parquet::{ParquetCell, ParquetTable},
};

/// The most line breaks in a name that is not one of a class, and in any name: a quotation mark that is not
/// closed costs looking at as many lines.
const BREAKS: usize = 16;
const MOST_BREAKS: usize = 256;

/// The records of a text, in order.
pub(crate) struct ClassRecords<'a> {
    /// With their ends.
    lines: Vec<&'a str>,
    at: usize,
    /// The most line breaks in a name.
    breaks: usize,
}

/// A class and its numbers, as they are written.
pub(crate) struct ClassRecord {
    /// Its first line, from 1; in Parquet its row.
    pub line: usize,
    /// The fields; none if a quotation mark is not closed.
    pub fields: Option<Vec<String>>,
}

impl<'a> ClassRecords<'a> {
    pub fn new(text: &'a str, labels: &Labels) -> Self {
        let breaks = |name: &str| name.bytes().filter(|byte| *byte == b'\n').count();
        let breaks = labels.names().map(breaks).max().unwrap_or(0).clamp(BREAKS, MOST_BREAKS);
        Self { lines: text.split_inclusive('\n').collect(), at: 0, breaks }
    }
}

impl Iterator for ClassRecords<'_> {
    type Item = ClassRecord;

    fn next(&mut self) -> Option<ClassRecord> {
        let rest = &self.lines[self.at..];
        let skipped = rest.iter().position(|line| !line.trim().is_empty())?;
        let (line, rest) = (self.at + skipped + 1, &rest[skipped..]);
        let mut text = String::new();
        for (count, part) in rest.iter().enumerate().take(self.breaks + 1) {
            text.push_str(part);
            if count > 0 && !part.contains('"') {
                continue;
            }
            let fields = fields(without_end(&text));
            if let Some(fields) = fields.filter(|fields| count == 0 || has_numbers(fields)) {
                self.at = line + count;
                return Some(ClassRecord { line, fields: Some(fields) });
            }
        }
        self.at = line;
        Some(ClassRecord { line, fields: None })
    }
}

/// In a build that cannot read Parquet.
#[cfg(not(feature = "parquet"))]
pub(super) fn parquet_records(
    path: &Path,
    _: &'static ClassNumbers,
) -> Result<Vec<ClassRecord>, ClassFileError> {
    Err(TableError::no_parquet(path).into())
}

/// The records of a Parquet table, whose columns are found by their names; other columns are ignored.
#[cfg(feature = "parquet")]
pub(super) fn parquet_records(
    path: &Path,
    numbers: &'static ClassNumbers,
) -> Result<Vec<ClassRecord>, ClassFileError> {
    let table = ParquetTable::open(path)?;
    let place = |name: &str| table.names().iter().position(|column| column.trim() == name);
    let wanted = iter::once("class").chain(numbers.columns.iter().copied());
    // As numbers they would be rounded to 32 bits.
    let Some(wanted) =
        wanted.map(|name| Some((place(name)?, As::Text))).collect::<Option<Vec<_>>>()
    else {
        let (path, found) = (path.to_path_buf(), table.names().to_vec());
        return Err(ClassFileError::Columns { path, numbers, found });
    };
    let (mut rows, mut records) = (table.rows(&wanted)?, Vec::new());
    while rows.advance()? {
        let text = |column| match rows.cell(column) {
            ParquetCell::Text(text) => text.to_owned(),
            ParquetCell::Number(number) => number.to_string(),
            ParquetCell::Missing => String::new(),
        };
        let fields = Some((0..wanted.len()).map(text).collect());
        records
            .push(ClassRecord { line: usize::try_from(rows.row()).unwrap_or(usize::MAX), fields });
    }
    Ok(records)
}

fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn has_numbers(fields: &[String]) -> bool {
    fields.len() > 1 && fields[1..].iter().all(|field| field.trim().parse::<f64>().is_ok())
}

/// The fields of a record, separated by what leaves numbers behind the name: the name may contain the
/// other separator.
fn fields(record: &str) -> Option<Vec<String>> {
    let likely = if record.contains('\t') { b'\t' } else { b',' };
    let mut read = [b'\t', b','].iter().filter_map(|delimiter| read_fields(record, *delimiter));
    read.find(|fields| has_numbers(fields)).or_else(|| read_fields(record, likely))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, labels: &[&str]) -> Vec<(usize, Option<Vec<String>>)> {
        let labels = Labels::new(labels.iter().copied()).unwrap();
        ClassRecords::new(text, &labels).map(|record| (record.line, record.fields)).collect()
    }

    fn fields(fields: &[&str]) -> Option<Vec<String>> {
        Some(fields.iter().map(|field| (*field).to_owned()).collect())
    }

    #[test]
    fn the_name_may_contain_the_other_separator() {
        for (text, expected) in [
            ("a\tb,0.5", ["a\tb", "0.5"]),
            ("\"a\tb\",0.5", ["a\tb", "0.5"]),
            ("a, b\t0.5", ["a, b", "0.5"]),
            ("1,2\t0.5", ["1,2", "0.5"]),
            ("a\tnone", ["a", "none"]),
            ("a,none", ["a", "none"]),
        ] {
            assert_eq!(read(text, &["a"]), [(1, fields(&expected))], "{text}");
        }
    }

    #[test]
    fn a_name_goes_on_until_its_numbers() {
        let text = "\"a\nb\",1\r\n\nc,2\n\"a\nd,3\n";
        let last = [(4, fields(&["c", "2"])), (5, None), (6, fields(&["d", "3"]))];
        let found = read(text, &["c"]);
        assert_eq!(found[0], (1, fields(&["a\nb", "1"])));
        assert_eq!(found[1..], last);
    }

    #[test]
    fn a_name_may_have_as_many_lines_as_that_of_a_class() {
        let name = "line\n".repeat(2 * BREAKS);
        let text = format!("\"{name}\",1\nc,2\n");
        assert_eq!(read(&text, &[&name])[0], (1, fields(&[&name, "1"])));
        assert_eq!(read(&text, &["c"])[0], (1, None));
    }
}

//! Splits the bytes of a text table into records and tracks the line on which each starts.
//!
//! `csv-core` does the splitting. It never reports an error; the two that matter are detected here:
//! an unclosed quotation mark (it would swallow the rest of the table) and a record of more than
//! [`LONGEST`] bytes.

use std::io::{self, BufRead};

use csv_core::ReadRecordResult;

use super::text_rows::TextRows;
use crate::input::{Bytes, LONGEST};

/// A record that was read; its cells are in the [`TextRows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The line it starts on, from 1.
    pub line: u64,
    /// How many fields it has; those beyond the requested number are only counted.
    pub fields: usize,
    /// Empty lines skipped before it.
    pub blank: u64,
}

/// Why there is no next record. `line` is the line on which it starts, `field` the field (from 1)
/// that was being read.
#[derive(Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RecordError {
    Io { line: u64, source: io::Error },
    OpenQuote { line: u64, field: usize },
    TooLong { line: u64, field: usize },
}

/// Reads records from bytes.
pub struct RecordReader {
    input: Bytes,
    core: csv_core::Reader,
    line: u64,
    last: u8,
    limit: usize,
}

impl RecordReader {
    /// Reads records from the input, whose fields the delimiter divides.
    pub fn new(input: Bytes, delimiter: u8) -> Self {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Self { input, core, line: 1, last: b'\n', limit: LONGEST }
    }

    /// The source of the records.
    pub fn input(&self) -> &Bytes {
        &self.input
    }

    /// Appends the next record to `rows`, at most `fields` of its fields; `None` at the end.
    pub fn read(
        &mut self,
        fields: usize,
        rows: &mut TextRows,
    ) -> Result<Option<Record>, RecordError> {
        let blank = self.skip_blank_lines();
        let blank = blank.map_err(|source| RecordError::Io { line: self.line, source })?;
        let Some(blank) = blank else {
            return Ok(None);
        };
        let (line, start) = (self.line, rows.used());
        let (mut found, mut taken, mut kept) = (0, 0, start);
        let mut ends = [0; 256];
        loop {
            let buffered = self.input.fill_buf();
            let buffered = buffered.map_err(|source| RecordError::Io { line, source })?;
            let at_end = buffered.is_empty();
            // A line ending after the last byte closes any record, unless a quotation mark is open.
            let bytes = if at_end { b"\n" } else { buffered };
            let (result, read, written, ended) =
                self.core.read_record(bytes, rows.room(), &mut ends);
            self.line += bytes[..read].iter().map(|&b| u64::from(b == b'\n')).sum::<u64>();
            self.last = read.checked_sub(1).map_or(self.last, |last| bytes[last]);
            taken += read;
            if !at_end {
                self.input.consume(read);
            }
            rows.grow(written);
            for &end in &ends[..ended] {
                if found < fields {
                    kept = start + end;
                    rows.end_cell(kept);
                }
                found += 1;
            }
            if found >= fields {
                rows.cut(kept); // surplus fields are not kept
            }
            let is_whole = result == ReadRecordResult::Record;
            // The byte that ends a record is not part of it.
            if taken - usize::from(is_whole) > self.limit {
                return Err(RecordError::TooLong { line, field: found + 1 });
            }
            match result {
                _ if is_whole => return Ok(Some(Record { line, fields: found, blank })),
                ReadRecordResult::InputEmpty if at_end => {
                    return Err(RecordError::OpenQuote { line, field: found + 1 });
                }
                _ => {}
            }
        }
    }

    /// Skips line endings. Returns the number of empty lines, or `None` if nothing follows.
    fn skip_blank_lines(&mut self) -> io::Result<Option<u64>> {
        let mut blank = 0;
        loop {
            let buffered = self.input.fill_buf()?;
            if buffered.is_empty() {
                return Ok(None);
            }
            let ends = buffered.iter().take_while(|b| matches!(b, b'\r' | b'\n'));
            let mut skipped = 0;
            for &end in ends {
                // The second half of "\r\n" does not end another line; the first may have ended the
                // previous record.
                blank += u64::from(!(self.last == b'\r' && end == b'\n'));
                self.line += u64::from(end == b'\n');
                self.last = end;
                skipped += 1;
            }
            let more = skipped == buffered.len();
            self.input.consume(skipped);
            if !more {
                return Ok(Some(blank));
            }
        }
    }
}

/// The fields of one line without surrounding spaces; `None` if a quotation mark is not closed.
pub fn read_record(line: &str, delimiter: u8) -> Option<Vec<String>> {
    let fields = read_fields(line, delimiter)?;
    Some(fields.iter().map(|field| field.trim().to_owned()).collect())
}

/// The fields of one record, as they are written; `None` if a quotation mark is not closed.
pub fn read_fields(line: &str, delimiter: u8) -> Option<Vec<String>> {
    if line.is_empty() {
        return Some(Vec::new());
    }
    // A reader takes far longer to make than a plain line to split.
    let is_plain = !line.contains(['"', '\r', '\n']) && !line.starts_with('\u{feff}');
    if is_plain && delimiter.is_ascii() {
        return Some(line.split(char::from(delimiter)).map(str::to_owned).collect());
    }
    quoted_fields(line, delimiter)
}

/// As [`read_fields`], of a line that may have quotation marks.
fn quoted_fields(line: &str, delimiter: u8) -> Option<Vec<String>> {
    let mut core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let fields = line.bytes().filter(|byte| *byte == delimiter).count() + 1;
    let (mut output, mut ends) = (vec![0; line.len() + 1], vec![0; fields + 1]);
    let text = format!("{line}\n");
    let (result, _, _, ended) = core.read_record(text.as_bytes(), &mut output, &mut ends);
    if result != ReadRecordResult::Record {
        return None;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let fields = starts.zip(&ends[..ended]).map(|(start, &end)| &output[start..end]);
    Some(fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn reader(text: &str) -> RecordReader {
        let bytes = Bytes::new("t.csv".as_ref(), Box::new(Cursor::new(text.to_owned())));
        RecordReader::new(bytes.unwrap(), b',')
    }

    fn records(text: &str, fields: usize) -> Vec<(u64, usize, u64)> {
        let (mut reader, mut rows) = (reader(text), TextRows::default());
        rows.clear(fields);
        std::iter::from_fn(|| reader.read(fields, &mut rows).unwrap())
            .map(|record| (record.line, record.fields, record.blank))
            .collect()
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let expected = [(1, 2, 0), (2, 2, 0), (5, 2, 1), (7, 2, 1)];
        let unix = "a,b\n\"x\ny\",1\n\nc,d\n\ne,f";
        assert_eq!(records(unix, 2), expected);
        assert_eq!(records(&unix.replace('\n', "\r\n"), 2), expected);
        assert_eq!(records(&format!("{unix}\n\n"), 2), expected);
        assert_eq!(records(&format!("\u{feff}{unix}"), 2), expected);
    }

    #[test]
    fn surplus_fields_are_counted_and_cost_nothing() {
        let text = format!("1,22,333,{}", "abcdefg,".repeat(100_000));
        let (mut reader, mut rows) = (reader(&text), TextRows::default());
        rows.clear(3);
        let record = reader.read(3, &mut rows).unwrap().unwrap();
        assert_eq!(record.fields, 100_004);
        assert_eq!([0, 1, 2].map(|cell| rows.cell(0, cell)), [&b"1"[..], b"22", b"333"]);
        assert!(rows.size() < 1_000_000);
    }

    #[test]
    fn an_open_quote_is_caught() {
        for (text, line, field) in [("a,\"b\n1,2\n3,4\n", 1, 2), ("a,b\n1,\"", 2, 2), ("\"", 1, 1)]
        {
            let (mut reader, mut rows) = (reader(text), TextRows::default());
            let error = loop {
                match reader.read(2, &mut rows) {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("no error in {text:?}"),
                    Err(error) => break error,
                }
            };
            match error {
                RecordError::OpenQuote { line: l, field: f } => assert_eq!((l, f), (line, field)),
                other => panic!("{text:?}: {other:?}"),
            }
        }
        assert_eq!(records("a,\"b\"", 2), [(1, 2, 0)]);
        assert_eq!(records("a,5\" pipe", 2), [(1, 2, 0)]);
    }

    #[test]
    fn a_record_may_be_as_long_as_the_limit_and_no_longer() {
        for (more, end) in [(0, ""), (0, "\n"), (0, "\r\n"), (1, ""), (1, "\n"), (1, ",\n")] {
            let text = format!("a,b\n1,\"{}\"{end}", "x".repeat(9_996 + more));
            let (mut reader, mut rows) = (reader(&text), TextRows::default());
            reader.limit = 10_000;
            rows.clear(2);
            reader.read(2, &mut rows).unwrap();
            match reader.read(2, &mut rows) {
                Ok(Some(_)) => assert_eq!((more, rows.cell(1, 1).len()), (0, 9_996)),
                Err(RecordError::TooLong { line: 2, .. }) => assert_eq!(more, 1),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn one_line_is_one_record() {
        assert_eq!(read_record(" a ,\"b, c \"", b','), Some(vec!["a".into(), "b, c".into()]));
        assert_eq!(read_fields(" a ,\"b, c \"", b','), Some(vec![" a ".into(), "b, c ".into()]));
        assert_eq!(read_record("a\tb, c", b'\t'), Some(vec!["a".into(), "b, c".into()]));
        assert_eq!(read_record("a,\"b", b','), None);
        assert_eq!(read_record("", b','), Some(vec![]));
    }

    #[test]
    fn a_plain_line_is_split_as_a_reader_splits_it() {
        const SIGNS: [&str; 7] = ["a", "\u{e9}", ",", "\t", " ", "\"", "\u{feff}"];
        let mut lines = vec![String::new()];
        for _ in 0..5 {
            let longer = lines.iter().flat_map(|line| SIGNS.map(|sign| format!("{line}{sign}")));
            lines = longer.collect();
            for line in &lines {
                for delimiter in [b',', b'\t'] {
                    assert_eq!(
                        read_fields(line, delimiter),
                        quoted_fields(line, delimiter),
                        "{line:?}"
                    );
                }
            }
        }
    }
}

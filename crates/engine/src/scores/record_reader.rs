//! Splits the bytes of a text table into records, and knows the line each starts on.
//!
//! `csv-core` does the splitting. It prefers any reading over an error; what matters to us and it
//! lets pass is caught here: a quote that is never closed (it would swallow the rest of the table)
//! and a record too long to hold.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use csv_core::ReadRecordResult;

use super::text_rows::TextRows;

/// Bytes of one record we are ready to hold.
pub(super) const MAX_RECORD: usize = 1 << 30;

const BUFFER: usize = 1 << 18;
const BOM: [u8; 3] = *b"\xef\xbb\xbf";

/// A record was read; its cells are in the [`TextRows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The line it starts on, from 1.
    pub(super) line: u64,
    /// How many fields it has; those over the number asked for are only counted.
    pub(super) fields: usize,
    /// Empty lines skipped before it.
    pub(super) blank: u64,
}

/// Why there is no next record.
#[derive(Debug)]
pub(super) enum RecordError {
    Io(io::Error),
    OpenQuote { line: u64 },
    TooLong { line: u64 },
}

/// Reads records from bytes.
pub(super) struct RecordReader {
    input: BufReader<Box<dyn Read + Send>>,
    core: csv_core::Reader,
    line: u64,
    last: u8,
    limit: usize,
}

impl RecordReader {
    /// Reads from `stream`; a byte order mark at its start is skipped.
    pub(super) fn new(mut stream: Box<dyn Read + Send>, delimiter: u8) -> io::Result<Self> {
        let mut start = Vec::with_capacity(BOM.len());
        stream.by_ref().take(BOM.len() as u64).read_to_end(&mut start)?;
        if start == BOM {
            start.clear();
        }
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(stream));
        Ok(Self {
            input: BufReader::with_capacity(BUFFER, whole),
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            line: 1,
            last: b'\n',
            limit: MAX_RECORD,
        })
    }

    /// Appends the next record to `rows`, at most `fields` of its fields; `None` at the end.
    pub(super) fn read(
        &mut self,
        fields: usize,
        rows: &mut TextRows,
    ) -> Result<Option<Record>, RecordError> {
        let Some(blank) = self.skip_blank_lines().map_err(RecordError::Io)? else {
            return Ok(None);
        };
        let (line, start) = (self.line, rows.used());
        let mut found = 0;
        let mut ends = [0; 256];
        loop {
            let buffered = self.input.fill_buf().map_err(RecordError::Io)?;
            let at_end = buffered.is_empty();
            // A line end after the last byte closes any record, unless a quote is open.
            let bytes = if at_end { b"\n" } else { buffered };
            let (result, read, written, ended) =
                self.core.read_record(bytes, rows.room(), &mut ends);
            self.line += bytes[..read].iter().map(|&b| u64::from(b == b'\n')).sum::<u64>();
            self.last = read.checked_sub(1).map_or(self.last, |last| bytes[last]);
            if !at_end {
                self.input.consume(read);
            }
            rows.grow(written);
            for &end in &ends[..ended] {
                if found < fields {
                    rows.end_cell(start + end);
                }
                found += 1;
            }
            if found >= fields && result != ReadRecordResult::Record {
                rows.cut(start); // too many fields: an error, and nobody reads the rest
            }
            match result {
                ReadRecordResult::Record => {
                    return Ok(Some(Record { line, fields: found, blank }));
                }
                ReadRecordResult::InputEmpty if at_end => {
                    return Err(RecordError::OpenQuote { line });
                }
                _ if rows.used() - start > self.limit => {
                    return Err(RecordError::TooLong { line });
                }
                _ => {}
            }
        }
    }

    /// Skips line ends; how many empty lines that were, or `None` when nothing follows.
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
                // The second half of "\r\n" ends no line of its own; the first may have ended the
                // record before.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reader(text: &str) -> RecordReader {
        RecordReader::new(Box::new(Cursor::new(text.to_owned())), b',').unwrap()
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
        let (mut reader, mut rows) = (reader(&"abcdefg,".repeat(100_000)), TextRows::default());
        rows.clear(2);
        let record = reader.read(2, &mut rows).unwrap().unwrap();
        assert_eq!(record.fields, 100_001);
        assert!(rows.size() < 1_000_000);
    }

    #[test]
    fn an_open_quote_is_caught() {
        for text in ["a,\"b\n1,2\n3,4\n", "a,b\n1,\"", "\""] {
            let (mut reader, mut rows) = (reader(text), TextRows::default());
            let error = loop {
                match reader.read(2, &mut rows) {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("no error in {text:?}"),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, RecordError::OpenQuote { .. }), "{text:?}");
        }
        assert_eq!(records("a,\"b\"", 2), [(1, 2, 0)]);
        assert_eq!(records("a,5\" pipe", 2), [(1, 2, 0)]);
    }

    #[test]
    fn a_record_over_the_limit_is_refused() {
        let (mut reader, mut rows) = (reader(&"x".repeat(100_000)), TextRows::default());
        reader.limit = 10_000;
        rows.clear(1);
        let error = reader.read(1, &mut rows).unwrap_err();
        assert!(matches!(error, RecordError::TooLong { line: 1 }));
    }
}

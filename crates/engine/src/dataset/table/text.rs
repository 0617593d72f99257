//! CSV and TSV tables, record by record.
//!
//! Invariant: no record of more than [`LONGEST`] bytes is held, so that a quotation mark that is
//! never closed cannot swallow the rest of the file.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;

use csv::{ByteRecord, ErrorKind};

use super::super::error::DatasetError;
use super::super::lines::{Bytes, LONGEST, latin1};
use super::super::mistake::{Mistakes, Problem};
use super::super::source::FileFormat;
use super::super::split::SplitFile;
use super::{Choice, MISSING, check_names};
use crate::output::is_standard;

/// A text table being read.
pub(in super::super) struct TextTable {
    records: csv::Reader<Budget>,
    names: Vec<String>,
    record: ByteRecord,
    /// The line the record starts on, from 1.
    line: u64,
    /// The line the last record started on.
    last: u64,
}

/// Bytes that run out unless they are granted again.
struct Budget {
    bytes: Bytes,
    left: usize,
    /// Whether the number of quotation marks so far is odd.
    is_quoting: bool,
    /// How many bytes were read, and the last one of them.
    read: u64,
    last: u8,
    /// Line ends that lie after the last record asked for: where, and whether they are CR LF.
    line_ends: VecDeque<(u64, bool)>,
    /// How many line ends lie before it.
    passed: u64,
}

impl Budget {
    fn new(bytes: Bytes) -> Self {
        Self {
            bytes,
            left: LONGEST,
            is_quoting: false,
            read: 0,
            last: 0,
            line_ends: VecDeque::new(),
            passed: 0,
        }
    }

    /// The line of the record for which the reader was at byte `start`: the `csv` crate stops
    /// between CR and LF, and before empty lines.
    fn line(&mut self, mut start: u64) -> u64 {
        while let Some(&(end, is_crlf)) = self.line_ends.front() {
            if end > start && !(is_crlf && end == start + 1) {
                break;
            }
            start = start.max(end + 1);
            self.line_ends.pop_front();
            self.passed += 1;
        }
        self.passed + 1
    }
}

impl Read for Budget {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other("the record is too long"));
        }
        let most = buffer.len().min(self.left);
        let read = self.bytes.read(&mut buffer[..most])?;
        self.left -= read;
        for &byte in &buffer[..read] {
            match byte {
                b'"' => self.is_quoting = !self.is_quoting,
                b'\n' => self.line_ends.push_back((self.read, self.last == b'\r')),
                _ => {}
            }
            self.last = byte;
            self.read += 1;
        }
        Ok(read)
    }
}

impl TextTable {
    /// Opens a table, or standard input for `-`, and reads its header.
    pub(super) fn open(path: &Path, format: FileFormat) -> Result<Self, DatasetError> {
        let bytes = match is_standard(path) {
            true => Bytes::standard_input(path)?,
            false => Bytes::open(path)?,
        };
        let records = csv::ReaderBuilder::new()
            .delimiter(if format == FileFormat::Tsv { b'\t' } else { b',' })
            .has_headers(false)
            .flexible(true)
            .from_reader(Budget::new(bytes));
        let (names, record) = (Vec::new(), ByteRecord::new());
        let mut table = Self { records, names, record, line: 0, last: 1 };
        let mut mistakes = Mistakes::default();
        if !table.next()? {
            return Err(DatasetError::NoHeader { path: path.to_path_buf() });
        }
        for (place, name) in table.record.iter().enumerate() {
            match str::from_utf8(name) {
                Ok(name) => table.names.push(name.to_owned()),
                Err(_) => mistakes.push(1, place + 1, &latin1(name), Problem::NotUtf8),
            }
        }
        if mistakes.is_empty() {
            return Ok(table);
        }
        Err(DatasetError::Broken { path: path.to_path_buf(), mistakes })
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the next record; false after the last one.
    fn next(&mut self) -> Result<bool, DatasetError> {
        self.records.get_mut().left = LONGEST;
        let start = self.records.position().byte();
        let read = self.records.read_byte_record(&mut self.record);
        self.line = self.records.get_mut().line(start);
        let error = match read {
            Ok(read) => return Ok(read),
            Err(error) => error,
        };
        let budget = self.records.get_ref();
        let (path, line) = (budget.bytes.path().to_path_buf(), self.line);
        if budget.left == 0 {
            return Err(DatasetError::LineTooLong { path, line, limit: LONGEST });
        }
        let source = match error.into_kind() {
            ErrorKind::Io(source) => source,
            other => io::Error::other(format!("{other:?}")),
        };
        Err(budget.bytes.failed(line.saturating_sub(1), source))
    }

    /// Goes to the next good record; false after the last one. Bad ones go to `mistakes`. Only the
    /// cells of the `wanted` columns, in order, need be text.
    pub(super) fn advance(
        &mut self,
        wanted: impl Iterator<Item = usize> + Clone,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        while self.next()? {
            self.last = self.line;
            if self.is_good(wanted.clone(), mistakes) {
                return Ok(true);
            }
        }
        let budget = self.records.get_ref();
        let spans_lines = budget.passed + budget.line_ends.len() as u64 > self.last;
        if budget.is_quoting && spans_lines {
            let place = self.record.len().max(1);
            mistakes.push(self.last, place, "\"", Problem::OpenQuote);
        }
        Ok(false)
    }

    /// Whether the record has a cell for each column, and text in the wanted ones.
    fn is_good(&self, wanted: impl Iterator<Item = usize>, mistakes: &mut Mistakes) -> bool {
        let (expected, found) = (self.names.len(), self.record.len());
        let mut is_good = expected == found;
        for place in wanted {
            let Some(cell) = self.record.get(place) else {
                break;
            };
            if str::from_utf8(cell).is_err() {
                mistakes.push(self.line, place + 1, &latin1(cell), Problem::NotUtf8);
                is_good = false;
            }
        }
        let at = |place: usize| String::from_utf8_lossy(&self.record[place]).into_owned();
        if found > expected {
            let problem = Problem::TooManyFields { expected, found };
            mistakes.push(self.line, expected + 1, &at(expected), problem);
        } else if found < expected {
            let problem = Problem::TooFewFields { expected, found };
            mistakes.push(self.line, found, &at(found - 1), problem);
        }
        is_good
    }

    /// The text of a cell of a good record.
    pub(super) fn text(&self, column: usize) -> &str {
        let cell = self.record.get(column).unwrap_or_default();
        str::from_utf8(cell).unwrap_or_default()
    }

    /// The line the record starts on, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }
}

/// The columns of all files, and which of them hold text that is no number.
pub(super) fn survey(
    files: &[SplitFile],
    format: FileFormat,
    choice: Choice<'_>,
) -> Result<(Vec<String>, Vec<bool>), DatasetError> {
    let mut names: Vec<String> = Vec::new();
    let mut numbers: Vec<u64> = Vec::new();
    let mut known: Vec<u64> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let mut table = TextTable::open(&file.path, format)?;
        if place == 0 {
            names = table.names.clone();
            // Say what is wrong with the label columns before a long file is read.
            choice.labels.places(&names, &file.path)?;
            (numbers, known) = (vec![0; names.len()], vec![0; names.len()]);
        }
        check_names(&names, table.names(), &files[0].path, &file.path)?;
        let mut mistakes = Mistakes::default();
        while table.advance(0..names.len(), &mut mistakes)? {
            for column in 0..names.len() {
                let cell = table.text(column);
                if !MISSING.contains(&cell) {
                    known[column] += 1;
                    numbers[column] += u64::from(cell.trim().parse::<f32>().is_ok());
                }
            }
        }
    }
    let is_text = |(known, numbers): (&u64, &u64)| numbers * 2 < *known;
    let is_text = known.iter().zip(&numbers).map(is_text).collect();
    Ok((names, is_text))
}

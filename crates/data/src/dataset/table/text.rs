//! CSV and TSV tables, record by record, with the mistakes of invalid records.

use std::path::Path;

use super::super::complaint::{Mistakes, Problem, ReadNote};
use super::super::error::DatasetError;
use super::super::source::FileFormat;
use super::super::split::SplitFile;
use super::{Choice, check_names};
use rulebound_io::input::{Bytes, InputError, LONGEST, latin1};
use rulebound_io::table::MISSING;
use rulebound_io::table::{RecordError, RecordReader, TextRows, comma_number, detect_delimiter};

/// How the delimiter of a text table is determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Delimiter {
    /// By the name of the file.
    Named,
    /// By its first lines, where the name means CSV.
    Detected,
}

/// A text table being read.
pub(in super::super) struct TextTable {
    records: RecordReader,
    delimiter: u8,
    /// Whether the delimiter is the one that the name of the file means.
    is_named: bool,
    names: Vec<String>,
    /// The current record, as the only row.
    record: TextRows,
    fields: usize,
    /// The line on which the record starts, from 1.
    line: u64,
}

impl TextTable {
    /// Opens a table, or standard input for `-`, and reads its header.
    pub(in super::super) fn open(
        path: &Path,
        format: FileFormat,
        delimiter: Delimiter,
    ) -> Result<Self, DatasetError> {
        let mut input = Bytes::open(path)?;
        let delimiter = match (format, delimiter) {
            (FileFormat::Tsv, _) => b'\t',
            (_, Delimiter::Named) => b',',
            (_, Delimiter::Detected) => {
                detect_delimiter(&mut input).map_err(|source| input.failed(0, source))?
            }
        };
        let records = RecordReader::new(input, delimiter);
        let is_named = format == FileFormat::Tsv || delimiter == b',';
        let (names, record) = (Vec::new(), TextRows::default());
        let mut table = Self { records, delimiter, is_named, names, record, fields: 0, line: 0 };
        let mut mistakes = Mistakes::default();
        if !table.next(usize::MAX, &mut mistakes)? && mistakes.is_empty() {
            return Err(DatasetError::NoHeader { path: path.to_path_buf() });
        }
        for place in 0..table.fields {
            let name = table.record.cell(0, place);
            match str::from_utf8(name) {
                Ok(name) => table.names.push(name.to_owned()),
                Err(_) => mistakes.push(1, place + 1, &latin1(name), Problem::NotUtf8),
            }
        }
        DatasetError::expect_none(path, mistakes)?;
        Ok(table)
    }

    /// What separates its fields.
    pub(in super::super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Whether numbers may be written with decimal commas: where commas do not separate fields and
    /// semicolons do.
    pub(super) fn has_decimal_commas(&self) -> bool {
        self.delimiter == b';'
    }

    /// What is unusual about the file, if anything.
    pub(super) fn note(&self) -> Option<ReadNote> {
        let path = self.records.input().path().to_path_buf();
        (!self.is_named).then(|| ReadNote::Delimiter { path, delimiter: self.delimiter.into() })
    }

    /// The names of the columns.
    pub(in super::super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the next record, at most `fields` of its fields; false after the last one. An unclosed
    /// quotation mark is added to `mistakes` and ends the table.
    fn next(&mut self, fields: usize, mistakes: &mut Mistakes) -> Result<bool, DatasetError> {
        self.record.clear(fields);
        let error = match self.records.read(fields, &mut self.record) {
            Ok(None) => return Ok(false),
            Ok(Some(record)) => {
                (self.line, self.fields) = (record.line, record.fields);
                return Ok(true);
            }
            Err(error) => error,
        };
        let input = self.records.input();
        match error {
            RecordError::Io { line, source } => {
                Err(input.failed(line.saturating_sub(1), source).into())
            }
            RecordError::TooLong { line, .. } => {
                let path = input.path().to_path_buf();
                Err(InputError::LineTooLong { path, line, limit: LONGEST }.into())
            }
            RecordError::OpenQuote { line, field } => {
                mistakes.push(line, field, "\"", Problem::OpenQuote);
                Ok(false)
            }
        }
    }

    /// Advances to the next valid record; false after the last one. Invalid ones are added to
    /// `mistakes`. Only the cells of the `wanted` columns (in order) must be UTF-8.
    pub(in super::super) fn advance(
        &mut self,
        wanted: impl Iterator<Item = usize> + Clone,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        // One field more than there are columns: errors show it.
        while self.next(self.names.len() + 1, mistakes)? {
            if self.is_good(wanted.clone(), mistakes) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the record has a cell for each column, and UTF-8 in the wanted ones.
    fn is_good(&self, wanted: impl Iterator<Item = usize>, mistakes: &mut Mistakes) -> bool {
        let (expected, found) = (self.names.len(), self.fields);
        let mut is_good = expected == found;
        for place in wanted.take_while(|place| *place < found) {
            let cell = self.record.cell(0, place);
            if str::from_utf8(cell).is_err() {
                mistakes.push(self.line, place + 1, &latin1(cell), Problem::NotUtf8);
                is_good = false;
            }
        }
        let at = |place: usize| String::from_utf8_lossy(self.record.cell(0, place)).into_owned();
        if found > expected {
            let problem = Problem::TooManyFields { expected, found };
            mistakes.push(self.line, expected + 1, &at(expected), problem);
        } else if found < expected {
            let problem = Problem::TooFewFields { expected, found };
            mistakes.push(self.line, found, &at(found - 1), problem);
        }
        is_good
    }

    /// The text of a cell of a valid record.
    pub(in super::super) fn text(&self, column: usize) -> &str {
        str::from_utf8(self.record.cell(0, column)).unwrap_or_default()
    }

    /// The line on which the record starts, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }
}

/// The columns of all files, which of them hold text that is not numeric, and what is unusual.
pub(super) type Survey = (Vec<String>, Vec<bool>, Vec<ReadNote>);

/// Reads all files once to see what their columns hold.
pub(super) fn survey(
    files: &[SplitFile],
    format: FileFormat,
    choice: Choice<'_>,
) -> Result<Survey, DatasetError> {
    let mut notes = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut numbers: Vec<u64> = Vec::new();
    let mut known: Vec<u64> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let mut table = TextTable::open(&file.path, format, Delimiter::Detected)?;
        notes.extend(table.note());
        let has_commas = table.has_decimal_commas();
        if place == 0 {
            names = table.names.clone();
            // Report mistakes in the label columns before a long file is read.
            choice.labels.places(&names, &file.path)?;
            (numbers, known) = (vec![0; names.len()], vec![0; names.len()]);
        }
        check_names(&names, table.names(), &files[0].path, &file.path)?;
        let mut mistakes = Mistakes::default();
        let mut with_commas = vec![false; names.len()];
        while table.advance(0..names.len(), &mut mistakes)? {
            for column in 0..names.len() {
                let cell = table.text(column);
                if !MISSING.contains(&cell) {
                    known[column] += 1;
                    let is_comma = has_commas && comma_number(cell.trim()).is_some();
                    with_commas[column] |= is_comma;
                    let is_number = is_comma || cell.trim().parse::<f32>().is_ok();
                    numbers[column] += u64::from(is_number);
                }
            }
        }
        let columns = names.iter().zip(with_commas).filter(|(_, has)| *has);
        let columns: Vec<String> = columns.map(|(name, _)| name.clone()).collect();
        if !columns.is_empty() {
            notes.push(ReadNote::DecimalComma { path: file.path.clone(), columns });
        }
    }
    let is_text = |(known, numbers): (&u64, &u64)| numbers * 2 < *known;
    let is_text = known.iter().zip(&numbers).map(is_text).collect();
    Ok((names, is_text, notes))
}

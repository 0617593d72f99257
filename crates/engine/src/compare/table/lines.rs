//! A file as lines of fields.
//!
//! A row is one line: a table of results needs no line breaks in its names, and a quotation mark
//! that is never closed would otherwise swallow the rest of the file.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::error::TableError;
use crate::output::{is_gzip, is_standard};

/// How gzip data begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// How a Parquet file begins.
const PARQUET: &[u8] = b"PAR1";

/// All bytes of a file.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, TableError> {
    let failed = |source| TableError::Read { path: path.to_owned(), source };
    if !is_standard(path) {
        return std::fs::read(path).map_err(failed);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The text in them, unpacked, without a byte order mark.
pub(super) fn text(path: &Path, bytes: &[u8]) -> Result<String, TableError> {
    let mut unpacked = Vec::new();
    if bytes.starts_with(&GZIP) || is_gzip(path) {
        let gzip = |source| TableError::Gzip { path: path.to_owned(), source };
        MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).map_err(gzip)?;
    } else {
        unpacked.extend_from_slice(bytes);
    }
    if unpacked.starts_with(PARQUET) {
        return Err(TableError::Parquet { path: path.to_owned() });
    }
    let text = String::from_utf8(unpacked).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        TableError::NotUtf8 {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or("").chars().count() + 1,
        }
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The fields of a line, trimmed; or the line, where a quotation mark stays open.
pub(super) type Fields<'a> = Result<Vec<String>, &'a str>;

/// The lines that are not blank, with their numbers from 1.
pub(super) struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    delimiter: u8,
}

impl<'a> Lines<'a> {
    /// Fields are separated by tabs where the name of the file says so, else by commas.
    pub(super) fn new(path: &Path, text: &'a str) -> Self {
        let inner = match path.file_stem() {
            Some(stem) if is_gzip(path) => Path::new(stem),
            _ => path,
        };
        let extension = inner.extension().unwrap_or_default();
        let tabs = ["tsv", "tab"].iter().any(|tab| extension.eq_ignore_ascii_case(tab));
        Self { lines: text.lines().enumerate(), delimiter: if tabs { b'\t' } else { b',' } }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, Fields<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (index, line) = self.lines.find(|(_, line)| !line.trim().is_empty())?;
        Some((index + 1, fields(line, self.delimiter)))
    }
}

fn fields(line: &str, delimiter: u8) -> Fields<'_> {
    if line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        return Err(line);
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .buffer_capacity(line.len().clamp(1, 1 << 16))
        .from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    Ok(record.iter().map(str::to_owned).collect())
}

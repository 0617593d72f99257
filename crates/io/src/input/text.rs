//! Text from bytes: line by line, or as a whole.
//!
//! Text is UTF-8. ARFF files (and the XML lists that come with them) are older than that: there, a
//! line that is not UTF-8 is read as Latin-1, where every byte is the code point of the same value.
//! Everywhere else such a line is a mistake, reported with its place.
//!
//! Invariant: at most one line is held, and no line of more than [`LONGEST`] bytes.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use super::LONGEST;
use super::bytes::Bytes;
use super::error::InputError;
use super::limit::{WHOLE_TEXT, limit};
use super::mistake::Mistakes;

/// How to treat a line that is not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fallback {
    /// As a mistake.
    None,
    /// As Latin-1.
    Latin1,
}

/// Marks bytes that are not UTF-8; each reader of lines has its own problem variant for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotUtf8;

/// A file being read line by line.
pub struct Lines {
    input: Bytes,
    buffer: Vec<u8>,
    fallback: Fallback,
    line: u64,
}

impl Lines {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path, fallback: Fallback) -> Result<Self, InputError> {
        Ok(Self { input: Bytes::open(path)?, buffer: Vec::new(), fallback, line: 0 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.input.path()
    }

    /// The number of the last line read, from 1.
    pub fn number(&self) -> u64 {
        self.line
    }

    /// The next line without its line ending. A line that cannot be decoded is added to `mistakes`
    /// and returned empty.
    pub fn next<P: From<NotUtf8>>(
        &mut self,
        mistakes: &mut Mistakes<P>,
    ) -> Result<Option<Cow<'_, str>>, InputError> {
        self.buffer.clear();
        let limited = &mut (&mut self.input).take(LONGEST as u64 + 2);
        let read = limited.read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|source| self.input.failed(self.line, source))?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        let mut bytes = self.buffer.as_slice();
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() > LONGEST {
            let path = self.path().to_path_buf();
            return Err(InputError::LineTooLong { path, line: self.line, limit: LONGEST });
        }
        match str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) if self.fallback == Fallback::Latin1 => Ok(Some(latin1(bytes).into())),
            Err(error) => {
                let good = error.valid_up_to();
                let (_, column) = place(&bytes[..good]);
                let bad = latin1(&bytes[good..][..1]);
                mistakes.push(self.line, column, &bad, NotUtf8.into());
                Ok(Some("".into()))
            }
        }
    }
}

/// The whole text of a file; `-` is standard input.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    decode_text(Bytes::open(path)?)
}

/// The whole text of a file that has at most so many bytes, unless the user raises the limit.
///
/// # Errors
/// If it cannot be read, is longer, or is not UTF-8.
pub fn read_short_text(path: &Path, largest: u64) -> Result<String, InputError> {
    decode(Bytes::open(path)?, largest)
}

/// Decodes all the bytes as text.
pub fn decode_text(input: Bytes) -> Result<String, InputError> {
    decode(input, WHOLE_TEXT)
}

fn decode(mut input: Bytes, largest: u64) -> Result<String, InputError> {
    let largest = limit(input.path(), largest)?;
    let mut bytes = Vec::new();
    let read = input.by_ref().take(largest.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| input.failed(0, source))?;
    let path = input.path().to_path_buf();
    if bytes.len() as u64 > largest {
        return Err(InputError::FileTooLong { path, limit: largest });
    }
    String::from_utf8(bytes).map_err(|error| {
        let (line, column) = place(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        InputError::NotUtf8 { path, line, column }
    })
}

/// The line and column, both from 1, of the character after these bytes of UTF-8.
fn place(before: &[u8]) -> (u64, usize) {
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    // Every character has exactly one byte that is not a continuation byte.
    (lines as u64 + 1, last.iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 1)
}

/// Every byte as the code point of the same value.
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn text(bytes: &[u8]) -> Result<String, InputError> {
        decode_text(Bytes::new("t".as_ref(), Box::new(Cursor::new(bytes.to_vec())))?)
    }

    #[test]
    fn bytes_that_are_not_text_have_a_place() {
        assert_eq!(text("\u{feff}a\nb".as_bytes()).unwrap(), "a\nb");
        match text(b"a -> b\n\xc3\xa4 -> \xff\n") {
            Err(InputError::NotUtf8 { line, column, .. }) => assert_eq!((line, column), (2, 6)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (more, end, is_good) in [(0, "\r\n", true), (0, "", true), (1, "\n", false)] {
            std::fs::write(file.path(), format!("{}{end}", "x".repeat(LONGEST + more))).unwrap();
            let mut lines = Lines::open(file.path(), Fallback::None).unwrap();
            let read = lines.next(&mut Mistakes::<NotUtf8>::default());
            match read {
                Ok(line) => assert!(is_good && line.unwrap().len() == LONGEST),
                Err(error) => assert!(!is_good, "{error}"),
            }
        }
    }
}

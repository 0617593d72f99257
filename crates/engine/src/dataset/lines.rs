//! The lines of a file, unpacked and decoded on the way.
//!
//! A file is compressed if its name ends in `.gz` or its first bytes say so. Invariant: at most
//! one line is held, and no line of more than [`LONGEST`] bytes.
//!
//! Text is UTF-8. ARFF files (and the XML lists beside them) are older than that: there, a line
//! that is not UTF-8 is read as Latin-1, where every byte is the character of the same number.
//! Everywhere else such a line is a mistake with its place.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::error::DatasetError;
use super::mistake::{Mistakes, Problem};
use crate::output::is_gzip;

/// Bytes of one line we are ready to hold.
pub const LONGEST: usize = 1 << 23;

const BUFFER: usize = 1 << 17;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What a line that is not UTF-8 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fallback {
    /// A mistake.
    None,
    /// Latin-1.
    Latin1,
}

/// A file being read line by line.
pub(super) struct Lines {
    input: Bytes,
    buffer: Vec<u8>,
    fallback: Fallback,
    line: u64,
}

/// The unpacked bytes of a file, without a byte order mark.
pub(super) struct Bytes {
    path: PathBuf,
    gzip: bool,
    stream: BufReader<Box<dyn Read + Send>>,
}

impl Bytes {
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let file = File::open(path)
            .map_err(|source| DatasetError::Open { path: path.to_path_buf(), source })?;
        Self::of(path, Box::new(file))
    }

    /// The bytes of standard input, which errors call `path`.
    pub(super) fn standard_input(path: &Path) -> Result<Self, DatasetError> {
        Self::of(path, Box::new(io::stdin()))
    }

    fn of(path: &Path, mut file: Box<dyn Read + Send>) -> Result<Self, DatasetError> {
        let opened = |source| DatasetError::Open { path: path.to_path_buf(), source };
        let mut start = Vec::with_capacity(GZIP.len());
        file.by_ref().take(GZIP.len() as u64).read_to_end(&mut start).map_err(opened)?;
        let gzip = is_gzip(path) || start == GZIP;
        let whole = Cursor::new(start).chain(file);
        let stream: Box<dyn Read + Send> =
            if gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        let mut bytes = Self { path: path.to_path_buf(), gzip, stream: BufReader::new(stream) };
        let mut start = Vec::with_capacity(BOM.len());
        let read = bytes.by_ref().take(BOM.len() as u64).read_to_end(&mut start);
        read.map_err(|source| bytes.failed(0, source))?;
        if start == BOM {
            start.clear();
        }
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(bytes.stream));
        let stream = BufReader::with_capacity(BUFFER, whole);
        Ok(Self { path: bytes.path, gzip, stream })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn failed(&self, line: u64, source: io::Error) -> DatasetError {
        let path = self.path.clone();
        let is_damage = matches!(
            source.kind(),
            ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput
        );
        match self.gzip && is_damage {
            true => DatasetError::Gzip { path, line, source },
            false => DatasetError::Read { path, line, source },
        }
    }

    /// The whole file as a text, if it is not larger than `limit`.
    pub(super) fn read_text(mut self, limit: u64) -> Result<String, DatasetError> {
        let mut bytes = Vec::new();
        let read = self.stream.by_ref().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|source| self.failed(0, source))?;
        if bytes.len() as u64 > limit {
            return Err(DatasetError::FileTooLong { path: self.path, limit });
        }
        String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
            let line = before.matches('\n').count() as u64 + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            let mut mistakes = Mistakes::default();
            mistakes.push(line, column, &latin1(&error.as_bytes()[good..][..1]), Problem::NotUtf8);
            DatasetError::Broken { path: self.path.clone(), mistakes }
        })
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl BufRead for Bytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.stream.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.stream.consume(amount);
    }
}

impl Lines {
    pub(super) fn open(path: &Path, fallback: Fallback) -> Result<Self, DatasetError> {
        Ok(Self { input: Bytes::open(path)?, buffer: Vec::new(), fallback, line: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        self.input.path()
    }

    /// The number of the line read last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.line
    }

    /// The next line without its end. A line that cannot be decoded goes to `mistakes` and is
    /// empty.
    pub(super) fn next(
        &mut self,
        mistakes: &mut Mistakes,
    ) -> Result<Option<Cow<'_, str>>, DatasetError> {
        self.buffer.clear();
        let limited = &mut (&mut self.input.stream).take(LONGEST as u64 + 2);
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
            let path = self.input.path.clone();
            return Err(DatasetError::LineTooLong { path, line: self.line, limit: LONGEST });
        }
        match str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) if self.fallback == Fallback::Latin1 => Ok(Some(latin1(bytes).into())),
            Err(error) => {
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let bad = latin1(&bytes[error.valid_up_to()..][..1]);
                mistakes.push(self.line, before.chars().count() + 1, &bad, Problem::NotUtf8);
                Ok(Some("".into()))
            }
        }
    }

    /// The error for `mistakes`, if there are any.
    pub(super) fn check(&self, mistakes: Mistakes) -> Result<(), DatasetError> {
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(DatasetError::Broken { path: self.path().to_path_buf(), mistakes })
    }
}

/// Every byte as the character of the same number.
pub(super) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

//! The bytes of a table: from a file or standard input, unpacked on the way.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::error::ScoreError;
use crate::output::is_standard;

/// Where a table is read from.
#[derive(Debug, Clone)]
pub(super) struct Input {
    path: PathBuf,
    gzip: bool,
}

impl Input {
    pub(super) fn new(path: &Path, gzip: bool) -> Self {
        Self { path: path.to_path_buf(), gzip }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The unpacked bytes, one after the other.
    pub(super) fn stream(&self) -> Result<Box<dyn Read + Send>, ScoreError> {
        if is_standard(&self.path) {
            return Ok(Box::new(io::stdin()));
        }
        let file = self.open()?;
        if self.gzip {
            return Ok(Box::new(MultiGzDecoder::new(file)));
        }
        Ok(Box::new(file))
    }

    /// The unpacked bytes as a file to seek in; packed ones go to an anonymous temporary file.
    pub(super) fn file(&self) -> Result<File, ScoreError> {
        let file = self.open()?;
        if !self.gzip {
            return Ok(file);
        }
        let unpack = |source| ScoreError::Unpack { path: self.path.clone(), source };
        let mut unpacked = tempfile::tempfile().map_err(unpack)?;
        match io::copy(&mut MultiGzDecoder::new(file), &mut unpacked) {
            Ok(_) => {}
            Err(source) if is_bad_gzip(&source) => return Err(self.failed(source)),
            Err(source) => return Err(unpack(source)),
        }
        unpacked.rewind().map_err(unpack)?;
        Ok(unpacked)
    }

    /// The error for a failed read.
    pub(super) fn failed(&self, source: io::Error) -> ScoreError {
        let path = self.path.clone();
        if self.gzip && is_bad_gzip(&source) {
            return ScoreError::Gzip { path, source };
        }
        ScoreError::Read { path, source }
    }

    fn open(&self) -> Result<File, ScoreError> {
        File::open(&self.path)
            .map_err(|source| ScoreError::Open { path: self.path.clone(), source })
    }
}

fn is_bad_gzip(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput
    )
}

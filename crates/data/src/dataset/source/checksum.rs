//! The checksum of a source: whether it is the one that a model was trained on.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::folder::source_files;
use crate::dataset::error::DatasetError;

const BUFFER: usize = 1 << 16;

/// The SHA-256 of a file, in hexadecimal, or of the names and checksums of the files of a folder that
/// belong to its data set.
///
/// # Errors
/// If a file cannot be read, or the folder is not a data set.
pub fn checksum(path: &Path) -> Result<String, DatasetError> {
    if path.is_file() {
        return of_file(path);
    }
    let mut paths = source_files(path)?;
    paths.sort();
    let mut hash = Sha256::new();
    for path in paths {
        hash.update(path.file_name().unwrap_or_default().to_string_lossy().as_bytes());
        hash.update(of_file(&path)?);
    }
    Ok(digits(hash))
}

/// The checksum of a source whose labels may be in a table of their own: then of both.
///
/// # Errors
/// As [`checksum`].
pub fn checksum_with(path: &Path, label_table: Option<&Path>) -> Result<String, DatasetError> {
    let source = checksum(path)?;
    let Some(labels) = label_table else { return Ok(source) };
    let mut hash = Sha256::new();
    hash.update(source);
    hash.update(of_file(labels)?);
    Ok(digits(hash))
}

/// The SHA-256 of some bytes, in hexadecimal.
///
/// ```
/// assert!(rulebound_data::dataset::checksum_of_bytes(b"").starts_with("e3b0c442"));
/// ```
pub fn checksum_of_bytes(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

fn of_file(path: &Path) -> Result<String, DatasetError> {
    let opened = |source| DatasetError::open(path, source);
    let mut file = File::open(path).map_err(opened)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; BUFFER]);
    loop {
        match file.read(&mut buffer).map_err(opened)? {
            0 => return Ok(digits(hash)),
            read => hash.update(&buffer[..read]),
        }
    }
}

fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

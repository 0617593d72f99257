//! Reads bytes and verifies their length and checksum. Nothing is parsed here.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::ModelError;
use super::header::{CHECKSUM, CHECKSUM_DIGITS, HEAD, LENGTH, LENGTH_KEY, MOST_HEADER, PREFIX};

/// Bytes per read.
const PIECE: usize = 1 << 18;

/// Reads a file, whose length is known if it is on disk or in memory, to its end: returns the length and the header, and passes the data after it to
/// `keep` in chunks. Memory grows with the header and what `keep` keeps. The data can be trusted
/// only if there was no error.
pub(super) fn read_verified(
    mut file: impl Read,
    on_disk: Option<u64>,
    path: &Path,
    kind: &'static str,
    keep: &mut dyn FnMut(&[u8]),
) -> Result<Vec<u8>, ModelError> {
    let failed = |source| ModelError::Read { path: path.to_owned(), source };
    let damaged = || ModelError::Damaged { path: path.to_owned() };
    // Only the beginning at first: a file of another kind may be long, or never end.
    let mut header = Vec::new();
    file.by_ref().take(LENGTH.end as u64).read_to_end(&mut header).map_err(failed)?;
    let begins_as_ours = |rest: &[u8]| rest.starts_with(HEAD.as_bytes());
    let size = header.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let size = size.filter(|_| begins_as_ours(&header[PREFIX..]));
    let size = size.ok_or_else(|| ModelError::OtherKind { path: path.to_owned(), kind })?;
    let cut_off = |expected, found| ModelError::CutOff {
        path: path.to_owned(),
        expected,
        found: on_disk.unwrap_or(found),
    };
    let length = match header.get(LENGTH) {
        Some(digits) if header[CHECKSUM.end..LENGTH.start] == *LENGTH_KEY.as_bytes() => {
            Some(number(digits).ok_or_else(damaged)?)
        }
        Some(_) => return Err(damaged()),
        None => None,
    };
    match (length, on_disk) {
        (Some(expected), Some(found)) if found < expected => return Err(cut_off(expected, found)),
        (Some(expected), Some(found)) if found > expected => {
            return Err(ModelError::TooLong { path: path.to_owned(), expected });
        }
        _ => {}
    }
    if size > MOST_HEADER {
        let path = path.to_owned();
        return Err(ModelError::HeaderTooLarge { path, found: size, most: MOST_HEADER });
    }
    let header_end = PREFIX as u64 + size;
    let Some(length) = length else {
        return Err(cut_off(header_end.max(LENGTH.end as u64), header.len() as u64));
    };
    if length < header_end {
        return Err(damaged());
    }
    let rest = header_end.saturating_sub(header.len() as u64);
    file.by_ref().take(rest).read_to_end(&mut header).map_err(failed)?;
    let found = header.len() as u64;
    if found < header_end {
        return Err(cut_off(length, found));
    }
    if found > header_end {
        // The header is shorter than the prefix that every header has.
        return Err(damaged());
    }
    let digits = header[CHECKSUM].to_vec();
    let mut hash = Sha256::new();
    hash.update(&header[..CHECKSUM.start]);
    hash.update([b'0'; CHECKSUM_DIGITS]);
    hash.update(&header[CHECKSUM.end..]);

    let mut piece = vec![0; PIECE];
    let mut found = found;
    loop {
        let read = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        found += read as u64;
        if found > length {
            return Err(ModelError::TooLong { path: path.to_owned(), expected: length });
        }
        hash.update(&piece[..read]);
        keep(&piece[..read]);
    }
    if found < length {
        return Err(ModelError::CutOff { path: path.to_owned(), expected: length, found });
    }
    if digits_of(hash).as_bytes() != digits {
        return Err(damaged());
    }
    Ok(header)
}

/// A hash as text.
pub(super) fn digits_of(hash: Sha256) -> String {
    let mut digits = String::with_capacity(CHECKSUM_DIGITS);
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// A number that consists of digits only.
fn number(digits: &[u8]) -> Option<u64> {
    let all = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| all)?.parse().ok()
}

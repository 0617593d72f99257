//! The members of a `.npz` file: a zip archive of arrays, stored or deflated.
//!
//! Only what NumPy writes is supported: one file, no encryption, less than 4 GiB.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::DeflateDecoder;

use super::error::ArrayError;
use crate::input::{InputError, open_file};

/// The end of the directory, without its comment, and the longest comment.
const END: u64 = 22;
const LONGEST_COMMENT: u64 = 1 << 16;

/// A member of the archive.
struct Member {
    name: String,
    method: u16,
    packed: u64,
    /// Where its own header begins.
    start: u64,
}

/// Opens the array with one of the `wanted` names, or the only one there is; returns its name and
/// its bytes.
pub(super) fn open_member(
    path: &Path,
    wanted: &[&str],
) -> Result<(String, Box<dyn Read + Send>), ArrayError> {
    let damaged = |reason| ArrayError::Archive { path: path.to_path_buf(), reason };
    let mut file = open_file(path)?;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::UnexpectedEof => damaged("the archive is damaged"),
        _ => InputError::Read { path: path.to_path_buf(), line: 0, source }.into(),
    };
    let members = members(&mut file).map_err(failed)?.map_err(damaged)?;
    let find = |name: &&str| members.iter().position(|member| member.name == **name);
    let place = match wanted.iter().find_map(find) {
        None if members.len() == 1 => Some(0),
        place => place,
    };
    let Some(member) = place.and_then(|place| members.get(place)) else {
        return Err(ArrayError::NoMember {
            path: path.to_path_buf(),
            wanted: wanted.join(" or "),
            found: members.into_iter().map(|member| member.name).collect(),
        });
    };
    let mut header = [0; 30];
    file.seek(SeekFrom::Start(member.start)).map_err(failed)?;
    file.read_exact(&mut header).map_err(failed)?;
    let skipped = i64::from(u16_at(&header, 26)) + i64::from(u16_at(&header, 28));
    file.seek(SeekFrom::Current(skipped)).map_err(failed)?;
    let packed = file.take(member.packed);
    let stream: Box<dyn Read + Send> = match member.method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        _ => return Err(damaged("an array is packed in a way that NumPy does not use")),
    };
    Ok((member.name.clone(), stream))
}

/// The members of the archive, or what is wrong with it.
fn members(file: &mut File) -> io::Result<Result<Vec<Member>, &'static str>> {
    let size = file.metadata()?.len();
    let tail = size.min(END + LONGEST_COMMENT);
    file.seek(SeekFrom::Start(size - tail))?;
    let mut end = Vec::new();
    file.by_ref().take(tail).read_to_end(&mut end)?;
    let Some(at) = end.windows(4).rposition(|bytes| bytes == b"PK\x05\x06") else {
        return Ok(Err("not an archive of arrays (.npz)"));
    };
    let Some(end) = end.get(at..at + END as usize) else {
        return Ok(Err("the archive is damaged"));
    };
    let (count, length, start) = (u16_at(end, 10), u32_at(end, 12), u32_at(end, 16));
    if count == u16::MAX || start == u32::MAX {
        return Ok(Err("archives of 4 GiB and more are not supported; save each array as .npy"));
    }
    if u64::from(start) + u64::from(length) > size {
        return Ok(Err("the archive is damaged"));
    }
    let mut directory = vec![0; length as usize];
    file.seek(SeekFrom::Start(start.into()))?;
    file.read_exact(&mut directory)?;
    let mut members = Vec::new();
    let mut rest = &directory[..];
    for _ in 0..count {
        let Some(entry) = rest.get(..46).filter(|entry| entry.starts_with(b"PK\x01\x02")) else {
            return Ok(Err("the archive is damaged"));
        };
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(entry, at)));
        let Some(text) = rest.get(46..46 + name) else {
            return Ok(Err("the archive is damaged"));
        };
        let text = String::from_utf8_lossy(text);
        members.push(Member {
            name: text.strip_suffix(".npy").unwrap_or(&text).to_owned(),
            method: u16_at(entry, 10),
            packed: u32_at(entry, 20).into(),
            start: u32_at(entry, 42).into(),
        });
        rest = rest.get(46 + name + extra + comment..).unwrap_or_default();
    }
    Ok(Ok(members))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

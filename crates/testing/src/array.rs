//! NumPy arrays for tests and benches, larger than one would like to hold in memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a `.npy` file row by row. `kind` is the type as NumPy names it (`<f4`, `|u1`); `row` gives the bytes of a row.
///
/// # Errors
/// If the file cannot be written.
pub fn write_array(
    path: &Path,
    kind: &str,
    (rows, columns): (usize, usize),
    mut row: impl FnMut(usize, &mut Vec<u8>),
) -> io::Result<()> {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // What comes before the data is a multiple of 64 bytes, with ten bytes in front and a line break.
    header += &" ".repeat((64 - (header.len() + 11) % 64) % 64);
    header.push('\n');
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    let mut bytes = Vec::new();
    for at in 0..rows {
        bytes.clear();
        row(at, &mut bytes);
        file.write_all(&bytes)?;
    }
    file.flush()
}

/// A `.npz` of these members, stored as they are.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let (start, length) = (bytes.len() as u32, (content.len() as u32).to_le_bytes());
        let mut about = vec![20, 0, 0, 0, 0, 0];
        about.extend([0; 8]);
        about.extend([length, length].concat());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        bytes.extend([b"PK\x03\x04", &about[..], name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02", &[20, 0][..], &about].concat());
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((members.len() as u16).to_le_bytes().repeat(2));
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

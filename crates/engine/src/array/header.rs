//! The header of an array: a Python dictionary with element type, order and shape.

use std::io::{self, Read};
use std::path::Path;

use super::error::ArrayError;
use crate::input::LONGEST;

const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest header; NumPy's own have about a hundred bytes.
const LONGEST_HEADER: u64 = 1 << 16;

/// What one number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    Bool,
    Int(usize),
    Unsigned(usize),
    F16,
    F32,
    F64,
}

/// The header of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub element: Element,
    pub is_big_endian: bool,
    pub is_fortran: bool,
    pub rows: u64,
    pub columns: usize,
}

impl Element {
    /// The bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(size) | Self::Unsigned(size) => size,
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number in these bytes, the least significant first.
    pub fn number(self, bytes: [u8; 8]) -> f64 {
        let whole = u64::from_le_bytes(bytes);
        let unused = 64 - 8 * self.size() as u32;
        match self {
            Self::Bool => f64::from(u8::from(bytes[0] != 0)),
            Self::Unsigned(_) => whole as f64,
            // The sign is that of the highest byte in use.
            Self::Int(_) => ((whole << unused) as i64 >> unused) as f64,
            Self::F16 => half(whole as u16),
            Self::F32 => f64::from(f32::from_bits(whole as u32)),
            Self::F64 => f64::from_bits(whole),
        }
    }
}

/// The value of a 16-bit floating-point number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

impl Header {
    /// Reads the header at the beginning of a stream; `failed` makes the error of a failed read.
    pub fn read(
        stream: &mut dyn Read,
        path: &Path,
        failed: impl Fn(io::Error) -> ArrayError,
    ) -> Result<Self, ArrayError> {
        let not = || ArrayError::NotAnArray { path: path.to_path_buf() };
        let read = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => not(),
            _ => failed(error),
        };
        let mut start = [0; 8];
        stream.read_exact(&mut start).map_err(read)?;
        if start[..6] != MAGIC {
            return Err(not());
        }
        let mut length = [0; 4];
        let digits = if start[6] == 1 { 2 } else { 4 };
        stream.read_exact(&mut length[..digits]).map_err(read)?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST_HEADER {
            return Err(not());
        }
        let mut text = vec![0; length as usize];
        stream.read_exact(&mut text).map_err(read)?;
        Self::parse(&String::from_utf8_lossy(&text), path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ArrayError> {
        let path = path.to_path_buf();
        let text = text.trim();
        let parts = (|| {
            let descr = value(text, "descr")?;
            let quote = descr.chars().next()?;
            let end = if matches!(quote, '\'' | '"') { descr[1..].find(quote)? + 2 } else { 0 };
            let order = value(text, "fortran_order")?;
            let shape = value(text, "shape")?.strip_prefix('(')?;
            Some((&descr[..end], order.starts_with("True"), &shape[..shape.find(')')?]))
        })();
        let Some((descr, is_fortran, shape)) = parts else {
            return Err(ArrayError::Header { path, text: text.to_owned() });
        };
        let descr = descr.trim_matches(['\'', '"']);
        let Some((element, is_big_endian)) = element(descr) else {
            let found = if descr.is_empty() { "a record" } else { descr }.to_owned();
            return Err(ArrayError::Element { path, found });
        };
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let sizes: Option<Vec<u64>> = sizes.map(|size| size.parse().ok()).collect();
        let (rows, columns) = match sizes.as_deref() {
            Some([rows]) => (*rows, 1),
            Some([rows, columns])
                if *columns > 0
                    && columns.saturating_mul(element.size() as u64) <= LONGEST as u64 =>
            {
                (*rows, *columns as usize)
            }
            _ => return Err(ArrayError::Shape { path, shape: shape.to_owned() }),
        };
        Ok(Self { element, is_big_endian, is_fortran, rows, columns })
    }
}

/// What follows a key of the dictionary.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|quoted| text.split_once(quoted.as_str()))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// The element type of a description such as `<f4`, and whether its first byte is the highest.
fn element(descr: &str) -> Option<(Element, bool)> {
    let is_big_endian = descr.starts_with('>');
    let element = match descr.strip_prefix(['<', '>', '|', '=']).unwrap_or(descr) {
        "b1" | "?" => Element::Bool,
        "i1" => Element::Int(1),
        "i2" => Element::Int(2),
        "i4" => Element::Int(4),
        "i8" => Element::Int(8),
        "u1" => Element::Unsigned(1),
        "u2" => Element::Unsigned(2),
        "u4" => Element::Unsigned(4),
        "u8" => Element::Unsigned(8),
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return None,
    };
    Some((element, is_big_endian))
}

/// The bytes of the header of a new array in C order, with the least significant byte first.
pub(super) fn new_header(descr: &str, rows: u64, columns: usize) -> Vec<u8> {
    let text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The numbers begin at a multiple of 64 bytes.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = [&MAGIC[..], &[1, 0], &(length as u16).to_le_bytes()].concat();
    header.extend_from_slice(format!("{text:<width$}\n", width = length - 1).as_bytes());
    header
}

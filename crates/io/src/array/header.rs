//! The header of an array: a Python dictionary with element type, order and shape.

use std::io::{self, Read};
use std::path::Path;

use super::error::ArrayError;
use crate::input::{LONGEST, cut};

const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest header; NumPy's own have about a hundred bytes.
const LONGEST_HEADER: u64 = 1 << 16;

/// What one number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Element {
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
        let digits = match start[6..] {
            [1, 0] => 2,
            [2 | 3, 0] => 4,
            _ => {
                let (path, major, minor) = (path.to_path_buf(), start[6], start[7]);
                return Err(ArrayError::Version { path, major, minor });
            }
        };
        let mut length = [0; 4];
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
        let Some(Dictionary { descr, is_fortran, shape }) = Dictionary::parse(text) else {
            return Err(ArrayError::Header { path, text: cut(text.trim()) });
        };
        let Some((element, is_big_endian)) = descr.and_then(element) else {
            let found = descr.map_or("a record".to_owned(), cut);
            return Err(ArrayError::Element { path, found });
        };
        let (rows, columns) = match shape.as_deref() {
            Some(&[rows]) => (rows, 1),
            Some(&[rows, columns])
                if columns > 0
                    && columns.saturating_mul(element.size() as u64) <= LONGEST as u64 =>
            {
                (rows, columns as usize)
            }
            _ => {
                let shape = shape.unwrap_or_default();
                let shape: Vec<String> = shape.iter().take(8).map(u64::to_string).collect();
                return Err(ArrayError::Shape { path, shape: shape.join(", ") });
            }
        };
        Ok(Self { element, is_big_endian, is_fortran, rows, columns })
    }
}

/// The three entries of a header, each exactly once.
///
/// What NumPy writes is read and nothing else: a header that is nearly one is damaged, and its numbers would be
/// other ones.
struct Dictionary<'a> {
    /// None for a list of fields: a record.
    descr: Option<&'a str>,
    is_fortran: bool,
    /// None if it has numbers of more than 64 bits.
    shape: Option<Vec<u64>>,
}

impl<'a> Dictionary<'a> {
    /// The whole text: the dictionary, spaces, and the end of the line, without which it was cut short.
    fn parse(text: &'a str) -> Option<Self> {
        let mut rest = Rest(text.strip_suffix('\n')?);
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        rest.skip("{")?;
        loop {
            if rest.skip("}").is_some() {
                break;
            }
            let is_new = match rest.text()? {
                "descr" => {
                    rest.skip(":")?;
                    if rest.0.starts_with('[') {
                        return Some(Self { descr: None, is_fortran: false, shape: None });
                    }
                    descr.replace(rest.text()?).is_none()
                }
                "fortran_order" => {
                    rest.skip(":")?;
                    let word = match rest.skip("True") {
                        Some(()) => true,
                        None => rest.skip("False").map(|()| false)?,
                    };
                    is_fortran.replace(word).is_none()
                }
                "shape" => {
                    rest.skip(":")?;
                    shape.replace(rest.tuple()?).is_none()
                }
                _ => false,
            };
            let is_last = rest.skip(",").is_none();
            if !is_new || is_last && !rest.0.starts_with('}') {
                return None;
            }
        }
        let (descr, is_fortran, shape) = (descr?, is_fortran?, shape?);
        rest.0.is_empty().then_some(Self { descr: Some(descr), is_fortran, shape })
    }
}

/// What of a header is not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// Skips a sign or a word, and the spaces around it.
    fn skip(&mut self, sign: &str) -> Option<()> {
        self.0 = self.0.trim_start_matches(' ').strip_prefix(sign)?.trim_start_matches(' ');
        Some(())
    }

    /// The text between two quotation marks; there are no escapes in what NumPy writes.
    fn text(&mut self) -> Option<&'a str> {
        let quote = self.0.chars().next().filter(|sign| matches!(sign, '\'' | '"'))?;
        let (text, rest) = self.0[1..].split_once(quote)?;
        self.0 = rest.trim_start_matches(' ');
        (!text.contains('\\')).then_some(text)
    }

    /// The numbers of a tuple; a tuple of one number has a comma behind it. `Some(None)` if one of them does not fit.
    fn tuple(&mut self) -> Option<Option<Vec<u64>>> {
        let (mut numbers, mut fits, mut commas) = (Vec::new(), true, 0);
        self.skip("(")?;
        while self.skip(")").is_none() {
            if commas < numbers.len() {
                return None;
            }
            let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
            let digits = &self.0[..end];
            if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
                return None;
            }
            match digits.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    numbers.push(u64::MAX);
                    fits = false;
                }
            }
            self.0 = &self.0[end..];
            // Numbers of Python 2.
            self.0 = self.0.strip_prefix('L').unwrap_or(self.0);
            commas += usize::from(self.skip(",").is_some());
        }
        (numbers.len() != 1 || commas == 1).then_some(fits.then_some(numbers))
    }
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

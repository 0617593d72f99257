//! Writes models and checkpoints to files: safetensors, with a checksum of the whole file.
//!
//! The header has the checksum, the length of the file, the format and the list of sections;
//! everything else is tensors. Wide values come first, so that every tensor is aligned. Equal
//! contents give equal bytes. The checksum is the SHA-256 of the file with zeros in place of the
//! checksum's own digits: no byte can change unnoticed. A file is read back before it gets its
//! name.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::ModelError;
use super::header::{
    CHECKSUM, CHECKSUM_DIGITS, HEAD, Header, LENGTH, LENGTH_DIGITS, LENGTH_KEY, MOST_HEADER, PREFIX,
};
use super::section::{ListedSection, Section};
use super::tensor::Tensor;
use super::verified::{digits_of, read_verified};
use crate::input::is_gzip;
use crate::network::Linear;
use crate::output::{Existing, OutputError, OutputFile};

/// Maximum number of layers of all members of a run. The header of its checkpoint, with eight
/// tensors per layer, is the largest header there is, and can still be read.
pub(crate) const MOST_LAYERS: usize = 80_000;

/// The contents of a file to be written.
pub(crate) struct Bundle<'a> {
    /// `model` or `checkpoint`.
    pub kind: &'static str,
    pub format: u32,
    pub sections: Vec<Section<'a>>,
}

impl Bundle<'_> {
    /// Writes the file, which appears only once it is complete and has been read back.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), OutputError> {
        let failed = |source| OutputError::Write { path: path.to_owned(), source };
        if is_gzip(path) {
            let message = format!("a {} cannot be compressed", self.kind);
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, message)));
        }
        let tensors = self.tensors();
        let header = self
            .signed_header(&tensors, path)
            .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
        let mut file = OutputFile::create_as(path, existing)?;
        each_piece(&header, &tensors, &mut |bytes| file.write_all(bytes))
            .map_err(|source| file.failed(source))?;
        let file = file.finish()?;
        if let Some(written) = file.reopen().map_err(failed)? {
            self.read_back(written, path)
                .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        }
        file.publish()
    }

    /// The bytes of the file; `path` is what errors call it.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, ModelError> {
        let tensors = self.tensors();
        let header = self.signed_header(&tensors, path)?;
        let mut bytes = Vec::new();
        // Memory cannot refuse to be written to.
        let _ = each_piece(&header, &tensors, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        Ok(bytes)
    }

    /// All tensors, in the order in which they are written.
    fn tensors(&self) -> Vec<Tensor<'_>> {
        let mut tensors: Vec<Tensor<'_>> =
            self.sections.iter().flat_map(Section::tensors).collect();
        tensors.sort_by_key(|tensor| Reverse(tensor.dtype()));
        tensors
    }

    /// The header with its checksum.
    fn signed_header(&self, tensors: &[Tensor<'_>], path: &Path) -> Result<Vec<u8>, ModelError> {
        let mut header = self.header(tensors);
        let found = (header.len() - PREFIX) as u64;
        if found > MOST_HEADER {
            let path = path.to_owned();
            return Err(ModelError::HeaderTooLarge { path, found, most: MOST_HEADER });
        }
        let mut hash = Sha256::new();
        // Hashing cannot fail.
        let _ = each_piece(&header, tensors, &mut |bytes| {
            hash.update(bytes);
            Ok(())
        });
        header[CHECKSUM].copy_from_slice(digits_of(hash).as_bytes());
        Ok(header)
    }

    /// Reads the file as a loader would, but keeps nothing.
    fn read_back(&self, written: File, path: &Path) -> Result<(), ModelError> {
        let mut data = 0;
        let length = written.metadata().ok().filter(|of| of.is_file()).map(|of| of.len());
        let count = &mut |bytes: &[u8]| data += bytes.len();
        let header = read_verified(written, length, path, self.kind, count)?;
        Header::parse(&header[PREFIX..], data)
            .map(drop)
            .map_err(|what| ModelError::Inconsistent { path: path.to_owned(), what })
    }

    /// The beginning of the file up to the data, with zeros in place of the checksum.
    fn header(&self, tensors: &[Tensor<'_>]) -> Vec<u8> {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let listed: Vec<ListedSection> = self.sections.iter().map(Section::listed).collect();
        let listed = match serde_json::to_string(&listed) {
            Ok(text) => text,
            Err(error) => unreachable!("names and numbers can be written as JSON: {error}"),
        };
        let format = format!("rulebound {} {}", self.kind, self.format);
        let zeros = |digits: usize| "0".repeat(digits);
        let mut text = format!(
            "{HEAD}{}{LENGTH_KEY}{}\",\"format\":{},\"sections\":{}}}",
            zeros(CHECKSUM_DIGITS),
            zeros(LENGTH_DIGITS),
            json(&format),
            json(&listed)
        );
        let mut end = 0;
        for tensor in tensors {
            let start = end;
            end += tensor.size();
            let (name, dtype) = (json(&tensor.name), tensor.dtype());
            let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
            let shape = shape.join(",");
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                ",{name}:{{\"dtype\":\"{dtype}\",\"shape\":[{shape}],\"data_offsets\":[{start},{end}]}}"
            );
        }
        text.push('}');
        while text.len() % 8 != 0 {
            text.push(' ');
        }
        let length = (PREFIX + text.len()) as u64 + end;
        let mut header = (text.len() as u64).to_le_bytes().to_vec();
        header.extend(text.into_bytes());
        header[LENGTH].copy_from_slice(format!("{length:0LENGTH_DIGITS$}").as_bytes());
        header
    }
}

/// All bytes in order, in chunks.
fn each_piece(
    header: &[u8],
    tensors: &[Tensor<'_>],
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    take(header)?;
    tensors.iter().try_for_each(|tensor| tensor.each_piece(take))
}

/// The layers of a network with the names under which they are stored.
pub(crate) fn named_layers<'a>(
    name: String,
    layers: impl IntoIterator<Item = &'a Linear>,
) -> impl Iterator<Item = (String, &'a Linear)> {
    let layers = layers.into_iter().enumerate();
    layers.map(move |(index, layer)| (format!("{name}.layer.{index}"), layer))
}

#[cfg(test)]
mod tests {
    use super::super::section::Content;
    use super::*;

    /// Eight tensors per layer, with names and numbers of maximum length.
    #[test]
    fn the_header_of_the_largest_run_can_be_read() {
        let layer = Linear::zeros(1, 1);
        let layers = vec![("member.999.weights.layer.100".to_owned(), &layer); 2];
        let section = Section::new(("network", 1), Content::Layers(layers));
        let mut tensors = section.tensors();
        // So large that all following offsets have nineteen digits.
        tensors[0].shape = vec![1 << 30, 1 << 30];
        tensors[2].shape = vec![1 << 20, 1 << 31];
        tensors[3].shape = vec![1 << 20];
        let bundle = Bundle { kind: "checkpoint", format: 3, sections: Vec::new() };
        let pair = bundle.header(&tensors).len() - bundle.header(&tensors[..2]).len();
        assert!(pair > 200, "{pair}");
        // Rounding to eight bytes may hide seven of them.
        assert!((4 * (pair + 7) * MOST_LAYERS) as u64 + 100_000 < MOST_HEADER, "{pair}");
    }

    #[test]
    fn a_header_that_is_too_large_is_not_written() {
        let layer = Linear::zeros(1, 1);
        let layers = (0..500).map(|at| (format!("{at}{}", "x".repeat(150_000)), &layer)).collect();
        let sections = vec![Section::new(("network", 1), Content::Layers(layers))];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.rulebound");
        let bundle = Bundle { kind: "model", format: 2, sections };
        let error = bundle.write(&path, Existing::Replace).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("the maximum is 100000000"), "{source}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

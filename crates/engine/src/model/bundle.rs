//! The file of models and checkpoints: safetensors, with a checksum of the whole.
//!
//! The header begins with the checksum and the format, then come texts in a fixed order, then the
//! tensors; so the same contents give the same bytes. The checksum is SHA-256 of the file with the
//! checksum's own digits written as zeros: no byte can change unnoticed.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use safetensors::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};

use super::error::ModelError;
use crate::network::{Activation, Linear, Network};
use crate::output::{OutputError, OutputFile};

const HEAD: &str = "{\"__metadata__\":{\"checksum\":\"";
const DIGITS: usize = 64;

/// The place of the checksum's digits in a file.
const CHECKSUM: std::ops::Range<usize> = 8 + HEAD.len()..8 + HEAD.len() + DIGITS;

/// What is in a file, to be written.
pub(crate) struct Bundle<'a> {
    /// `model` or `checkpoint`.
    pub kind: &'static str,
    pub format: u32,
    pub texts: Vec<(&'static str, String)>,
    pub layers: Vec<(String, &'a Linear)>,
}

impl Bundle<'_> {
    /// Writes the file; it appears only when it is complete.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let mut file = OutputFile::create(path)?;
        let header = self.header();
        let mut hash = Sha256::new();
        // Hashing cannot fail.
        let _ = self.each_part(&header, |bytes| {
            hash.update(bytes);
            Ok(())
        });
        let mut header = header;
        let mut digits = String::with_capacity(DIGITS);
        for byte in hash.finalize() {
            let _ = write!(digits, "{byte:02x}");
        }
        header[CHECKSUM].copy_from_slice(digits.as_bytes());
        self.each_part(&header, |bytes| file.write_all(bytes))
            .map_err(|source| file.failed(source))?;
        file.commit()
    }

    /// The length and the header, with zeros for a checksum.
    fn header(&self) -> Vec<u8> {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let mut text = format!("{HEAD}{:0<DIGITS$}\"", "");
        let format = json(&format!("rulebound {} {}", self.kind, self.format));
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"format\":{format}");
        for (name, value) in &self.texts {
            let _ = write!(text, ",{}:{}", json(name), json(value));
        }
        text.push('}');
        let mut end = 0;
        for (name, layer) in &self.layers {
            let (inputs, outputs) = (layer.inputs(), layer.outputs());
            let parts = [("weight", format!("[{outputs},{inputs}]"), inputs * outputs)];
            for (part, shape, size) in
                parts.into_iter().chain([("bias", format!("[{outputs}]"), outputs)])
            {
                let start = end;
                end += size * 4;
                let name = json(&format!("{name}.{part}"));
                let _ = write!(
                    text,
                    ",{name}:{{\"dtype\":\"F32\",\"shape\":{shape},\"data_offsets\":[{start},{end}]}}"
                );
            }
        }
        text.push('}');
        while text.len() % 8 != 0 {
            text.push(' ');
        }
        let mut header = (text.len() as u64).to_le_bytes().to_vec();
        header.extend(text.into_bytes());
        header
    }

    /// Everything in order, piece by piece.
    fn each_part(
        &self,
        header: &[u8],
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        take(header)?;
        let mut buffer = Vec::new();
        for (_, layer) in &self.layers {
            for number in layer.weights().chain(layer.biases()) {
                buffer.extend(number.to_le_bytes());
                if buffer.len() >= 1 << 16 {
                    take(&buffer)?;
                    buffer.clear();
                }
            }
            take(&buffer)?;
            buffer.clear();
        }
        Ok(())
    }
}

/// A file that was read and verified.
pub(crate) struct Opened {
    path: std::path::PathBuf,
    texts: HashMap<String, String>,
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Opened {
    /// Reads a file of this kind, written in a format up to `format`.
    pub fn read(path: &Path, kind: &'static str, format: u32) -> Result<Self, ModelError> {
        let failed = |source| ModelError::Read { path: path.to_owned(), source };
        let other = || ModelError::OtherKind { path: path.to_owned(), kind };
        let mut file = File::open(path).map_err(failed)?;
        // The beginning first: another file may be long, or never end.
        let mut bytes = Vec::new();
        (&mut file).take(CHECKSUM.start as u64).read_to_end(&mut bytes).map_err(failed)?;
        if !bytes.get(8..).is_some_and(|rest| rest.starts_with(HEAD.as_bytes())) {
            return Err(other());
        }
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = expected_len(&bytes);
        let found = bytes.len() as u64;
        if let Some(expected) = whole.filter(|&expected| found < expected) {
            return Err(ModelError::CutOff { path: path.to_owned(), expected, found });
        }
        let damaged = || ModelError::Damaged { path: path.to_owned() };
        let digits = bytes.get(CHECKSUM).ok_or_else(damaged)?.to_vec();
        bytes[CHECKSUM].fill(b'0');
        let mut sum = String::with_capacity(DIGITS);
        for byte in Sha256::digest(&bytes) {
            let _ = write!(sum, "{byte:02x}");
        }
        if sum.as_bytes() != digits {
            return Err(damaged());
        }
        let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|_| damaged())?;
        let texts = metadata.metadata().clone().unwrap_or_default();
        let prefix = format!("rulebound {kind} ");
        let written = texts.get("format").and_then(|text| text.strip_prefix(&prefix));
        let written: u32 = written.and_then(|n| n.parse().ok()).ok_or_else(other)?;
        if written > format {
            let path = path.to_owned();
            return Err(ModelError::Newer { path, found: written, supported: format });
        }
        let parsed = SafeTensors::deserialize(&bytes).map_err(|_| damaged())?;
        let mut tensors = BTreeMap::new();
        for (name, view) in parsed.iter() {
            if view.dtype() == Dtype::F32 {
                let words = view.data().chunks_exact(4);
                let numbers =
                    words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                tensors.insert(name.to_owned(), (view.shape().to_vec(), numbers.collect()));
            }
        }
        Ok(Self { path: path.to_owned(), texts, tensors })
    }

    /// An error about its contents.
    pub fn inconsistent(&self, what: impl Into<String>) -> ModelError {
        ModelError::Inconsistent { path: self.path.clone(), what: what.into() }
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<&str, ModelError> {
        let text = self.texts.get(name).map(String::as_str);
        text.ok_or_else(|| self.inconsistent(format!("it has no `{name}`")))
    }

    /// A text that is a JSON value.
    pub fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, ModelError> {
        serde_json::from_str(self.text(name)?)
            .map_err(|error| self.inconsistent(format!("its `{name}` cannot be read: {error}")))
    }

    /// A layer, taken out.
    pub fn layer(
        &mut self,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Linear, ModelError> {
        let mut take = |part: &str, shape: &[usize]| {
            let name = format!("{name}.{part}");
            match self.tensors.remove(&name) {
                Some((found, numbers)) if found == shape => Ok(numbers),
                Some((found, _)) => Err(format!("`{name}` has shape {found:?}, not {shape:?}")),
                None => Err(format!("it has no `{name}`")),
            }
        };
        let parts = take("weight", &[outputs, inputs])
            .and_then(|weights| Ok((weights, take("bias", &[outputs])?)));
        let (weights, biases) = parts.map_err(|what| self.inconsistent(what))?;
        Ok(Linear::from_parts(inputs, outputs, &weights, &biases))
    }

    /// A network, its layers taken out.
    pub fn network(
        &mut self,
        name: &str,
        shape: &crate::network::Shape,
        activation: Activation,
    ) -> Result<Network, ModelError> {
        let layers = shape.layers().enumerate().map(|(index, (inputs, outputs))| {
            self.layer(&format!("{name}.layer.{index}"), inputs, outputs)
        });
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        Ok(Network::from_layers(activation, layers))
    }
}

/// The layers of a network under the names they are read by.
pub(crate) fn named_layers<'a>(
    name: String,
    layers: impl IntoIterator<Item = &'a Linear>,
) -> impl Iterator<Item = (String, &'a Linear)> {
    let layers = layers.into_iter().enumerate();
    layers.map(move |(index, layer)| (format!("{name}.layer.{index}"), layer))
}

/// How long the file should be, as far as its header can be read.
fn expected_len(bytes: &[u8]) -> Option<u64> {
    let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let header_end = length.checked_add(8)?;
    let Some(header) = usize::try_from(header_end).ok().and_then(|end| bytes.get(8..end)) else {
        // A length that no file has is damage, not a cut.
        return (length < 100_000_000).then_some(header_end);
    };
    let header: serde_json::Value = serde_json::from_slice(header).ok()?;
    let ends = header.as_object()?.values().filter_map(|tensor| tensor["data_offsets"][1].as_u64());
    header_end.checked_add(ends.max().unwrap_or(0))
}

//! A file that has been read and verified, and access to its contents.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use safetensors::Dtype;

use super::error::ModelError;
use super::header::{Header, PREFIX};
use super::section::{KnownSection, ListedSection, tensor_name};
use super::verified::read_verified;
use crate::learner::{NamedTensors, TensorValues};
use crate::network::{Activation, Linear, Network, Shape};

/// A file that has been read and verified.
pub(crate) struct Opened {
    path: PathBuf,
    header: Header,
    data: Vec<u8>,
    sections: Vec<ListedSection>,
    format: u32,
}

impl Opened {
    /// Reads a file of this kind, written in this format, with known sections.
    pub fn read(
        path: &Path,
        kind: &'static str,
        format: u32,
        known: &[KnownSection],
    ) -> Result<Self, ModelError> {
        let failed = |source| ModelError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        // The length of a pipe or a device is not known.
        let metadata = file.metadata().map_err(failed)?;
        let length = metadata.is_file().then_some(metadata.len());
        Self::read_from(file, length, path, kind, format, known)
    }

    /// As [`read`](Self::read), from anything of a known or unknown length; `path` is what errors call it.
    pub fn read_from(
        file: impl Read,
        length: Option<u64>,
        path: &Path,
        kind: &'static str,
        format: u32,
        known: &[KnownSection],
    ) -> Result<Self, ModelError> {
        let mut data = Vec::new();
        let keep = &mut |bytes: &[u8]| data.extend_from_slice(bytes);
        let header = read_verified(file, length, path, kind, keep)?;
        let header = Header::parse(&header[PREFIX..], data.len())
            .map_err(|what| ModelError::Inconsistent { path: path.to_owned(), what })?;
        let prefix = format!("rulebound {kind} ");
        let written = header.texts.get("format").and_then(|text| text.strip_prefix(&prefix));
        let written: u32 = written
            .and_then(|number| number.parse().ok())
            .filter(|&written| written >= format)
            .ok_or_else(|| ModelError::OtherKind { path: path.to_owned(), kind })?;
        if written > format {
            let path = path.to_owned();
            return Err(ModelError::Newer { path, section: None, version: written });
        }
        let path = path.to_owned();
        let mut opened = Self { path, header, data, sections: Vec::new(), format: written };
        let listed =
            opened.header.texts.get("sections").ok_or_else(|| opened.missing("sections"))?;
        let listed: Vec<ListedSection> = serde_json::from_str(listed).map_err(|error| {
            opened.inconsistent(format!("its list of sections cannot be read: {error}"))
        })?;
        opened.expect_known(&listed, known)?;
        opened.sections = listed;
        Ok(opened)
    }

    fn expect_known(
        &self,
        listed: &[ListedSection],
        known: &[KnownSection],
    ) -> Result<(), ModelError> {
        let mut names = HashSet::new();
        for section in listed {
            if !names.insert(&section.name) {
                let what = format!("its section `{}` is duplicated", section.name);
                return Err(self.inconsistent(what));
            }
            let latest = known.iter().find(|(name, _)| *name == section.name);
            let can_be_read = match latest {
                Some((_, latest)) => section.version <= *latest,
                None => !section.required,
            };
            if !can_be_read {
                return Err(self.newer(section));
            }
        }
        Ok(())
    }

    fn newer(&self, section: &ListedSection) -> ModelError {
        let ListedSection { name, version, .. } = section.clone();
        ModelError::Newer { path: self.path.clone(), section: Some(name), version }
    }

    /// The format it was written in.
    pub fn format(&self) -> u32 {
        self.format
    }

    /// Its own checksum, which was verified.
    pub fn checksum(&self) -> &str {
        self.header.texts.get("checksum").map_or("", String::as_str)
    }

    /// An error about its contents.
    pub fn inconsistent(&self, what: impl Into<String>) -> ModelError {
        ModelError::Inconsistent { path: self.path.clone(), what: what.into() }
    }

    /// Whether a section is listed.
    pub fn has(&self, name: &str) -> bool {
        self.sections.iter().any(|section| section.name == name)
    }

    /// The error for a part that needs a section which this version cannot use.
    pub fn unusable(&self, name: &str) -> ModelError {
        match self.sections.iter().find(|section| section.name == name) {
            Some(section) => self.newer(section),
            None => self.missing(name),
        }
    }

    fn missing(&self, name: &str) -> ModelError {
        self.inconsistent(format!("it has no `{name}`"))
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<&str, ModelError> {
        let (_, bytes) = self.section(name, Dtype::U8)?;
        std::str::from_utf8(bytes)
            .map_err(|error| self.inconsistent(format!("its `{name}` cannot be read: {error}")))
    }

    /// A text that is a JSON value.
    pub fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, ModelError> {
        serde_json::from_str(self.text(name)?)
            .map_err(|error| self.inconsistent(format!("its `{name}` cannot be read: {error}")))
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, ModelError> {
        let (_, bytes) = self.section(name, Dtype::F64)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }

    /// A list of booleans.
    pub fn flags(&self, name: &str) -> Result<Vec<bool>, ModelError> {
        let (_, bytes) = self.section(name, Dtype::BOOL)?;
        if bytes.iter().any(|&byte| byte > 1) {
            return Err(self.inconsistent(format!("its `{name}` has values other than 0 and 1")));
        }
        Ok(bytes.iter().map(|&byte| byte == 1).collect())
    }

    /// The tensor of a section that is listed.
    fn section(&self, name: &str, dtype: Dtype) -> Result<(&[usize], &[u8]), ModelError> {
        if !self.has(name) {
            return Err(self.missing(name));
        }
        self.tensor(&tensor_name(name), dtype)
    }

    /// Shape and bytes of a tensor.
    fn tensor(&self, name: &str, dtype: Dtype) -> Result<(&[usize], &[u8]), ModelError> {
        let info = self.header.tensors.get(name).ok_or_else(|| self.missing(name))?;
        if info.dtype != dtype {
            let found = info.dtype;
            return Err(self.inconsistent(format!("`{name}` has type {found}, not {dtype}")));
        }
        let (start, end) = info.data_offsets;
        // The tensors of a parsed header lie within the data.
        Ok((&info.shape, self.data.get(start..end).unwrap_or_default()))
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let (found, bytes) = self.tensor(name, Dtype::F32)?;
        if found != shape {
            let what = format!("`{name}` has shape {found:?}, not {shape:?}");
            return Err(self.inconsistent(what));
        }
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
    }

    fn layer(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, ModelError> {
        let weights = self.floats(&format!("{name}.weight"), &[outputs, inputs])?;
        let biases = self.floats(&format!("{name}.bias"), &[outputs])?;
        Ok(Linear::from_parts(inputs, outputs, &weights, &biases))
    }

    /// All arrays whose names begin with a prefix, under the rest of their names.
    pub fn arrays(&self, prefix: &str) -> Result<NamedTensors, ModelError> {
        let mut arrays = NamedTensors::new();
        let names = self.header.tensors.keys();
        let names: Vec<&String> = names.filter(|name| name.starts_with(prefix)).collect();
        for name in names {
            let dtype = self.header.tensors[name].dtype;
            let (shape, bytes) = self.tensor(name, dtype)?;
            let words = || bytes.as_chunks::<4>().0.iter();
            let values = match dtype {
                Dtype::F32 => {
                    TensorValues::F32(words().map(|word| f32::from_le_bytes(*word)).collect())
                }
                Dtype::U32 => {
                    TensorValues::U32(words().map(|word| u32::from_le_bytes(*word)).collect())
                }
                Dtype::F64 => {
                    let words = bytes.as_chunks::<8>().0.iter();
                    TensorValues::F64(words.map(|word| f64::from_le_bytes(*word)).collect())
                }
                other => return Err(self.inconsistent(format!("`{name}` has type {other}"))),
            };
            if shape.iter().product::<usize>() != values.len() {
                return Err(self.inconsistent(format!("`{name}` has another size than its shape")));
            }
            arrays.insert(&name[prefix.len()..], shape, values);
        }
        Ok(arrays)
    }

    /// A network of this shape.
    pub fn network(
        &self,
        name: &str,
        shape: &Shape,
        activation: Activation,
    ) -> Result<Network, ModelError> {
        let layers = shape.layers().enumerate().map(|(index, (inputs, outputs))| {
            self.layer(&format!("{name}.layer.{index}"), inputs, outputs)
        });
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        Ok(Network::from_layers(activation, layers))
    }
}

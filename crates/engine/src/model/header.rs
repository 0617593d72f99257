//! The header of a file: a prefix of fixed length, then the table of tensors.
//!
//! A safetensors file is the length of its header in eight bytes, the header as JSON, and the bytes
//! of the tensors. Our headers begin with the checksum and the length of the whole file, always at
//! the same offsets, so that both can be checked before any JSON is parsed. That is why headers are
//! written by hand. Invariant of a parsed header: names are distinct, and the tensors cover the
//! data in order, without gaps.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use safetensors::tensor::{Metadata, TensorInfo};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// The beginning of every header.
pub(super) const HEAD: &str = "{\"__metadata__\":{\"checksum\":\"";

/// What follows the checksum.
pub(super) const LENGTH_KEY: &str = "\",\"length\":\"";

/// Bytes before the header.
pub(super) const PREFIX: usize = 8;

/// Number of digits of a checksum, and of a length.
pub(super) const CHECKSUM_DIGITS: usize = 64;
pub(super) const LENGTH_DIGITS: usize = 20;

/// Offset of the checksum digits in a file.
pub(super) const CHECKSUM: Range<usize> =
    PREFIX + HEAD.len()..PREFIX + HEAD.len() + CHECKSUM_DIGITS;

/// Offset of the length digits in a file.
pub(super) const LENGTH: Range<usize> =
    CHECKSUM.end + LENGTH_KEY.len()..CHECKSUM.end + LENGTH_KEY.len() + LENGTH_DIGITS;

/// Maximum size of a header in bytes: no safetensors reader accepts more.
pub(super) const MOST_HEADER: u64 = 100_000_000;

/// A header that was read.
pub(super) struct Header {
    /// The texts of `__metadata__`.
    pub texts: HashMap<String, String>,
    pub tensors: HashMap<String, TensorInfo>,
}

impl Header {
    /// Parses the JSON of a header that is followed by `data` bytes; the error says what is wrong.
    pub fn parse(json: &[u8], data: usize) -> Result<Self, String> {
        let unreadable = |error| format!("its header cannot be read: {error}");
        let Fields { texts, tensors } = serde_json::from_slice(json).map_err(unreadable)?;
        let mut in_order: Vec<(String, TensorInfo)> =
            tensors.0.iter().map(|(name, info)| (name.clone(), info.clone())).collect();
        in_order.sort_by_key(|(_, info)| info.data_offsets);
        let metadata = Metadata::new(None, in_order)
            .map_err(|error| format!("its tensors are inconsistent: {error}"))?;
        if metadata.data_len() != data {
            let said = metadata.data_len();
            return Err(format!("its tensors have {said} bytes, but {data} follow its header"));
        }
        Ok(Self { texts: texts.0, tensors: tensors.0 })
    }
}

/// The members of the outermost object.
struct Fields {
    texts: Distinct<String>,
    tensors: Distinct<TensorInfo>,
}

/// An object without duplicate names.
struct Distinct<T>(HashMap<String, T>);

impl<T> Distinct<T> {
    fn insert<E: Error>(&mut self, name: String, value: T) -> Result<(), E> {
        if self.0.contains_key(&name) {
            return Err(E::custom(format_args!("duplicate name `{name}`")));
        }
        self.0.insert(name, value);
        Ok(())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Distinct<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DistinctVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for DistinctVisitor<T> {
            type Value = Distinct<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut distinct = Distinct(HashMap::new());
                while let Some((name, value)) = map.next_entry()? {
                    distinct.insert(name, value)?;
                }
                Ok(distinct)
            }
        }
        deserializer.deserialize_map(DistinctVisitor(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut texts = None;
                let mut tensors = Distinct(HashMap::new());
                while let Some(name) = map.next_key::<String>()? {
                    if name != "__metadata__" {
                        tensors.insert(name, map.next_value()?)?;
                    } else if texts.replace(map.next_value()?).is_some() {
                        return Err(A::Error::duplicate_field("__metadata__"));
                    }
                }
                Ok(Fields { texts: texts.unwrap_or(Distinct(HashMap::new())), tensors })
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

//! Sections: the named, versioned parts of a file.
//!
//! A file lists its sections with their versions and whether they are required. A reader that does
//! not know a required section, or only an older version of it, must refuse the file; it ignores
//! unknown sections that are not required. A section's version increases when its contents change,
//! so that the format of the file need not.

use serde::{Deserialize, Serialize};

use super::tensor::{Tensor, Values};
use crate::learner::{NamedTensors, TensorValues};
use crate::network::Linear;

/// A section to be written.
pub(crate) struct Section<'a> {
    pub name: &'static str,
    pub version: u32,
    /// Whether a reader that does not know it must refuse the file.
    pub required: bool,
    pub content: Content<'a>,
}

/// The contents of a section. Everything but layers and arrays is one tensor, named `section.NAME`.
pub(crate) enum Content<'a> {
    /// Text, often JSON.
    Text(String),
    /// One number per class.
    Numbers(Vec<f64>),
    /// One boolean per class.
    Flags(&'a [bool]),
    /// Layers under their own names.
    Layers(Vec<(String, &'a Linear)>),
    /// Arrays under their own names, each after a prefix.
    Arrays(Vec<(String, NamedTensors)>),
}

/// The name and the latest version of a section that a reader knows.
pub(crate) type KnownSection = (&'static str, u32);

/// A section as the file lists it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ListedSection {
    pub name: String,
    pub version: u32,
    pub required: bool,
}

impl<'a> Section<'a> {
    /// A section holding a value as JSON.
    pub fn json<T: Serialize>((name, version): KnownSection, value: &T) -> Self {
        let text = match serde_json::to_string(value) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and texts can be written as JSON: {error}"),
        };
        Self { name, version, required: true, content: Content::Text(text) }
    }

    /// A section with any content.
    pub fn new((name, version): KnownSection, content: Content<'a>) -> Self {
        Self { name, version, required: true, content }
    }

    /// The same section, which older readers may ignore.
    pub fn optional(self) -> Self {
        Self { required: false, ..self }
    }

    pub(super) fn listed(&self) -> ListedSection {
        ListedSection { name: self.name.to_owned(), version: self.version, required: self.required }
    }

    /// Its tensors, in order.
    pub(super) fn tensors(&self) -> Vec<Tensor<'_>> {
        let one =
            |size, values| vec![Tensor { name: tensor_name(self.name), shape: vec![size], values }];
        match &self.content {
            Content::Text(text) => one(text.len(), Values::Text(text)),
            Content::Numbers(numbers) => one(numbers.len(), Values::Numbers(numbers)),
            Content::Flags(flags) => one(flags.len(), Values::Flags(flags)),
            Content::Arrays(learners) => {
                let arrays = learners.iter().flat_map(|(prefix, arrays)| {
                    arrays.iter().map(move |(name, shape, values)| Tensor {
                        name: format!("{prefix}{name}"),
                        shape: shape.to_vec(),
                        values: match values {
                            TensorValues::F32(values) => Values::Floats(values),
                            TensorValues::F64(values) => Values::Numbers(values),
                            TensorValues::U32(values) => Values::Indices(values),
                        },
                    })
                });
                arrays.collect()
            }
            Content::Layers(layers) => {
                let two = |(name, layer): &(String, &'a Linear)| {
                    let (inputs, outputs) = (layer.inputs(), layer.outputs());
                    [
                        ("weight", vec![outputs, inputs], Values::Weights(layer)),
                        ("bias", vec![outputs], Values::Biases(layer)),
                    ]
                    .map(|(part, shape, values)| Tensor {
                        name: format!("{name}.{part}"),
                        shape,
                        values,
                    })
                };
                layers.iter().flat_map(two).collect()
            }
        }
    }
}

/// The name of the tensor that holds a section.
pub(super) fn tensor_name(section: &str) -> String {
    format!("section.{section}")
}

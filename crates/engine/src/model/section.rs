//! Sections: the named, versioned parts of a file.
//!
//! A file lists its sections with their versions and whether they are required. A reader that does
//! not know a required section, or only an older version of one, must refuse the file; it ignores a
//! section that it does not know and that is not required. A section's version rises when its
//! contents change, so that the format of the file need not.

use serde::{Deserialize, Serialize};

use super::tensor::{Tensor, Values};
use crate::network::Linear;

/// A section to be written. All that are written today are required.
pub(crate) struct Section<'a> {
    pub name: &'static str,
    pub version: u32,
    pub content: Content<'a>,
}

/// What is in a section. All but layers are one tensor, called `section.NAME`.
pub(crate) enum Content<'a> {
    /// Text, often JSON.
    Text(String),
    /// One number for each class.
    Numbers(Vec<f64>),
    /// Yes or no for each class.
    Flags(&'a [bool]),
    /// Layers under names of their own.
    Layers(Vec<(String, &'a Linear)>),
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
    /// A section of a value as JSON.
    pub fn json<T: Serialize>((name, version): KnownSection, value: &T) -> Self {
        let text = match serde_json::to_string(value) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and texts are JSON: {error}"),
        };
        Self { name, version, content: Content::Text(text) }
    }

    /// A section of anything.
    pub fn new((name, version): KnownSection, content: Content<'a>) -> Self {
        Self { name, version, content }
    }

    pub(super) fn listed(&self) -> ListedSection {
        ListedSection { name: self.name.to_owned(), version: self.version, required: true }
    }

    /// Its tensors, in order.
    pub(super) fn tensors(&self) -> Vec<Tensor<'_>> {
        let one =
            |size, values| vec![Tensor { name: tensor_name(self.name), shape: vec![size], values }];
        match &self.content {
            Content::Text(text) => one(text.len(), Values::Text(text)),
            Content::Numbers(numbers) => one(numbers.len(), Values::Numbers(numbers)),
            Content::Flags(flags) => one(flags.len(), Values::Flags(flags)),
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

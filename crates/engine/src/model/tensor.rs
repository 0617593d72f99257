//! Named values of one type, to be written.

use std::io;

use safetensors::Dtype;

use crate::network::Linear;

/// A tensor and where its values come from.
pub(super) struct Tensor<'a> {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Values<'a>,
}

/// The values of a tensor, in the order they are written.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Text(&'a str),
    Flags(&'a [bool]),
    Numbers(&'a [f64]),
    Floats(&'a [f32]),
    Indices(&'a [u32]),
    Weights(&'a Linear),
    Biases(&'a Linear),
}

/// Bytes gathered before they are passed on.
const PIECE: usize = 1 << 16;

impl Tensor<'_> {
    pub fn dtype(&self) -> Dtype {
        match self.values {
            Values::Text(_) => Dtype::U8,
            Values::Flags(_) => Dtype::BOOL,
            Values::Numbers(_) => Dtype::F64,
            Values::Floats(_) | Values::Weights(_) | Values::Biases(_) => Dtype::F32,
            Values::Indices(_) => Dtype::U32,
        }
    }

    /// The size of all values in bytes.
    pub fn size(&self) -> u64 {
        let values: u64 = self.shape.iter().map(|&size| size as u64).product();
        values * (self.dtype().bitsize() / 8) as u64
    }

    /// The bytes, in chunks.
    pub fn each_piece(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self.values {
            Values::Text(text) => take(text.as_bytes()),
            Values::Flags(flags) => in_pieces(flags.iter().map(|&flag| [u8::from(flag)]), take),
            Values::Numbers(numbers) => in_pieces(numbers.iter().map(|n| n.to_le_bytes()), take),
            Values::Floats(numbers) => in_pieces(numbers.iter().map(|n| n.to_le_bytes()), take),
            Values::Indices(numbers) => in_pieces(numbers.iter().map(|n| n.to_le_bytes()), take),
            Values::Weights(layer) => in_pieces(layer.weights().map(f32::to_le_bytes), take),
            Values::Biases(layer) => in_pieces(layer.biases().map(f32::to_le_bytes), take),
        }
    }
}

fn in_pieces<const N: usize>(
    values: impl Iterator<Item = [u8; N]>,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut piece = Vec::with_capacity(PIECE);
    for value in values {
        piece.extend(value);
        if piece.len() >= PIECE {
            take(&piece)?;
            piece.clear();
        }
    }
    take(&piece)
}

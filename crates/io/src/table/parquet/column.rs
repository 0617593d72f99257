//! A column of a batch as numbers or as text.
//!
//! Numbers are rounded once to 32 bits, NaN where there is none. Text is the cell's own where it holds
//! text, or bytes that are UTF-8, and otherwise what it prints as.

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

use super::nested;
use super::printer::{NoText, Push, printer};

/// The cells of a column.
pub(super) enum ColumnCells {
    /// NaN is missing.
    Numbers(Vec<f32>),
    Texts(StringArray),
    LargeTexts(LargeStringArray),
    TextViews(StringViewArray),
}

/// One cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ParquetCell<'a> {
    Missing,
    Number(f32),
    Text(&'a str),
}

impl ColumnCells {
    /// The cells as numbers; an error where the column holds none.
    pub(super) fn numbers(array: &dyn Array) -> Result<Self, NoText> {
        Ok(Self::Numbers(match array.data_type() {
            DataType::Boolean => {
                let cells = array.as_boolean().iter();
                cells.map(|cell| cell.map_or(f32::NAN, |cell| cell.into())).collect()
            }
            DataType::Int8 => rounded::<Int8Type>(array, f32::from),
            DataType::Int16 => rounded::<Int16Type>(array, f32::from),
            DataType::Int32 => rounded::<Int32Type>(array, |cell| cell as f32),
            DataType::Int64 => rounded::<Int64Type>(array, |cell| cell as f32),
            DataType::UInt8 => rounded::<UInt8Type>(array, f32::from),
            DataType::UInt16 => rounded::<UInt16Type>(array, f32::from),
            DataType::UInt32 => rounded::<UInt32Type>(array, |cell| cell as f32),
            DataType::UInt64 => rounded::<UInt64Type>(array, |cell| cell as f32),
            DataType::Float16 => rounded::<Float16Type>(array, |cell| cell.to_f32()),
            DataType::Float32 => rounded::<Float32Type>(array, |cell| cell),
            DataType::Float64 => rounded::<Float64Type>(array, |cell| cell as f32),
            DataType::Decimal32(..) => decimals::<Decimal32Type>(array),
            DataType::Decimal64(..) => decimals::<Decimal64Type>(array),
            DataType::Decimal128(..) => decimals::<Decimal128Type>(array),
            DataType::Decimal256(..) => decimals::<Decimal256Type>(array),
            data_type => return Err(NoText::Type { data_type: data_type.clone() }),
        }))
    }

    /// The cells as text.
    pub(super) fn texts(array: &dyn Array) -> Result<Self, NoText> {
        match array.data_type() {
            DataType::Utf8 => return Ok(Self::Texts(array.as_string().clone())),
            DataType::LargeUtf8 => return Ok(Self::LargeTexts(array.as_string().clone())),
            DataType::Utf8View => return Ok(Self::TextViews(array.as_string_view().clone())),
            _ => {}
        }
        let push = reader(array)?;
        let mut texts = LargeStringBuilder::new();
        let mut text = String::new();
        for row in 0..array.len() {
            text.clear();
            texts.append_option(push(row, &mut text)?.then_some(&text));
        }
        Ok(Self::LargeTexts(texts.finish()))
    }

    pub(super) fn cell(&self, row: usize) -> ParquetCell<'_> {
        let text = match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => return ParquetCell::Missing,
            Self::Numbers(numbers) => return ParquetCell::Number(numbers[row]),
            Self::Texts(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::LargeTexts(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::TextViews(texts) => texts.is_valid(row).then(|| texts.value(row)),
        };
        text.map_or(ParquetCell::Missing, ParquetCell::Text)
    }
}

fn rounded<T: ArrowPrimitiveType>(
    array: &dyn Array,
    rounded: impl Fn(T::Native) -> f32,
) -> Vec<f32> {
    let cells = array.as_primitive::<T>().iter();
    cells.map(|cell| cell.map_or(f32::NAN, &rounded)).collect()
}

/// Read from their text, because that rounds once; through 64 bits it would be twice.
fn decimals<T: DecimalType>(array: &dyn Array) -> Vec<f32> {
    let cells = array.as_primitive::<T>();
    let cell = |row| {
        let text = cells.is_valid(row).then(|| cells.value_as_string(row));
        text.and_then(|text| text.parse().ok()).unwrap_or(f32::NAN)
    };
    (0..cells.len()).map(cell).collect()
}

/// A printer, but bytes are read as text, or missing where they are none.
fn reader(array: &dyn Array) -> Result<Push<'_>, NoText> {
    Ok(match array.data_type() {
        DataType::Binary => utf8(array, |row| array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => utf8(array, |row| array.as_binary::<i64>().value(row)),
        DataType::BinaryView => utf8(array, |row| array.as_binary_view().value(row)),
        DataType::Dictionary(..) => nested::dictionary(array, reader)?,
        _ => printer(array)?,
    })
}

fn utf8<'a>(array: &'a dyn Array, cell: impl Fn(usize) -> &'a [u8] + 'a) -> Push<'a> {
    Box::new(move |row, text| {
        let bytes = array.is_valid(row).then(|| cell(row));
        let read = bytes.and_then(|bytes| str::from_utf8(bytes).ok());
        text.push_str(read.unwrap_or_default());
        Ok(read.is_some())
    })
}

#[cfg(test)]
mod tests;

//! The cells of one Arrow array as text.
//!
//! Numbers are the shortest text of the same number, bytes are hexadecimal; `calendar` has dates and
//! times, `nested` what is made of other arrays. Invariant: a null cell adds nothing.

use std::fmt::{Display, Write};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use super::{calendar, nested};

/// Why a cell has no text.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoText {
    /// No array of this type has.
    #[error("cells of type {data_type} have no text")]
    Type { data_type: DataType },
    /// The type has a time zone that cannot be told.
    #[error("{zone:?} is not a valid offset from UTC")]
    Zone { zone: String },
    /// The moment is too far from our time.
    #[error("{value} is out of range for {data_type}")]
    OutOfRange { value: String, data_type: DataType },
}

/// Adds the text of the cell in a row; false when it is null and has none.
pub(super) type Push<'a> = Box<dyn Fn(usize, &mut String) -> Result<bool, NoText> + 'a>;

/// What adds the text of the cells of `array`, the type of which is looked at once.
pub(super) fn printer(array: &dyn Array) -> Result<Push<'_>, NoText> {
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, _| Ok(false)),
        DataType::Boolean => {
            let cells = array.as_boolean();
            plain(array, |row, text| text.push_str(if cells.value(row) { "true" } else { "false" }))
        }
        DataType::Int8 => number::<Int8Type>(array),
        DataType::Int16 => number::<Int16Type>(array),
        DataType::Int32 => number::<Int32Type>(array),
        DataType::Int64 => number::<Int64Type>(array),
        DataType::UInt8 => number::<UInt8Type>(array),
        DataType::UInt16 => number::<UInt16Type>(array),
        DataType::UInt32 => number::<UInt32Type>(array),
        DataType::UInt64 => number::<UInt64Type>(array),
        DataType::Float16 => number::<Float16Type>(array),
        DataType::Float32 => float::<Float32Type>(array),
        DataType::Float64 => float::<Float64Type>(array),
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array),
        DataType::Utf8 => string(array, array.as_string::<i32>()),
        DataType::LargeUtf8 => string(array, array.as_string::<i64>()),
        DataType::Utf8View => {
            let cells = array.as_string_view();
            plain(array, |row, text| text.push_str(cells.value(row)))
        }
        DataType::Binary => bytes(array, |row| array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(array, |row| array.as_binary::<i64>().value(row)),
        DataType::BinaryView => bytes(array, |row| array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => bytes(array, |row| array.as_fixed_size_binary().value(row)),
        data_type if data_type.is_temporal() => calendar::printer(array)?,
        _ => nested::printer(array)?,
    })
}

/// Adds what `push` adds, for cells that are not null.
pub(super) fn plain<'a>(array: &'a dyn Array, push: impl Fn(usize, &mut String) + 'a) -> Push<'a> {
    checked(array, move |row, text| {
        push(row, text);
        Ok(())
    })
}

/// Adds what `push` adds, for cells that are not null.
pub(super) fn checked<'a>(
    array: &'a dyn Array,
    push: impl Fn(usize, &mut String) -> Result<(), NoText> + 'a,
) -> Push<'a> {
    Box::new(move |row, text| {
        if array.is_null(row) {
            return Ok(false);
        }
        push(row, text)?;
        Ok(true)
    })
}

/// Adds what a value displays as.
pub(super) fn push_displayed(value: impl Display, text: &mut String) {
    // Writing to a text does not fail.
    let _ = write!(text, "{value}");
}

fn number<T>(array: &dyn Array) -> Push<'_>
where
    T: ArrowPrimitiveType<Native: Display>,
{
    let cells = array.as_primitive::<T>();
    plain(array, |row, text| push_displayed(cells.value(row), text))
}

fn float<T>(array: &dyn Array) -> Push<'_>
where
    T: ArrowPrimitiveType<Native: ryu::Float>,
{
    let cells = array.as_primitive::<T>();
    plain(array, |row, text| text.push_str(ryu::Buffer::new().format(cells.value(row))))
}

fn decimal<T: DecimalType>(array: &dyn Array) -> Push<'_> {
    let cells = array.as_primitive::<T>();
    plain(array, |row, text| text.push_str(&cells.value_as_string(row)))
}

fn string<'a, T>(array: &'a dyn Array, cells: &'a arrow_array::GenericByteArray<T>) -> Push<'a>
where
    T: ByteArrayType<Native = str>,
{
    plain(array, |row, text| text.push_str(cells.value(row)))
}

fn bytes<'a>(array: &'a dyn Array, cell: impl Fn(usize) -> &'a [u8] + 'a) -> Push<'a> {
    plain(array, move |row, text| {
        for byte in cell(row) {
            push_displayed(format_args!("{byte:02x}"), text);
        }
    })
}

#[cfg(test)]
mod tests;

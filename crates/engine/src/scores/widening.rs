//! Numbers of any Arrow type as 64-bit floating point, exactly.
//!
//! A cell without an exact value becomes NaN, which no score is; [`missing`] then tells why.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use super::bad_cell::BadReason;

/// Whether [`widen`] knows the type.
pub(super) fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_floating()
}

/// Why [`widen`] gave NaN.
pub(super) fn missing(array: &dyn Array, row: usize) -> BadReason {
    if array.is_null(row) {
        BadReason::Empty
    } else if array.data_type().is_integer() {
        BadReason::Inexact
    } else {
        BadReason::NaN
    }
}

/// Writes each number of `array` to every `stride`th of `values`; NaN where there is none.
pub(super) fn widen(array: &dyn Array, values: &mut [f64], stride: usize) {
    match array.data_type() {
        DataType::Float16 => each::<Float16Type>(array, values, stride, |v| v.to_f64()),
        DataType::Float32 => each::<Float32Type>(array, values, stride, f64::from),
        DataType::Float64 => each::<Float64Type>(array, values, stride, |v| v),
        DataType::Int8 => each::<Int8Type>(array, values, stride, f64::from),
        DataType::Int16 => each::<Int16Type>(array, values, stride, f64::from),
        DataType::Int32 => each::<Int32Type>(array, values, stride, f64::from),
        DataType::Int64 => each::<Int64Type>(array, values, stride, |v| exact(v.into())),
        DataType::UInt8 => each::<UInt8Type>(array, values, stride, f64::from),
        DataType::UInt16 => each::<UInt16Type>(array, values, stride, f64::from),
        DataType::UInt32 => each::<UInt32Type>(array, values, stride, f64::from),
        DataType::UInt64 => each::<UInt64Type>(array, values, stride, |v| exact(v.into())),
        // No column of another type gets here.
        _ => values.iter_mut().step_by(stride).for_each(|v| *v = f64::NAN),
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &dyn Array,
    values: &mut [f64],
    stride: usize,
    widened: impl Fn(T::Native) -> f64,
) {
    let cells = array.as_primitive::<T>().iter();
    for (value, cell) in values.iter_mut().step_by(stride).zip(cells) {
        *value = cell.map_or(f64::NAN, &widened);
    }
}

fn exact(value: i128) -> f64 {
    let widened = value as f64;
    if widened as i128 == value { widened } else { f64::NAN }
}

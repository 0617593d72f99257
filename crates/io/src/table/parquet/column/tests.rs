//! Expected numbers and texts are what `arrow-cast` 60.1 made of the same columns.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::*;

use super::*;

type Half = <Float16Type as ArrowPrimitiveType>::Native;
type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;

#[track_caller]
fn check_numbers(array: impl Array, expected: &[Option<f32>]) {
    let cells = ColumnCells::numbers(&array).unwrap();
    let expected =
        expected.iter().map(|cell| cell.map_or(ParquetCell::Missing, ParquetCell::Number));
    let expected: Vec<ParquetCell<'_>> = expected.collect();
    let read: Vec<ParquetCell<'_>> = (0..array.len()).map(|row| cells.cell(row)).collect();
    assert_eq!(read, expected, "{}", array.data_type());
}

#[track_caller]
fn check_texts(array: impl Array, expected: &[Option<&str>]) {
    let cells = ColumnCells::texts(&array).unwrap();
    let expected = expected.iter().map(|cell| cell.map_or(ParquetCell::Missing, ParquetCell::Text));
    let expected: Vec<ParquetCell<'_>> = expected.collect();
    let read: Vec<ParquetCell<'_>> = (0..array.len()).map(|row| cells.cell(row)).collect();
    assert_eq!(read, expected, "{}", array.data_type());
}

#[test]
fn numbers_of_every_width() {
    let cells = vec![Some(true), None, Some(false)];
    check_numbers(BooleanArray::from(cells), &[Some(1.0), None, Some(0.0)]);
    check_numbers(Int8Array::from(vec![Some(-128), None]), &[Some(-128.0), None]);
    check_numbers(Int16Array::from(vec![i16::MIN]), &[Some(-32768.0)]);
    check_numbers(
        Int32Array::from(vec![16_777_217, i32::MAX]),
        &[Some(16_777_216.0), Some(2_147_483_648.0)],
    );
    check_numbers(
        Int64Array::from(vec![i64::MIN, 33_554_435]),
        &[Some(-9.223_372e18), Some(33_554_436.0)],
    );
    check_numbers(UInt8Array::from(vec![255]), &[Some(255.0)]);
    check_numbers(UInt16Array::from(vec![65535]), &[Some(65535.0)]);
    check_numbers(UInt32Array::from(vec![u32::MAX]), &[Some(4_294_967_296.0)]);
    check_numbers(UInt64Array::from(vec![u64::MAX]), &[Some(18_446_744_073_709_551_616.0)]);
    let halves = [0.1, f32::NAN, f32::INFINITY].map(Half::from_f32);
    let expected = [Some(0.099_975_586), None, Some(f32::INFINITY)];
    check_numbers(Float16Array::from(halves.to_vec()), &expected);
    let cells = vec![Some(0.1), None, Some(f32::NAN), Some(-0.0)];
    check_numbers(Float32Array::from(cells), &[Some(0.1), None, None, Some(-0.0)]);
    let cells = vec![0.1, 1e300, f64::NAN, 1e-300];
    check_numbers(Float64Array::from(cells), &[Some(0.1), Some(f32::INFINITY), None, Some(0.0)]);
}

#[test]
fn decimals_are_rounded_once() {
    let cells = Decimal32Array::from(vec![Some(12345), None, Some(-1)]);
    let cells = cells.with_precision_and_scale(9, 2).unwrap();
    check_numbers(cells, &[Some(123.45), None, Some(-0.01)]);
    let cells = Decimal64Array::from(vec![5]).with_precision_and_scale(18, 18).unwrap();
    check_numbers(cells, &[Some(5e-18)]);
    // Just above the middle of two numbers of 32 bits, and on the middle in 64.
    let cells = Decimal128Array::from(vec![16_777_217_000_000_000_000_001, 12]);
    let cells = cells.with_precision_and_scale(38, 15).unwrap();
    check_numbers(cells, &[Some(16_777_218.0), Some(1.2e-14)]);
    let cells = Decimal128Array::from(vec![12]).with_precision_and_scale(5, -3).unwrap();
    check_numbers(cells, &[Some(12000.0)]);
    let cells = Decimal256Array::from(vec![Wide::from_i128(i128::MIN)]);
    let cells = cells.with_precision_and_scale(76, 10).unwrap();
    check_numbers(cells, &[Some(-1.701_411_8e28)]);
}

#[test]
fn texts_of_every_kind() {
    let texts = vec![Some("a"), None, Some("")];
    let expected = [Some("a"), None, Some("")];
    check_texts(StringArray::from(texts.clone()), &expected);
    check_texts(LargeStringArray::from(texts.clone()), &expected);
    check_texts(StringViewArray::from(texts.clone()), &expected);
    let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
    check_texts(dictionary, &expected);
    let values = Arc::new(Float32Array::from(vec![Some(0.1), None]));
    let dictionary = DictionaryArray::new(Int32Array::from(vec![1, 0]), values);
    check_texts(dictionary, &[None, Some("0.1")]);
    check_texts(Float32Array::from(vec![Some(0.1), None]), &[Some("0.1"), None]);
    check_texts(Float64Array::from(vec![f64::NAN, 1.0]), &[Some("NaN"), Some("1.0")]);
    check_texts(Int64Array::from(vec![Some(-7), None]), &[Some("-7"), None]);
    check_texts(BooleanArray::from(vec![Some(true), None]), &[Some("true"), None]);
    check_texts(Date32Array::from(vec![Some(1), None]), &[Some("1970-01-02"), None]);
    check_texts(NullArray::new(1), &[None]);
}

#[test]
fn bytes_are_read_as_text() {
    let bytes = vec![Some(b"text".as_slice()), None, Some(b"\xff"), Some(b"")];
    let expected = [Some("text"), None, None, Some("")];
    check_texts(BinaryArray::from(bytes.clone()), &expected);
    check_texts(LargeBinaryArray::from(bytes.clone()), &expected);
    check_texts(BinaryViewArray::from(bytes.clone()), &expected);
    let values = Arc::new(BinaryArray::from(bytes));
    let dictionary = DictionaryArray::new(Int8Array::from(vec![2, 0]), values);
    check_texts(dictionary, &[None, Some("text")]);
}

#[test]
fn a_moment_is_no_number() {
    let moment = TimestampSecondArray::from(vec![0]).with_timezone("Europe/Berlin");
    assert!(matches!(ColumnCells::numbers(&moment), Err(NoText::Type { .. })));
    check_texts(moment, &[Some("1970-01-01T00:00:00Z")]);
}

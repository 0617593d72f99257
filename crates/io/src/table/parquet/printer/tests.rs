//! Every type that can be in a Parquet file. The expected texts were printed by `arrow-cast` 60.1,
//! which did this before.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Int32Builder, ListBuilder, MapBuilder, StringBuilder,
};
use arrow_array::types::{
    ArrowPrimitiveType, Decimal256Type, Float16Type, Int8Type, Int32Type, IntervalDayTimeType,
    TimestampMicrosecondType, UInt64Type,
};
use arrow_array::*;
use arrow_schema::{DataType, Field};

use super::*;

type Half = <Float16Type as ArrowPrimitiveType>::Native;
type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;

fn printed(array: &dyn Array) -> Result<Vec<String>, NoText> {
    let push = printer(array)?;
    let text = |row| {
        let mut text = String::new();
        push(row, &mut text).map(|_| text)
    };
    (0..array.len()).map(text).collect()
}

#[track_caller]
fn check(array: impl Array, expected: &[&str]) {
    assert_eq!(printed(&array).unwrap(), expected, "{}", array.data_type());
}

#[test]
fn numbers() {
    check(BooleanArray::from(vec![Some(true), None, Some(false)]), &["true", "", "false"]);
    check(Int8Array::from(vec![Some(i8::MIN), None, Some(0)]), &["-128", "", "0"]);
    check(Int16Array::from(vec![i16::MIN, i16::MAX]), &["-32768", "32767"]);
    check(Int32Array::from(vec![i32::MIN, 7]), &["-2147483648", "7"]);
    check(Int64Array::from(vec![i64::MIN, 7]), &["-9223372036854775808", "7"]);
    check(UInt8Array::from(vec![u8::MAX]), &["255"]);
    check(UInt16Array::from(vec![u16::MAX]), &["65535"]);
    check(UInt32Array::from(vec![u32::MAX]), &["4294967295"]);
    check(UInt64Array::from(vec![u64::MAX]), &["18446744073709551615"]);
    let halves = [0.1, 1.0, -0.0, 65504.0, 6e-8, f32::INFINITY, f32::NAN].map(Half::from_f32);
    let expected = ["0.099975586", "1", "-0", "65504", "0.000000059604645", "inf", "NaN"];
    check(Float16Array::from(halves.to_vec()), &expected);
    let singles = vec![0.1, 1.0, -0.0, 1e20, 1e-9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let expected = ["0.1", "1.0", "-0.0", "1e20", "1e-9", "inf", "-inf", "NaN"];
    check(Float32Array::from(singles), &expected);
    let doubles = vec![Some(0.1 + 0.2), Some(1e16), Some(123456.0), Some(1e-5), None];
    let expected = ["0.30000000000000004", "1e16", "123456.0", "0.00001", ""];
    check(Float64Array::from(doubles), &expected);
}

#[test]
fn decimals() {
    let cells = Decimal32Array::from(vec![Some(12345), None, Some(-1)]);
    check(cells.with_precision_and_scale(9, 2).unwrap(), &["123.45", "", "-0.01"]);
    let cells = Decimal64Array::from(vec![5, 0]);
    check(cells.with_precision_and_scale(9, 9).unwrap(), &["0.000000005", "0.000000000"]);
    let cells = Decimal128Array::from(vec![12, 0]);
    check(cells.clone().with_precision_and_scale(5, -3).unwrap(), &["12000", "0"]);
    check(cells.with_precision_and_scale(5, 0).unwrap(), &["12", "0"]);
    let cells = Decimal256Array::from(vec![Wide::from_i128(i128::MIN)]);
    let expected = ["-17014118346046923173168730371.5884105728"];
    check(cells.with_precision_and_scale(76, 10).unwrap(), &expected);
}

#[test]
fn texts_and_bytes() {
    let texts = vec![Some("a"), None, Some(""), Some("ö \"quoted\", x")];
    let expected = ["a", "", "", "ö \"quoted\", x"];
    check(StringArray::from(texts.clone()), &expected);
    check(LargeStringArray::from(texts.clone()), &expected);
    check(StringViewArray::from(texts), &expected);
    let bytes = vec![Some(b"\xff\x00".as_slice()), None, Some(b""), Some(b"text")];
    let expected = ["ff00", "", "", "74657874"];
    check(BinaryArray::from(bytes.clone()), &expected);
    check(LargeBinaryArray::from(bytes.clone()), &expected);
    check(BinaryViewArray::from(bytes), &expected);
    let bytes = [Some([1, 2]), None, Some([0xab, 0xcd])].into_iter();
    let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 2).unwrap();
    check(bytes, &["0102", "", "abcd"]);
    check(NullArray::new(2), &["", ""]);
}

#[test]
fn dates_and_times() {
    let expected = ["1970-01-02", "", "1969-12-31", "+12345-11-26", "-0001-12-29"];
    let days = vec![Some(1), None, Some(-1), Some(3_789_720), Some(-719_531)];
    check(Date32Array::from(days), &expected);
    let expected = ["1970-01-02T00:00:00", "1970-01-01T00:00:00.001"];
    check(Date64Array::from(vec![86_400_000, 1]), &expected);
    check(Time32SecondArray::from(vec![0, 86_399]), &["00:00:00", "23:59:59"]);
    check(Time32MillisecondArray::from(vec![1, 1000]), &["00:00:00.001", "00:00:01"]);
    check(Time64MicrosecondArray::from(vec![1, 1000]), &["00:00:00.000001", "00:00:00.001"]);
    let expected = ["00:00:00.000000001", "00:00:00.000001"];
    check(Time64NanosecondArray::from(vec![1, 1000]), &expected);
}

#[test]
fn moments() {
    let expected = ["1970-01-01T00:00:01", "1969-12-31T23:59:59"];
    check(TimestampSecondArray::from(vec![1, -1]), &expected);
    let expected = ["1970-01-01T00:00:00.001", "1969-12-31T23:59:59.999"];
    check(TimestampMillisecondArray::from(vec![1, -1]), &expected);
    let micro = TimestampMicrosecondArray::from(vec![Some(1), None, Some(1_500_000)]);
    let expected = ["1970-01-01T00:00:00.000001", "", "1970-01-01T00:00:01.500"];
    check(micro.clone(), &expected);
    let expected = ["1970-01-01T00:00:00.000001Z", "", "1970-01-01T00:00:01.500Z"];
    for zone in ["UTC", "Europe/Berlin", "+00:00", "-00:00", ""] {
        check(micro.clone().with_timezone(zone), &expected);
    }
    let expected = ["1970-01-01T05:30:00.000001+05:30", "", "1970-01-01T05:30:01.500+05:30"];
    for zone in ["+05:30", "+0530"] {
        check(micro.clone().with_timezone(zone), &expected);
    }
    let expected = ["1969-12-31T21:00:00.000001-03:00", "", "1969-12-31T21:00:01.500-03:00"];
    check(micro.with_timezone("-03"), &expected);
    let nano = TimestampNanosecondArray::from(vec![1, i64::MAX]);
    let expected = ["1970-01-01T00:00:00.000000001", "2262-04-11T23:47:16.854775807"];
    check(nano.clone(), &expected);
    let expected = ["1970-01-01T02:00:00.000000001+02:00", "2262-04-12T01:47:16.854775807+02:00"];
    check(nano.with_timezone("+02:00"), &expected);
    let last = TimestampMillisecondArray::from(vec![8_210_266_876_799_999]);
    check(last.with_timezone("UTC"), &["+262142-12-31T23:59:59.999Z"]);
}

#[test]
fn spans() {
    let expected = ["PT1S", "", "-PT1S", "PT86400S"];
    check(DurationSecondArray::from(vec![Some(1), None, Some(-1), Some(86_400)]), &expected);
    check(DurationMillisecondArray::from(vec![1, -1500]), &["PT0.001S", "-PT1.5S"]);
    check(DurationMicrosecondArray::from(vec![1, 0]), &["PT0.000001S", "P0D"]);
    check(DurationNanosecondArray::from(vec![1]), &["PT0.000000001S"]);
    let expected = ["0 years 0 mons", "1 years 1 mons", "-1 years 11 mons"];
    check(IntervalYearMonthArray::from(vec![0, 13, -1]), &expected);
    let spans = [(0, 0), (1, 0), (0, 1), (-2, -3_661_001), (0, 60_000), (3, 90_061_500), (0, -1)];
    let spans = spans.map(|(days, rest)| IntervalDayTimeType::make_value(days, rest));
    let expected = [
        "0 secs",
        "1 days",
        "0.001 secs",
        "-2 days -1 hours -1 mins -1.001 secs",
        "1 mins",
        "3 days 25 hours 1 mins 1.500 secs",
        "-0.001 secs",
    ];
    check(IntervalDayTimeArray::from(spans.to_vec()), &expected);
}

#[test]
fn dictionaries() {
    let texts = [Some("x"), None, Some("y"), Some("x")];
    let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
    check(dictionary.slice(1, 3), &["", "y", "x"]);
    check(dictionary, &["x", "", "y", "x"]);
    let dictionary: DictionaryArray<UInt64Type> = texts.into_iter().collect();
    check(dictionary, &["x", "", "y", "x"]);
    let values = Arc::new(Float32Array::from(vec![Some(0.1), None]));
    let dictionary = DictionaryArray::new(Int32Array::from(vec![1, 0, 0]), values);
    check(dictionary, &["", "0.1", "0.1"]);
    let dictionary: DictionaryArray<Int32Type> = [None::<&str>, None].into_iter().collect();
    check(dictionary, &["", ""]);
}

#[test]
fn lists() {
    let cells = [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(-1), Some(2)])];
    let expected = ["[1, ]", "", "[]", "[-1, 2]"];
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(cells.clone());
    check(list.slice(2, 2), &expected[2..]);
    check(ListViewArray::from(list.clone()), &expected);
    check(list, &expected);
    let list = LargeListArray::from_iter_primitive::<Int32Type, _, _>(cells);
    check(LargeListViewArray::from(list.clone()), &expected);
    check(list, &expected);
    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for (pair, is_there) in [([1, 2], true), ([0, 0], false), ([3, 4], true)] {
        pairs.values().append_slice(&pair);
        pairs.append(is_there);
    }
    let pairs = pairs.finish();
    check(pairs.slice(1, 2), &["", "[3, 4]"]);
    check(pairs, &["[1, 2]", "", "[3, 4]"]);
    let mut deep = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    deep.values().append_value([Some("a"), None]);
    deep.values().append_null();
    deep.append(true);
    check(deep.finish(), &["[[a, ], ]"]);
}

#[test]
fn records_and_maps() {
    let part: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let record = StructArray::new(
        vec![Field::new("part", DataType::Int64, true), Field::new("text", DataType::Utf8, true)]
            .into(),
        vec![part, text],
        Some(vec![true, true, false].into()),
    );
    check(record.slice(1, 1), &["{part: , text: b}"]);
    check(record, &["{part: 1, text: a}", "{part: , text: b}", ""]);
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (key, value) in [("a", Some(1)), ("b", None)] {
        map.keys().append_value(key);
        map.values().append_option(value);
    }
    map.append(true).unwrap();
    map.append(true).unwrap();
    map.append(false).unwrap();
    check(map.finish(), &["{a: 1, b: }", "{}", ""]);
}

#[test]
fn zones_in_lists_print_in_utc() {
    let data_type = TimestampMicrosecondArray::from(vec![0]).with_timezone("UTC");
    let values: ArrayRef = Arc::new(data_type);
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    let list = FixedSizeListArray::new(field, 1, values, None);
    check(list, &["[1970-01-01T00:00:00Z]"]);
}

#[test]
fn what_has_no_text() {
    let moment = TimestampMicrosecondArray::from(vec![0]);
    let zone = "+1x".to_owned();
    let error = printed(&moment.with_timezone("+1x")).unwrap_err();
    assert_eq!(error, NoText::Zone { zone });
    let far = PrimitiveArray::<TimestampMicrosecondType>::from(vec![i64::MAX]);
    for far in [far.clone(), far.with_timezone("+02:00")] {
        let (value, data_type) = (i64::MAX.to_string(), far.data_type().clone());
        assert_eq!(printed(&far).unwrap_err(), NoText::OutOfRange { value, data_type });
    }
    // The last moment there is lies past the end in an offset.
    let last = TimestampMillisecondArray::from(vec![8_210_266_876_799_999]);
    let error = printed(&last.with_timezone("+02:00")).unwrap_err();
    assert!(matches!(error, NoText::OutOfRange { .. }), "{error}");
    let far = DurationSecondArray::from(vec![i64::MAX]);
    let message = printed(&far).unwrap_err().to_string();
    assert_eq!(message, "9223372036854775807 is out of range for Duration(s)");
    let ends = Int32Array::from(vec![1]);
    let runs = RunArray::try_new(&ends, &StringArray::from(vec!["a"])).unwrap();
    let data_type = runs.data_type().clone();
    assert_eq!(printed(&runs).unwrap_err(), NoText::Type { data_type });
}

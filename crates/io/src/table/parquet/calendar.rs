//! Dates, times, moments and spans of time as text.
//!
//! Text is as in RFC 3339 with three, six or nine decimals or none, spans as in ISO 8601. A moment
//! with an offset prints in that offset; one with a named zone in UTC, because the offset of a name
//! is not known here.

use std::fmt::Debug;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{
    as_datetime, as_datetime_with_timezone, date32_to_datetime, date64_to_datetime,
    duration_ns_to_duration, duration_us_to_duration, time32ms_to_time, time32s_to_time,
    time64ns_to_time, time64us_to_time, try_duration_ms_to_duration, try_duration_s_to_duration,
};
use arrow_array::timezone::Tz;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTimestampType, Date32Type, Date64Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, IntervalDayTimeType,
    IntervalYearMonthType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use chrono::{DateTime, Offset, SecondsFormat, TimeDelta};

use super::printer::{NoText, Push, checked, plain, push_displayed};

/// What adds the text of the cells of an array with a temporal type.
pub(super) fn printer(array: &dyn Array) -> Result<Push<'_>, NoText> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    Ok(match array.data_type() {
        DataType::Date32 => {
            moment::<Date32Type, _>(array, |days| Some(date32_to_datetime(days)?.date()))
        }
        DataType::Date64 => moment::<Date64Type, _>(array, date64_to_datetime),
        DataType::Time32(Second) => moment::<Time32SecondType, _>(array, time32s_to_time),
        DataType::Time32(Millisecond) => {
            moment::<Time32MillisecondType, _>(array, time32ms_to_time)
        }
        DataType::Time64(Microsecond) => {
            moment::<Time64MicrosecondType, _>(array, time64us_to_time)
        }
        DataType::Time64(Nanosecond) => moment::<Time64NanosecondType, _>(array, time64ns_to_time),
        DataType::Timestamp(unit, zone) => {
            let zone = zone.as_deref().map(offset).transpose()?;
            match unit {
                Second => timestamp::<TimestampSecondType>(array, zone),
                Millisecond => timestamp::<TimestampMillisecondType>(array, zone),
                Microsecond => timestamp::<TimestampMicrosecondType>(array, zone),
                Nanosecond => timestamp::<TimestampNanosecondType>(array, zone),
            }
        }
        DataType::Duration(Second) => span::<DurationSecondType>(array, try_duration_s_to_duration),
        DataType::Duration(Millisecond) => {
            span::<DurationMillisecondType>(array, try_duration_ms_to_duration)
        }
        DataType::Duration(Microsecond) => {
            span::<DurationMicrosecondType>(array, |span| Some(duration_us_to_duration(span)))
        }
        DataType::Duration(Nanosecond) => {
            span::<DurationNanosecondType>(array, |span| Some(duration_ns_to_duration(span)))
        }
        DataType::Interval(IntervalUnit::YearMonth) => months(array),
        DataType::Interval(IntervalUnit::DayTime) => days(array),
        data_type => return Err(NoText::Type { data_type: data_type.clone() }),
    })
}

/// The offset a zone is printed in.
fn offset(zone: &str) -> Result<Tz, NoText> {
    let offset = if zone.starts_with(['+', '-']) { zone } else { "+00:00" };
    offset.parse().map_err(|_| NoText::Zone { zone: zone.to_owned() })
}

fn moment<'a, T: ArrowPrimitiveType, M: Debug>(
    array: &'a dyn Array,
    read: impl Fn(T::Native) -> Option<M> + 'a,
) -> Push<'a> {
    let cells = array.as_primitive::<T>();
    checked(array, move |row, text| {
        let value = cells.value(row);
        let moment = read(value).ok_or_else(|| out_of_range(&value, array))?;
        push_displayed(format_args!("{moment:?}"), text);
        Ok(())
    })
}

fn timestamp<T: ArrowTimestampType>(array: &dyn Array, zone: Option<Tz>) -> Push<'_> {
    let Some(zone) = zone else {
        return moment::<T, _>(array, as_datetime::<T>);
    };
    let cells = array.as_primitive::<T>();
    checked(array, move |row, text| {
        let value = cells.value(row);
        let moment = as_datetime_with_timezone::<T>(value, zone);
        // In its own offset, the last moment there is may lie past the end.
        let is_local = |moment: &DateTime<Tz>| {
            moment.naive_utc().checked_add_offset(moment.offset().fix()).is_some()
        };
        let moment = moment.filter(is_local).ok_or_else(|| out_of_range(&value, array))?;
        text.push_str(&moment.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        Ok(())
    })
}

fn span<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    read: impl Fn(T::Native) -> Option<TimeDelta> + 'a,
) -> Push<'a> {
    let cells = array.as_primitive::<T>();
    checked(array, move |row, text| {
        let value = cells.value(row);
        push_displayed(read(value).ok_or_else(|| out_of_range(&value, array))?, text);
        Ok(())
    })
}

fn out_of_range(value: &impl Debug, array: &dyn Array) -> NoText {
    NoText::OutOfRange { value: format!("{value:?}"), data_type: array.data_type().clone() }
}

fn months(array: &dyn Array) -> Push<'_> {
    let cells = array.as_primitive::<IntervalYearMonthType>();
    plain(array, |row, text| {
        let months = cells.value(row);
        let (years, months) = (months.div_euclid(12), months.rem_euclid(12));
        push_displayed(format_args!("{years} years {months} mons"), text);
    })
}

fn days(array: &dyn Array) -> Push<'_> {
    let cells = array.as_primitive::<IntervalDayTimeType>();
    plain(array, |row, text| {
        let (days, milliseconds) = (cells.value(row).days, cells.value(row).milliseconds);
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60);
        let mut parts: Vec<String> = Vec::with_capacity(4);
        for (count, unit) in [(days, "days"), (hours, "hours"), (minutes, "mins")] {
            if count != 0 {
                parts.push(format!("{count} {unit}"));
            }
        }
        let rest = milliseconds % 60_000;
        if rest != 0 {
            let sign = if rest < 0 { "-" } else { "" };
            let (seconds, thousandths) = (rest.abs() / 1000, rest.abs() % 1000);
            parts.push(format!("{sign}{seconds}.{thousandths:03} secs"));
        }
        if parts.is_empty() {
            parts.push("0 secs".to_owned());
        }
        text.push_str(&parts.join(" "));
    })
}

//! Cells that are made of other cells as text: `[1, 2]`, `{name: 1}`, and dictionaries, whose cells
//! look like the values they name.
//!
//! Invariant: a null among them adds nothing, so that `[1, ]` is a list of two.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericListArray, GenericListViewArray, OffsetSizeTrait};
use arrow_schema::DataType;

use super::printer::{NoText, Push, checked, printer as printer_of};

/// What adds the text of the cells of an array with a nested type.
pub(super) fn printer(array: &dyn Array) -> Result<Push<'_>, NoText> {
    match array.data_type() {
        DataType::Dictionary(..) => dictionary(array, printer_of),
        DataType::List(_) => list(array, array.as_list::<i32>()),
        DataType::LargeList(_) => list(array, array.as_list::<i64>()),
        DataType::ListView(_) => list_view(array, array.as_list_view::<i32>()),
        DataType::LargeListView(_) => list_view(array, array.as_list_view::<i64>()),
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let length = usize::try_from(lists.value_length()).unwrap_or(0);
            items(array, lists.values(), move |row| row * length..(row + 1) * length)
        }
        DataType::Struct(_) => record(array),
        DataType::Map(..) => map(array),
        data_type => Err(NoText::Type { data_type: data_type.clone() }),
    }
}

/// What adds the text of the cells of a dictionary; `of_values` makes what adds that of its values.
pub(super) fn dictionary<'a>(
    array: &'a dyn Array,
    of_values: impl Fn(&'a dyn Array) -> Result<Push<'a>, NoText>,
) -> Result<Push<'a>, NoText> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    if values.is_empty() {
        return Ok(Box::new(|_, _| Ok(false)));
    }
    let (keys, push) = (dictionary.normalized_keys(), of_values(values)?);
    Ok(Box::new(move |row, text| Ok(array.is_valid(row) && push(keys[row], text)?)))
}

fn list<'a, O: OffsetSizeTrait>(
    array: &'a dyn Array,
    lists: &'a GenericListArray<O>,
) -> Result<Push<'a>, NoText> {
    items(array, lists.values(), places(lists.value_offsets()))
}

/// Where the items of a cell are, by where those of each cell end.
fn places<O: OffsetSizeTrait>(ends: &[O]) -> impl Fn(usize) -> Range<usize> {
    |row| ends[row].as_usize()..ends[row + 1].as_usize()
}

fn list_view<'a, O: OffsetSizeTrait>(
    array: &'a dyn Array,
    lists: &'a GenericListViewArray<O>,
) -> Result<Push<'a>, NoText> {
    let (starts, sizes) = (lists.value_offsets(), lists.value_sizes());
    items(array, lists.values(), |row| {
        let start = starts[row].as_usize();
        start..start + sizes[row].as_usize()
    })
}

fn items<'a>(
    array: &'a dyn Array,
    values: &'a dyn Array,
    places: impl Fn(usize) -> Range<usize> + 'a,
) -> Result<Push<'a>, NoText> {
    let push = printer_of(values)?;
    Ok(checked(array, move |row, text| {
        let push = |item, text: &mut String| push(item, text).map(drop);
        enclosed(['[', ']'], places(row), text, push)
    }))
}

fn record(array: &dyn Array) -> Result<Push<'_>, NoText> {
    let record = array.as_struct();
    let parts = record.fields().iter().zip(record.columns());
    let parts = parts.map(|(field, part)| Ok((field.name().as_str(), printer_of(part)?)));
    let parts = parts.collect::<Result<Vec<_>, NoText>>()?;
    Ok(checked(array, move |row, text| {
        enclosed(['{', '}'], &parts, text, |(name, push), text| {
            text.push_str(name);
            text.push_str(": ");
            push(row, text).map(drop)
        })
    }))
}

fn map(array: &dyn Array) -> Result<Push<'_>, NoText> {
    let map = array.as_map();
    let (keys, values) = (printer_of(map.keys())?, printer_of(map.values())?);
    let places = places(map.value_offsets());
    Ok(checked(array, move |row, text| {
        let entries = places(row);
        enclosed(['{', '}'], entries, text, |entry, text| {
            keys(entry, text)?;
            text.push_str(": ");
            values(entry, text).map(drop)
        })
    }))
}

fn enclosed<I>(
    [open, close]: [char; 2],
    items: impl IntoIterator<Item = I>,
    text: &mut String,
    push: impl Fn(I, &mut String) -> Result<(), NoText>,
) -> Result<(), NoText> {
    text.push(open);
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            text.push_str(", ");
        }
        push(item, text)?;
    }
    text.push(close);
    Ok(())
}

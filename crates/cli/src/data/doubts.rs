//! What a reader noticed, as notes and warnings on standard error.

use crate::screen;
use crate::text::{count, some_names, visible};
use rulebound::dataset::{ColumnDoubt, Dataset, ReadNote};

/// Prints what the reader noticed about files.
pub fn print_notes<'a>(notes: impl IntoIterator<Item = &'a ReadNote>) {
    for note in notes {
        screen::note(format_args!("note: {note}"));
    }
}

/// Tells how many labels are not known, if there are any.
pub fn note_unknown_labels(data: &Dataset) {
    let cells = data.labels().unknown_cells();
    if cells > 0 {
        let (labels, are) = (count(cells, "label"), if cells == 1 { "is" } else { "are" });
        screen::note(format_args!(
            "note: {labels} {are} not known (empty cells) and left out of the loss and the metrics"
        ));
    }
}

/// Warns about columns that are trained on, or left out, and probably should not be.
pub fn warn_of_doubts(data: &Dataset) {
    let names = |doubts: Vec<&ColumnDoubt>| {
        let names: Vec<String> = doubts.iter().map(|doubt| format!("`{}`", doubt.name)).collect();
        let shown = some_names(names.iter().map(String::as_str), names.len(), 8);
        let shown = visible(&shown).into_owned();
        (!names.is_empty()).then_some(shown)
    };
    let is_id = |doubt: &&ColumnDoubt| doubt.is_feature && !doubt.is_refused();
    if let Some(names) = names(data.doubts().iter().filter(is_id).collect()) {
        screen::note(format_args!(
            "warning: {names} looks like an id and is used as a feature\n  \
             --id-column NAME or --ignore NAME leaves it out, --numeric NAME says that it is a number"
        ));
    }
    if let Some(names) = names(data.doubts().iter().filter(|doubt| !doubt.is_feature).collect()) {
        screen::note(format_args!(
            "warning: {names} has a different value in nearly every row and is not used as a feature\n  \
             --id-column NAME or --ignore NAME says so, --nominal NAME uses it"
        ));
    }
}

/// Warns of columns that training refuses.
pub fn warn_of_refusals(data: &Dataset) {
    let refused: Vec<String> = data
        .doubts()
        .iter()
        .filter(|doubt| doubt.is_refused())
        .map(|doubt| format!("`{}`", doubt.name))
        .collect();
    if !refused.is_empty() {
        let names = some_names(refused.iter().map(String::as_str), refused.len(), 8);
        screen::note(format_args!(
            "warning: {names} holds dates or text, which training refuses\n  \
             --ignore NAME leaves it out, --nominal NAME makes an input of each of its values"
        ));
    }
}

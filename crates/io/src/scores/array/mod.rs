//! Scores in arrays and lists, whose columns have no names: names are given, one per number.

pub(super) mod reader;
pub(super) mod writer;

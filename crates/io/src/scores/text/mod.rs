//! Tables of scores as text: CSV and TSV.

pub(super) mod reader;
pub(super) mod writer;

//! Tables of scores as Parquet.

pub(super) mod reader;
pub(super) mod writer;

//! Tables, whatever they hold: records out of bytes, Parquet with its guard, files of rows, tables
//! that grow.
//!
//! | what | in |
//! |---|---|
//! | the name of a file → CSV, TSV or Parquet, compressed or not | [`Format`] |
//! | CSV and TSV, record by record, with line numbers | `records`, `text_rows` |
//! | CSV and TSV, field by field, and numbers as text | `text_file`, `number` |
//! | Parquet, read and written; no other folder knows the library | `parquet/` |
//! | CSV that grows by a row and survives a kill | [`GrowingTable`] |
//! | names of columns, made different from each other | [`unique_names`] |
//!
//! What the cells mean (scores, features, results) is the business of those who use this. Without
//! the cargo feature `parquet` a file of that name is refused with [`TableError::NoParquet`].

mod error;
mod format;
mod growing;
mod names;
mod number;
mod records;
mod text_file;
mod text_rows;

#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
pub(crate) mod parquet;

pub use error::TableError;
pub use format::{EXTENSIONS, Format, Layout};
pub use growing::{GrowingRow, GrowingTable, GrowingTableError, NamedCells, UnlikeTable};
pub use names::unique_names;

pub(crate) use error::Cause;
pub(crate) use names::apart;
pub(crate) use number::push_f64;
pub(crate) use records::{RecordError, RecordReader, read_record};
pub(crate) use text_file::TextFile;
pub(crate) use text_rows::TextRows;

//! Tables, whatever they hold: text records, Parquet with checks for damaged files, writers, and
//! tables that grow.
//!
//! | what | in |
//! |---|---|
//! | file name → CSV, TSV or Parquet, compressed or not | [`Format`] |
//! | `;` or tabs in a `.csv`, decimal commas | `delimiter` |
//! | CSV and TSV, record by record, with line numbers | `records`, `text_rows` |
//! | CSV and TSV, field by field, and numbers as text | `text_file`, `number` |
//! | Parquet, read and written; no other module uses the library | `parquet/` |
//! | CSV that grows row by row and survives a kill | [`GrowingTable`] |
//! | unique column names | [`unique_names`] |
//!
//! What the cells mean (scores, features, results) is up to the modules that use this one. Without
//! the cargo feature `parquet`, Parquet files are rejected with [`TableError::NoParquet`].

mod delimiter;
mod error;
mod format;
mod growing;
mod names;
mod number;
mod records;
mod row_key;
mod text_file;
mod text_rows;

#[cfg(feature = "parquet")]
pub mod parquet;

pub use error::TableError;
pub use format::{EXTENSIONS, Format, Layout, TableTarget};
pub use growing::{GrowingRow, GrowingTable, GrowingTableError, NamedCells, TableMismatch};
pub use names::unique_names;
pub use row_key::RowKey;

/// The texts of missing cells.
pub const MISSING: [&str; 7] = ["", "?", "NA", "N/A", "NaN", "nan", "null"];

pub use delimiter::{comma_number, detect as detect_delimiter};
pub use error::Cause;
pub use names::unique_name;
pub use number::push_f64;
pub use records::{RecordError, RecordReader, read_fields, read_record};
pub use text_file::TextFile;
pub use text_rows::TextRows;

/// How a column is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum As {
    /// As a number, where it holds numbers; text stays text.
    Number,
    /// As text, whatever it holds.
    Text,
}

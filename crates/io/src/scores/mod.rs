//! Tables of scores: one row per example, one column per class, other columns that are passed
//! through.
//!
//! A [`ScoreReader`] reads a CSV, TSV or Parquet file in batches; a [`ScoreWriter`],
//! [`DecisionWriter`] or [`NameWriter`] writes the same rows again with new class columns. Input
//! and output formats are determined by the file names ([`crate::table`]), independently of each
//! other. Where no table is read, a [`NewTable`] defines the columns, and a [`TopWriter`] writes
//! only the highest classes of each row.
//!
//! | name | format |
//! |---|---|
//! | `.csv` | comma separated, header required |
//! | `.tsv`, `.tab` | tab separated, header required |
//! | `.parquet` | Parquet |
//! | `.npy`, `.npz` | arrays of NumPy; the names of the columns are given |
//! | any of these with `.gz` | the same, compressed |
//! | `-` | CSV on standard input or output |
//!
//! The invariants:
//!
//! - **Memory does not grow with the number of rows.** A batch holds at most about a million class
//!   cells and about 64 MiB of text.
//! - **What is kept is exact.** Text to text, a kept cell is the same bytes (only the quoting may
//!   change). Parquet to Parquet, a kept column has the same type, nulls and values.
//! - **Every value is checked.** No NaN, no empty cell and, for probabilities, nothing outside
//!   `[0, 1]` reaches the caller; one error lists the bad cells of the whole file.
//! - **The output is whole or absent**; see [`crate::output`].
//!
//! ```
//! use rulebound_io::scores::{Cell, ScoreBatch, ScoreKind, ScoreReader, ScoreWriter};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
//! std::fs::write(&input, "photo,animal,cat\np1,0.20,0.9\n")?;
//!
//! let classes = ["animal".to_owned(), "cat".to_owned()];
//! let mut reader = ScoreReader::open(&input, ScoreKind::Probability, &classes, Some("photo"))?;
//! let mut writer = ScoreWriter::create(&output, &reader)?;
//! let mut batch = ScoreBatch::new();
//! while reader.read(&mut batch)? {
//!     assert_eq!(batch.values(), [0.2, 0.9]);
//!     writer.write(&batch, &[Cell::Copied(1), Cell::Kept])?;
//! }
//! writer.commit()?;
//! assert_eq!(std::fs::read_to_string(&output)?, "photo,animal,cat\np1,0.9,0.9\n");
//! # Ok(())
//! # }
//! ```

mod array;
mod bad_cell;
mod batch;
mod cell;
mod error;
mod header;
mod kind;
mod new_table;
mod outline;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod scale;
mod text;
mod top_writer;
mod writer;

pub use bad_cell::{BadCell, BadReason};
pub use batch::ScoreBatch;
pub use cell::Cell;
pub use error::ScoreError;
pub use header::{Column, ColumnRole};
pub use kind::ScoreKind;
pub use new_table::NewTable;
pub use reader::ScoreReader;
pub use scale::{RankedMargin, Scale};
pub use top_writer::{TopCell, TopWriter};
pub use writer::{DecisionWriter, NameWriter, ScoreWriter, TableWriter};

/// The most class cells in one batch, unless a single row has more.
const BATCH_CELLS: usize = 1 << 20;

/// The approximate limit on bytes of table content in one batch, unless a single row has more.
const BATCH_BYTES: usize = 1 << 26;

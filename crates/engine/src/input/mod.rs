//! The way in: every file that is read is opened, unpacked, decoded and blamed here, once.
//!
//! ```text
//! path ──> Bytes ──> Lines or text ──> whoever gives them a meaning
//!           │ gzip, byte order mark      │ UTF-8 with its place
//!           └──────── InputError ────────┘            Mistakes: all at once, the first twenty kept
//! ```
//!
//! The invariants:
//!
//! - **A file is compressed if its name or its first bytes say so**, and a byte order mark at the
//!   start of the text is skipped, whatever the file is for. `-` is standard input.
//! - **No line or record longer than [`LONGEST`] is held**, so that a file of another kind costs a
//!   bounded amount of memory.
//! - **Every error has a place**: the file, and the line and column where there are any.

mod bytes;
mod error;
mod mistake;
mod path;
mod text;

pub use error::InputError;
pub use mistake::{Excerpt, KEPT, Mistake, Mistakes};
pub use path::{DisplayPath, is_standard};

pub(crate) use bytes::Bytes;
#[cfg(feature = "parquet")]
pub(crate) use bytes::open_file;
pub(crate) use mistake::cut;
pub(crate) use path::{inner_name, is_gzip};
pub(crate) use text::{Fallback, Lines, NotUtf8, latin1, read_text, text_of};

/// Bytes of one line, or of one record of a table, that we are ready to hold.
///
/// There is one limit for all files, and it is 64 MiB: as much as a batch of rows may take, so that a
/// quotation mark that is never closed (or a file that is no text at all) costs no more memory than
/// good data does, and wide enough for three million cells of twenty characters in a row.
pub const LONGEST: usize = 1 << 26;

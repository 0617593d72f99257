//! Input: the one place where files are opened, decompressed, decoded and their errors located.
//!
//! ```text
//! path ──> Bytes ──> Lines or text ──> the reader of a format
//!           │ gzip, byte order mark      │ UTF-8, errors with their place
//!           └──────── InputError ────────┘            Mistakes: all at once, the first twenty kept
//! ```
//!
//! The invariants:
//!
//! - **A file is compressed if its name or its first bytes say so**, and a byte order mark at the
//!   start of the text is skipped, whatever the file is for. `-` is standard input.
//! - **No line or record longer than [`LONGEST`] is held**, so that a file of the wrong type takes
//!   a bounded amount of memory.
//! - **Every error has a place**: the file, and the line and column where there are any.

mod bytes;
mod error;
mod file_text;
mod limit;
mod mistake;
mod path;
mod text;

pub use bytes::bytes_read;
pub use error::InputError;
pub use file_text::FileText;
pub use mistake::{Excerpt, KEPT, Mistake, Mistakes};
pub use path::{DisplayPath, is_standard};
pub use text::read_short_text;

pub use bytes::{Bytes, open_file};
pub use mistake::cut;
pub use path::{inner_name, is_gzip, is_pipe};
pub use text::{Fallback, Lines, NotUtf8, decode_text, latin1, read_text};

/// The most bytes of one line, or of one record of a table, that are held in memory.
///
/// One limit for all files, 64 MiB: as much as a batch of rows may take, so that an unclosed
/// quotation mark (or a file that is not text at all) needs no more memory than valid data, and
/// large enough for a row of three million cells of twenty characters.
pub const LONGEST: usize = 1 << 26;

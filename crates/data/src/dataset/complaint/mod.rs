//! What a reader has to say of its files: mistakes, how files differ, doubts about columns, notes.

mod difference;
mod doubt;
mod mistake;
mod not_a_dataset;
mod note;

pub use self::difference::Difference;
pub use self::doubt::{ColumnDoubt, DoubtKind};
pub use self::mistake::{Mistake, Mistakes, Problem};
pub use self::not_a_dataset::NotADataset;
pub use self::note::ReadNote;

//! Everything that touches data and disk.

pub mod output;
pub mod scores;

//! Files in and out: tables, arrays, scores and pictures; rows in memory or on disk. Nothing here learns or knows what a
//! rule means.
//!
//! ```text
//! file ── input ──> table, array ──> features (rows × columns) in memory or in storage
//!                        └─────────> scores (rows × classes) ── table, array ── output ──> file
//! ```
//!
//! This crate is a part of `rulebound`; programs should use that.

pub mod array;
pub mod features;
pub mod input;
pub mod memory;
pub mod output;
pub mod picture;
pub mod random;
pub mod scores;
pub mod storage;
pub mod table;

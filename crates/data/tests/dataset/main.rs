//! Data sets through the public interface: what goes in comes out.
//!
//! A pitfall of a real file belongs in `traps`, a rejected file in `refusals`, a property of any
//! table in `properties`, preprocessing in `pipeline`, built-in problems in `builtin`, anything
//! about one format in `formats`, lists in Parquet in `lists`, splits and folds in `splits`, sparse features in `sparse`.
#![allow(clippy::unwrap_used)]

mod builtin;
mod formats;
mod lists;
mod pipeline;
mod properties;
mod refusals;
mod scene;
mod sparse;
mod splits;
mod traps;

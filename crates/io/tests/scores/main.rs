//! Tables of scores through the public interface: what goes in comes out.
//!
//! A test of text tables belongs in `text`, one of Parquet in `columns`, one of several formats in
//! `formats`, one of a rejected table in `refusals`, a property of any table in `properties`.
#![allow(clippy::unwrap_used)]

mod columns;
mod formats;
mod properties;
mod refusals;
mod scene;
mod text;

//! Data sets from outside: what goes in comes out.
//!
//! A trap of a real file belongs in `traps`, a refusal in `refusals`, a property of any table in
//! `properties`, preparation in `pipeline`, built-in problems
//! in `builtin`, anything about one format in `formats`.
#![allow(clippy::unwrap_used)]

mod builtin;
mod formats;
mod pipeline;
mod properties;
mod refusals;
mod scene;
mod traps;

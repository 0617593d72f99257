//! Tuning: finds the best of many settings on the validation rows.
//!
//! ```text
//! Grid ── points, or some of them at random ──> Point ── train (first phase) ──> Trial ──> table
//! ```
//!
//! A trial is one run of a [`Trainer`](crate::Trainer) with early stopping and no second phase; its
//! value is the mean over the members of the monitored value at their best epochs.
//!
//! Invariants: a value is what a run with the same configuration reports, whatever ran before it or
//! at the same time, and whether or not it was stopped and resumed. A finished trial is on disk
//! before the next begins. A table holds trials of one data set and one base configuration only.

mod error;
mod grid;
mod identity;
mod point;
mod search;
mod table;
mod trial;

pub use error::TuneError;
pub use grid::{Grid, TooManyPoints};
pub use point::Point;
pub use search::{TuneObserver, Tuner};
#[doc(hidden)]
pub use trial::rank;
pub use trial::{Measured, Trial};

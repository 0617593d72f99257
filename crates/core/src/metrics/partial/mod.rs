//! Metrics of rows that are in many places: a summary per partition, which can be added up.
//!
//! Metrics of single rows are sums and counts. Sums are kept in fixed point ([`FixedSum`](fixed_sum::FixedSum)), so that the
//! order of additions does not matter: however rows are split and in whatever order summaries are merged,
//! the bytes and the results are the same. Metrics of rankings over many rows need counts of positives and
//! negatives per score, which are added up too ([`Tally`](tally::Tally)). With [`Resolution::Exact`] that is one count per
//! class and distinct score; with [`Resolution::Bits`] scores are cut to so many bits, memory is bounded, and
//! each of these metrics comes with the lowest and the highest value that the rows can have.
//!
//! Which classes count must be known before: [`ClassCounts`] finds in a first pass those that have a positive.

mod bounded;
mod bytes;
mod class_counts;
mod error;
mod f_max_change;
mod fixed_sum;
mod partial_metrics;
mod result;
mod row_sums;
mod tally;

pub use bounded::Bounded;
pub use class_counts::ClassCounts;
pub use error::PartialError;
pub use partial_metrics::{PartialMetrics, Resolution};
pub use result::PartialResult;

//! Statistics of methods over data sets. One test per file.
//!
//! ```text
//! costs of a set ── ranks ──> Ranks ── Friedman (do they differ at all?)
//!                               └───── Nemenyi  (which pairs, by their average ranks?)
//! costs of two methods ─────────────── Wilcoxon (do these two?) ── holm (of several at once)
//! runs of two methods on one set ───── Welch    (do their means?)
//! ```
//!
//! The tests and their use together follow Demšar, "Statistical comparisons of classifiers over
//! multiple data sets" (2006). A *cost* is a value of which less is better; rank 1 is the best.
//!
//! Invariant: numbers that differ by no more than rounding errors are tied. Decimal fractions are
//! not exact in binary, so 0.3 − 0.2 and 0.2 − 0.1 differ in their last digits; numbers printed as
//! equal are equal here. See [`noise`].

mod distribution;
mod friedman;
mod holm;
mod nemenyi;
mod ranks;
mod studentized_range;
mod welch;
mod wilcoxon;

pub use friedman::{Friedman, ImanDavenport};
pub use holm::holm;
pub use nemenyi::Nemenyi;
pub use ranks::{Ranking, noise, rank};
pub use studentized_range::StudentizedRange;
pub use welch::{Welch, t_beyond};
pub use wilcoxon::{Computed, Wilcoxon};

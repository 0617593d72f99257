//! Pictures of a model's predictions over the unit square.
//!
//! ```text
//! probabilities at the points of a grid ── Field ──┬─ Raster (colours) ── PNG ─┐
//!                                                  └─ Boundary (lines) ────────┴─> Svg
//! regions where a rule is broken ── Hatch (lines) ─────────────────────────────┘
//! ```
//!
//! Invariant: everything here is in coordinates of the unit square with y upwards, until an
//! [`Svg`](rulebound_io::picture::Svg) puts it into a [`Frame`](rulebound_io::picture::Frame), where y
//! points down. A picture depends only on what it shows: the same numbers give the same bytes.

mod boundary;
mod colour;
mod field;
mod hatch;
mod raster;

pub use boundary::Boundary;
pub use colour::{Colour, of_probability};
pub use field::{BadField, Field};
pub use hatch::Hatch;
pub use raster::Raster;

use rulebound_io::picture::Segment;

//! Pictures as SVG: text, lines, images, and charts with axes.
//!
//! Invariant: a picture depends only on what it shows: the same numbers give the same bytes.

mod axis;
mod chart;
mod side_by_side;
mod svg;

pub use axis::fixed;
pub use chart::{Chart, ChartPoint, Series, UNBOUNDED};
pub use side_by_side::side_by_side;
pub use svg::{Anchor, Frame, Segment, Svg, escaped};

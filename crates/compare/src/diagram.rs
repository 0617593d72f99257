//! The critical-difference diagram: average ranks on an axis, bars over methods that do not differ.
//!
//! ```text
//!            ├── CD ──┤
//!      1        2        3        4
//!      └─┬────────┬──────┴─┬──────┘        the axis, the best on the left
//!        ━━━━━━━━━━        │               a bar for each group that does not differ
//!   A ───┘        │        └─── C          better half on the left, the rest on the right,
//!   B ────────────┘                        each name on its own line
//! ```

use super::comparison::Comparison;
use rulebound_io::picture::{Anchor, Svg};

/// The length of the axis.
const AXIS: f64 = 520.0;
/// The margin around everything.
const MARGIN: f64 = 14.0;
/// The gap between the axis and the names next to it.
const GAP: f64 = 24.0;
/// The vertical distance between names.
const ROW: f64 = 24.0;
/// The vertical distance between bars.
const BAR: f64 = 9.0;
/// How far a bar extends beyond its methods.
const REACH: f64 = 4.0;
/// Maximum number of labels on the axis.
const LABELS: usize = 20;
/// Maximum number of characters of a name.
const NAME: usize = 48;

const THIN: &str = "stroke:#222;stroke-width:1.2";
const THICK: &str = "stroke:#222;stroke-width:4.5;stroke-linecap:round";

/// The diagram as SVG, a function of the comparison alone.
///
/// ```
/// use rulebound_compare::{Comparison, MetricName, Missing, Request, ResultTable, diagram};
/// let mut table = ResultTable::default();
/// table.add("r.csv".as_ref(), b"set,A,B\ns,1,2\nt,3,4\n", None)?;
/// let scores = table.choose(Some(&MetricName::new("auprc")))?;
/// let request = Request { direction: None, against: None, alpha: 0.05, missing: Missing::LeaveOut };
/// assert!(diagram(&Comparison::new(&scores, &request)?).starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diagram(comparison: &Comparison) -> String {
    Layout::new(comparison).draw()
}

/// The layout of the diagram.
struct Layout<'a> {
    comparison: &'a Comparison,
    names: Vec<String>,
    /// The left end of the axis, and the width of the picture.
    left: f64,
    width: f64,
    /// The axis, the first name below it, and the height of the picture.
    axis: f64,
    first: f64,
    height: f64,
}

impl<'a> Layout<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let ranks = &comparison.ranks;
        let names: Vec<String> = ranks
            .iter()
            .map(|ranked| format!("{} {}", cut(&ranked.method), ranked.printed()))
            .collect();
        let half = ranks.len().div_ceil(2);
        let widest = |names: &[String]| names.iter().map(|name| length(name)).fold(0.0, f64::max);
        let left = MARGIN + widest(&names[..half]) + GAP;
        let width = left + AXIS + GAP + widest(&names[half..]) + MARGIN;
        // The critical difference may be longer than the axis, and its label than itself.
        let difference = left + critical(comparison).max(length(&caption(comparison))) + MARGIN;
        let axis = 84.0;
        let first = axis + 22.0 + BAR * comparison.groups.len() as f64 + 8.0;
        let height = first + ROW * (half - 1) as f64 + MARGIN;
        Self { comparison, names, left, width: width.max(difference), axis, first, height }
    }

    fn draw(&self) -> String {
        let mut svg = Svg::new(self.width.ceil(), self.height.ceil());
        self.draw_difference(&mut svg);
        self.draw_axis(&mut svg);
        self.draw_methods(&mut svg);
        self.draw_groups(&mut svg);
        let of = self.comparison.metric.as_deref().unwrap_or("the values");
        svg.finish(&format!(
            "Average ranks by {of} over {} sets; methods under one bar do not differ",
            self.comparison.sets
        ))
    }

    /// The position of a rank on the axis.
    fn x(&self, rank: f64) -> f64 {
        self.left + (rank - 1.0) * unit(self.comparison)
    }

    fn draw_difference(&self, svg: &mut Svg) {
        let (start, end, y) = (self.left, self.left + critical(self.comparison), 38.0);
        svg.polyline(&[[start, y], [end, y]], "stroke:#222;stroke-width:2");
        for x in [start, end] {
            svg.polyline(&[[x, y - 5.0], [x, y + 5.0]], "stroke:#222;stroke-width:2");
        }
        svg.text([start, y - 12.0], Anchor::Start, "", &caption(self.comparison));
    }

    fn draw_axis(&self, svg: &mut Svg) {
        let last = self.comparison.ranks.len();
        svg.polyline(&[[self.x(1.0), self.axis], [self.x(last as f64), self.axis]], THIN);
        let step = last.div_ceil(LABELS);
        for rank in 1..=last {
            let x = self.x(rank as f64);
            let labelled = (rank - 1).is_multiple_of(step);
            let height = if labelled { 8.0 } else { 4.0 };
            svg.polyline(&[[x, self.axis], [x, self.axis - height]], THIN);
            if labelled {
                svg.text([x, self.axis - 13.0], Anchor::Middle, "", &rank.to_string());
            }
        }
    }

    fn draw_methods(&self, svg: &mut Svg) {
        let count = self.names.len();
        let half = count.div_ceil(2);
        let right = self.left + AXIS;
        for (place, (ranked, name)) in self.comparison.ranks.iter().zip(&self.names).enumerate() {
            let x = self.x(ranked.rank);
            // From the outside in, so that no line crosses another.
            let (row, end, anchor, text) = if place < half {
                let end = self.left - GAP + 6.0;
                (place, end, Anchor::End, end - 5.0)
            } else {
                let end = right + GAP - 6.0;
                (count - 1 - place, end, Anchor::Start, end + 5.0)
            };
            let y = self.first + ROW * row as f64;
            svg.polyline(&[[x, self.axis], [x, y], [end, y]], THIN);
            svg.text([text, y + 5.0], anchor, "", name);
        }
    }

    fn draw_groups(&self, svg: &mut Svg) {
        let rank_of = |name: Option<&String>| {
            let ranked = self.comparison.ranks.iter().find(|ranked| Some(&ranked.method) == name);
            ranked.map(|ranked| self.x(ranked.rank))
        };
        for (place, group) in self.comparison.groups.iter().enumerate() {
            let (Some(start), Some(end)) = (rank_of(group.first()), rank_of(group.last())) else {
                continue;
            };
            let y = self.axis + 14.0 + BAR * place as f64;
            svg.polyline(&[[start - REACH, y], [end + REACH, y]], THICK);
        }
    }
}

/// The length of one rank.
fn unit(comparison: &Comparison) -> f64 {
    AXIS / (comparison.ranks.len() as f64 - 1.0).max(1.0)
}

fn critical(comparison: &Comparison) -> f64 {
    comparison.nemenyi.critical_difference * unit(comparison)
}

fn caption(comparison: &Comparison) -> String {
    let nemenyi = comparison.nemenyi;
    let sets = comparison.sets;
    format!("CD {:.3} at α = {}, {sets} sets", nemenyi.critical_difference, nemenyi.alpha)
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// An upper bound on the width of a text, in any sans serif font, at 14 per letter.
fn length(text: &str) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | ' ' | '.' | ',' | ':' | '-' | '(' | ')' => 6.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 14.0,
        c if c.is_ascii_uppercase() => 11.0,
        c if c.is_ascii() => 9.0,
        _ => 15.0,
    };
    text.chars().map(wide).sum()
}

#[cfg(test)]
mod tests;

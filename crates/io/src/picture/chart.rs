//! Line charts over steps or epochs, with error bars and a legend.

use super::axis::Axis;
use super::svg::{Anchor, Svg};

pub(super) const WIDTH: f64 = 440.0;
pub(super) const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 48.0;
/// The offset between the marks of two series at the same position.
const ASIDE: f64 = 5.0;

/// Colours of Okabe and Ito, which can be distinguished with every common kind of colour blindness,
/// each with its own dash pattern.
const LOOKS: [(&str, &str); 4] = [
    ("#0072b2", ""),
    ("#d55e00", "stroke-dasharray:7 3"),
    ("#00795c", "stroke-dasharray:2 3"),
    ("#a8477f", "stroke-dasharray:9 3 2 3"),
];

/// A point of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChartPoint {
    /// Its position on the horizontal axis.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// The length of the error bar to each side; none if there is no spread.
    pub deviation: Option<f64>,
}

/// A line.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<ChartPoint>,
}

/// No minimum and no maximum.
pub const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// A chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// The label of the horizontal axis.
    pub across: String,
    /// Its lines.
    pub series: Vec<Series>,
    /// The smallest and the largest possible value; error bars end there.
    pub bounds: [f64; 2],
    /// Whether the chart shows a few steps, each with marks, or a line over many epochs.
    pub has_steps: bool,
}

impl Chart {
    /// The chart as SVG.
    pub fn draw(&self) -> String {
        let [least, most] = self.bounds;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ends = points().flat_map(|point| {
            let reach = point.deviation.unwrap_or(0.0);
            [point.y - reach, point.y + reach].map(|end| end.clamp(least, most))
        });
        let y = Axis::covering(ends, 4);
        let xs = || points().map(|point| point.x);
        let x = match self.has_steps {
            true => {
                Axis::whole(xs().fold(f64::INFINITY, f64::min).min(1.0), xs().fold(1.0, f64::max))
            }
            false => Axis::covering(xs(), 5),
        };
        let mut svg = Svg::new(WIDTH, HEIGHT);
        svg.text([LEFT, 24.0], Anchor::Start, "font-size:16px;font-weight:bold", &self.title);
        self.draw_legend(&mut svg);
        self.draw_axes(&mut svg, &x, &y);
        for (at, series) in self.series.iter().enumerate() {
            let aside = match self.has_steps {
                true => (at as f64 - (self.series.len() - 1) as f64 / 2.0) * ASIDE,
                false => 0.0,
            };
            draw_series(&mut svg, series, at, self.has_steps, |point, reach| {
                let [left, top] = place(&x, &y, [point.x, (point.y + reach).clamp(least, most)]);
                [left + aside, top]
            });
        }
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        svg.finish(&format!("{} by {}: {}", self.title, self.across, names.join(", ")))
    }

    fn draw_legend(&self, svg: &mut Svg) {
        let mut left = LEFT;
        for (at, series) in self.series.iter().enumerate() {
            let (_, line) = look(at);
            svg.polyline(&[[left, 43.0], [left + 28.0, 43.0]], &line);
            if self.has_steps {
                mark(svg, [left + 14.0, 43.0], at);
            }
            svg.text([left + 34.0, 48.0], Anchor::Start, "font-size:14px", &series.name);
            left += 34.0 + 8.0 * series.name.chars().count() as f64 + 18.0;
        }
    }

    fn draw_axes(&self, svg: &mut Svg, x: &Axis, y: &Axis) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for (number, text) in y.ticks() {
            let [_, top] = place(x, y, [x.low, number]);
            svg.polyline(&[[LEFT, top], [right, top]], "stroke:#ddd;stroke-width:1");
            svg.text([LEFT - 7.0, top + 5.0], Anchor::End, "font-size:13px;fill:#444", &text);
        }
        for (number, text) in x.ticks() {
            let [left, _] = place(x, y, [number, y.low]);
            svg.polyline(&[[left, bottom], [left, bottom + 5.0]], "stroke:#777;stroke-width:1");
            let below = [left, bottom + 19.0];
            svg.text(below, Anchor::Middle, "font-size:13px;fill:#444", &text);
        }
        svg.polyline(&[[LEFT, bottom], [right, bottom]], "stroke:#777;stroke-width:1");
        let middle = [0.5 * (LEFT + right), HEIGHT - 9.0];
        svg.text(middle, Anchor::Middle, "font-size:13px;fill:#444", &self.across);
    }
}

/// The position of a point in the picture.
fn place(x: &Axis, y: &Axis, point: [f64; 2]) -> [f64; 2] {
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    [LEFT + x.share(point[0]) * width, TOP + (1.0 - y.share(point[1])) * height]
}

/// The colour of a series, and the style of its line.
fn look(at: usize) -> (&'static str, String) {
    let (colour, dashes) = LOOKS[at % LOOKS.len()];
    (colour, format!("stroke:{colour};stroke-width:2;stroke-linejoin:round;{dashes}"))
}

fn draw_series(
    svg: &mut Svg,
    series: &Series,
    at: usize,
    has_marks: bool,
    place: impl Fn(&ChartPoint, f64) -> [f64; 2],
) {
    let (colour, line) = look(at);
    let points: Vec<[f64; 2]> = series.points.iter().map(|point| place(point, 0.0)).collect();
    svg.polyline(&points, &line);
    for point in &series.points {
        let Some(reach) = point.deviation.filter(|_| has_marks) else { continue };
        let bar = format!("stroke:{colour};stroke-width:1.5");
        let ends = [place(point, -reach), place(point, reach)];
        svg.polyline(&ends, &bar);
        for [x, y] in ends {
            svg.polyline(&[[x - 3.0, y], [x + 3.0, y]], &bar);
        }
    }
    if has_marks {
        points.iter().for_each(|point| mark(svg, *point, at));
    }
}

/// The mark of a series: a disc, a square, a triangle or a diamond.
fn mark(svg: &mut Svg, [x, y]: [f64; 2], at: usize) {
    let (corners, turn, size) =
        [(16, 0.0, 4.5), (4, 0.125, 5.6), (3, 0.25, 6.2), (4, 0.0, 6.0)][at % 4];
    let corner = |corner: usize| {
        let angle = std::f64::consts::TAU * (corner as f64 / corners as f64 + turn);
        [x + size * angle.cos(), y - size * angle.sin()]
    };
    let outline: Vec<[f64; 2]> = (0..=corners).map(corner).collect();
    svg.polyline(&outline, &format!("fill:{};stroke:#fff;stroke-width:0.8", LOOKS[at % 4].0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, deviation: Option<f64>) -> ChartPoint {
        ChartPoint { x, y, deviation }
    }

    #[test]
    fn points_are_where_they_belong() {
        let line = Series {
            name: "a".into(),
            points: vec![point(0.0, 0.0, None), point(5.0, 0.5, None), point(10.0, 1.0, None)],
        };
        let chart = Chart {
            title: "t < u".into(),
            across: "epoch".into(),
            series: vec![line],
            bounds: UNBOUNDED,
            has_steps: false,
        };
        let svg = chart.draw();
        // The corners of the plot, and its middle.
        assert!(svg.contains("M62.00 272.00L243.00 167.00L424.00 62.00"), "{svg}");
        assert!(svg.contains("<title>t &lt; u by epoch: a</title>"), "{svg}");
        assert_eq!(svg.matches("stroke:#ddd").count(), 6);
    }

    #[test]
    fn error_bars_reach_as_far_as_the_deviation() {
        let points = vec![point(1.0, 0.5, Some(0.5)), point(2.0, 0.5, None)];
        let chart = Chart {
            title: "t".into(),
            across: "step".into(),
            series: vec![Series { name: "a".into(), points }],
            bounds: UNBOUNDED,
            has_steps: true,
        };
        let svg = chart.draw();
        assert!(svg.contains("M152.50 272.00L152.50 62.00"), "{svg}");
        assert!(svg.contains("M152.50 167.00L333.50 167.00"), "{svg}");
    }

    #[test]
    fn error_bars_end_where_values_do() {
        let points = vec![point(1.0, 0.9, Some(0.5)), point(2.0, 0.5, None)];
        let chart = Chart {
            title: "t".into(),
            across: "step".into(),
            series: vec![Series { name: "a".into(), points }],
            bounds: [0.0, 1.0],
            has_steps: true,
        };
        let svg = chart.draw();
        assert!(svg.contains(">1.0</text>") && !svg.contains(">1.2</text>"), "{svg}");
        assert!(svg.contains("L152.50 62.00"), "{svg}");
        let points = vec![point(1.0, 0.1, Some(0.5)), point(2.0, 0.5, None)];
        let series = vec![Series { name: "a".into(), points }];
        let svg = Chart { series, ..chart }.draw();
        assert!(svg.contains(">0.0</text>") && !svg.contains(">−0.2</text>"), "{svg}");
    }

    #[test]
    fn series_have_looks_of_their_own() {
        let series = |name: &str| Series { name: name.into(), points: vec![point(1.0, 0.5, None)] };
        let chart = Chart {
            title: "t".into(),
            across: "step".into(),
            series: ["a", "b", "c"].map(series).to_vec(),
            bounds: UNBOUNDED,
            has_steps: true,
        };
        let svg = chart.draw();
        for (colour, _) in &LOOKS[..3] {
            assert!(svg.contains(&format!("fill:{colour}")), "{colour}");
        }
        // Next to each other.
        assert!(svg.contains("M238.00 ") && svg.contains("M243.00 ") && svg.contains("M248.00 "));
    }
}

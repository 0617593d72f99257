//! The pictures: a row of panels for each method, a column for each class.

use super::contest::{Contest, PROBLEM, STEP, description};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::text::thousands;
use rulebound::predict::Predictions;
use rulebound_core::logical_violations;
use rulebound_io::picture::{Anchor, Frame, Svg};
use rulebound_reproduction::picture::{Boundary, Field, Hatch};

/// Cells of a field in each direction.
const CELLS: usize = 160;
/// Cells between two lines of a hatch.
const HATCH: usize = 4;

const SIDE: f64 = 220.0;
const GAP: f64 = 24.0;
const MARGIN: f64 = 24.0;
const LEFT: f64 = 190.0;
const TOP: f64 = 104.0;
const BOTTOM: f64 = 86.0;
const RIGHT: f64 = 28.0;

const TRUTH: &str = "stroke:#111;stroke-width:1.6";
const EDGE: &str = "stroke:#fff;stroke-width:1.2;stroke-linecap:round";
const BROKEN: &str = "stroke:#000;stroke-width:1.1";
const SMALL: &str = "font-size:12px;fill:#555";

/// The true classes.
const CLASSES: [&str; 3] = ["A: R1 or R2", "A1: R1", "A2: R2 without R1"];

/// A row of panels: one for each class.
struct Panel {
    title: String,
    /// Below the title, line by line.
    words: Vec<String>,
    caption: [String; 2],
    /// The probabilities of each class, cell by cell.
    fields: Vec<Vec<f32>>,
    /// Cells whose predictions break something.
    broken: Vec<bool>,
}

/// Draws the prediction of every method for every class.
pub fn draw(contest: &Contest) -> Result<String, Failure> {
    let classes = contest.data.classes().len();
    let mut rows = Vec::new();
    for entry in &contest.entries {
        let predictions = entry.predict(&contest.data, Field::points(CELLS))?;
        let broken = entry.evaluation.violations.map_or(0, |violations| violations.rows) as u64;
        let points = thousands(entry.evaluation.rows as u64);
        let probabilities = predictions.probabilities();
        let field = |class| probabilities.iter().skip(class).step_by(classes).copied().collect();
        rows.push(Panel {
            title: entry.method.name().to_owned(),
            words: description(entry.method).split(", ").map(str::to_owned).collect(),
            caption: match broken {
                0 => ["no point".to_owned(), "breaks a rule".to_owned()],
                _ => {
                    [format!("{} of {points} points", thousands(broken)), "break a rule".to_owned()]
                }
            },
            fields: (0..classes).map(field).collect(),
            broken: broken_cells(contest, &predictions),
        });
    }
    let title = "What each method predicts for three classes over the unit square";
    compose(title, "Rules:  A1 → A,   A2 → A,   A and not A1 → A2", &CLASSES, &rows)
}

/// The picture of rows of panels.
fn compose(title: &str, rules: &str, classes: &[&str], rows: &[Panel]) -> Result<String, Failure> {
    let across = |panels: usize| panels as f64 * (SIDE + GAP) - GAP;
    let (width, height) =
        (LEFT + across(classes.len().max(3)) + RIGHT, TOP + across(rows.len()) + BOTTOM);
    let mut svg = Svg::new(width, height);
    svg.text([MARGIN, 34.0], Anchor::Start, "font-size:20px;font-weight:bold", title);
    svg.text([MARGIN, 58.0], Anchor::Start, "font-size:14px;fill:#555", rules);
    for (at, row) in rows.iter().enumerate() {
        let top = TOP + at as f64 * (SIDE + GAP);
        let middle = top + SIDE / 2.0;
        let bold = "font-size:18px;font-weight:bold";
        svg.text([MARGIN, middle - 18.0], Anchor::Start, bold, &row.title);
        for (line, words) in row.words.iter().enumerate() {
            let y = middle + 4.0 + 16.0 * line as f64;
            svg.text([MARGIN, y], Anchor::Start, SMALL, words);
        }
        for (line, words) in row.caption.iter().enumerate() {
            let y = middle + 46.0 + 16.0 * line as f64;
            svg.text([MARGIN, y], Anchor::Start, "font-size:12px;font-weight:bold", words);
        }
        let hatch = Hatch::new(CELLS, &row.broken, HATCH);
        for (class, field) in row.fields.iter().enumerate() {
            let left = LEFT + class as f64 * (SIDE + GAP);
            if let Some(name) = classes.get(class).filter(|_| at == 0) {
                let place = [left + SIDE / 2.0, TOP - 12.0];
                svg.text(place, Anchor::Middle, "font-size:15px;font-weight:bold", name);
            }
            panel(&mut svg, Frame { left, top, side: SIDE }, field.clone(), &hatch)?;
        }
    }
    legend(&mut svg, TOP + across(rows.len()) + 32.0);
    Ok(svg.finish(title))
}

fn panel(svg: &mut Svg, frame: Frame, values: Vec<f32>, hatch: &Hatch) -> Result<(), Failure> {
    let field = Field::new(CELLS, values)
        .map_err(|error| Failure::from(Diagnostic::from_error("demo", &error)))?;
    svg.image([frame.left, frame.top, frame.side, frame.side], &field.raster().png());
    svg.segments(frame, Boundary::new(&field).segments(), EDGE);
    svg.segments(frame, hatch.segments(), BROKEN);
    for rectangle in PROBLEM.rectangles(STEP) {
        let [low, high] = [rectangle.low(), rectangle.high()].map(|corner| corner.map(f64::from));
        svg.outline(frame, low, high, TRUTH);
    }
    svg.outline(frame, [0.0; 2], [1.0; 2], "stroke:#999;stroke-width:1");
    Ok(())
}

/// Where the predictions break a rule.
fn broken_cells(contest: &Contest, predictions: &Predictions) -> Vec<bool> {
    let (program, classes) = (contest.data.program(), contest.data.classes().len());
    let decisions = predictions.decisions();
    let rows = decisions.chunks_exact(classes.max(1));
    rows.map(|row| logical_violations(program, row).next().is_some()).collect()
}

/// The legend: what colours and lines mean.
fn legend(svg: &mut Svg, top: f64) {
    const STEPS: usize = 48;
    let (width, height) = (SIDE, 14.0);
    let bar = Field::new(STEPS, Field::points(STEPS).map(|[x, _]| x).collect());
    if let Ok(bar) = bar {
        svg.image([LEFT, top, width, height], &bar.raster().png());
    }
    for (share, text) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        let place = [LEFT + share * width, top + height + 16.0];
        svg.text(place, Anchor::Middle, SMALL, text);
    }
    svg.text([LEFT - 14.0, top + 12.0], Anchor::End, SMALL, "probability");
    let second = LEFT + SIDE + GAP;
    let mark = |svg: &mut Svg, left: f64, text: &str| {
        let frame = Frame { left, top: top - 2.0, side: 18.0 };
        svg.text([left + 26.0, top + 12.0], Anchor::Start, SMALL, text);
        frame
    };
    let frame = mark(svg, second, "the true rectangles R1, R2");
    svg.outline(frame, [0.0, 0.1], [1.0, 0.9], TRUTH);
    let frame = mark(svg, second + SIDE + GAP, "the prediction breaks a rule");
    svg.segments(frame, Hatch::new(18, &[true; 18 * 18], 5).segments(), BROKEN);
    svg.outline(frame, [0.0; 2], [1.0; 2], "stroke:#999;stroke-width:1");
}

//! The picture: a row of panels for each method, a column for each class.

use super::contest::{Contest, PROBLEM, STEP, description};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::text::thousands;
use rulebound::picture::{Anchor, Frame, Svg};
use rulebound::predict::Predictions;
use rulebound_core::logical_violations;
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

/// Draws the prediction of every method for every class.
pub fn draw(contest: &Contest) -> Result<String, Failure> {
    let (methods, classes) = (contest.entries.len(), contest.data.classes().len());
    let across = |panels: usize| panels as f64 * (SIDE + GAP) - GAP;
    let (width, height) = (LEFT + across(classes) + RIGHT, TOP + across(methods) + BOTTOM);
    let mut svg = Svg::new(width, height);
    let title = "What each method predicts for three classes over the unit square";
    svg.text([MARGIN, 34.0], Anchor::Start, "font-size:20px;font-weight:bold", title);
    let rules = "Rules:  A1 → A,   A2 → A,   A and not A1 → A2";
    svg.text([MARGIN, 58.0], Anchor::Start, "font-size:14px;fill:#555", rules);
    for (row, entry) in contest.entries.iter().enumerate() {
        let top = TOP + row as f64 * (SIDE + GAP);
        let middle = top + SIDE / 2.0;
        let predictions = entry.predict(&contest.data, Field::points(CELLS))?;
        svg.text(
            [MARGIN, middle - 18.0],
            Anchor::Start,
            "font-size:18px;font-weight:bold",
            entry.method.name(),
        );
        for (line, words) in description(entry.method).split(", ").enumerate() {
            let y = middle + 4.0 + 16.0 * line as f64;
            svg.text([MARGIN, y], Anchor::Start, SMALL, words);
        }
        let broken = entry.evaluation.violations.map_or(0, |violations| violations.rows) as u64;
        let rows = thousands(entry.evaluation.rows as u64);
        let caption = match broken {
            0 => ["no point".to_owned(), "breaks a rule".to_owned()],
            _ => [format!("{} of {rows} points", thousands(broken)), "break a rule".to_owned()],
        };
        for (line, words) in caption.iter().enumerate() {
            let y = middle + 46.0 + 16.0 * line as f64;
            svg.text([MARGIN, y], Anchor::Start, "font-size:12px;font-weight:bold", words);
        }
        let hatch = hatch(contest, &predictions);
        for class in 0..classes {
            let left = LEFT + class as f64 * (SIDE + GAP);
            if let Some(name) = CLASSES.get(class).filter(|_| row == 0) {
                let place = [left + SIDE / 2.0, TOP - 12.0];
                svg.text(place, Anchor::Middle, "font-size:15px;font-weight:bold", name);
            }
            let frame = Frame { left, top, side: SIDE };
            panel(&mut svg, frame, &predictions, class, classes, &hatch)?;
        }
    }
    legend(&mut svg, TOP + across(methods) + 32.0);
    Ok(svg.finish(title))
}

fn panel(
    svg: &mut Svg,
    frame: Frame,
    predictions: &Predictions,
    class: usize,
    classes: usize,
    hatch: &Hatch,
) -> Result<(), Failure> {
    let probabilities = predictions.probabilities();
    let values = probabilities.iter().skip(class).step_by(classes).copied().collect();
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

/// Lines where the predictions break a rule.
fn hatch(contest: &Contest, predictions: &Predictions) -> Hatch {
    let (program, classes) = (contest.data.program(), contest.data.classes().len());
    let decisions = predictions.decisions();
    let rows = decisions.chunks_exact(classes.max(1));
    let marked: Vec<bool> =
        rows.map(|row| logical_violations(program, row).next().is_some()).collect();
    Hatch::new(CELLS, &marked, HATCH)
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

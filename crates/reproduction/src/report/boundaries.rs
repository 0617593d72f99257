//! The predictions of networks over the unit square, from the saved models.

use super::document::Figure;
use crate::picture::{Boundary, Field};
use crate::reproduce::{Folder, Subject};
use rulebound::dataset::{Column, Step};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::Method;
use rulebound_io::picture::{Anchor, Frame, Svg};

/// Cells of a field in each direction.
const CELLS: usize = 120;

const SIDE: f64 = 132.0;
const GAP: f64 = 12.0;
const MARGIN: f64 = 12.0;
const TOP: f64 = 62.0;
/// The gap between two rows, which holds the name of the next.
const ROW: f64 = 28.0;

const TRUTH: &str = "stroke:#111;stroke-width:1.4";
const BOLD: &str = "font-size:14px;font-weight:bold";
const EDGE: &str = "stroke:#fff;stroke-width:1.2;stroke-linecap:round";

/// Panels in a row, of one network.
pub(super) struct Strip {
    /// Its name, above all panels; empty if each has its own.
    pub name: String,
    /// The data, whose rectangles are drawn.
    pub subject: Subject,
    /// The fields of the classes, one per panel; `None` if there is no network.
    pub fields: Option<Vec<Field>>,
    /// The classes that are shown, in this order.
    pub shown: Vec<usize>,
    /// The names above the panels; none if the columns have names.
    pub labels: Vec<String>,
}

/// The probability of every class over the square; raw is without the layer. `None` if the model is
/// absent or cannot be used.
pub(super) fn fields(
    folder: &Folder,
    subject: Subject,
    method: Method,
    seed: u64,
    raw: bool,
) -> Option<Vec<Field>> {
    let model = Model::load(folder.model(subject, method, seed)).ok()?;
    let columns = [Column::numeric("x"), Column::numeric("y")];
    let cells: Vec<f32> = Field::points(CELLS).flatten().collect();
    let rows = FeatureRows::dense(&cells, columns.len()).ok()?;
    let mut predictions = Predictions::default();
    let rules = model.rules().filter(|_| !raw);
    let mut predictor = model.predictor_with(rules, &columns).ok()?;
    predictor.predict(rows, &mut predictions).ok()?;
    let (probabilities, classes) = (predictions.probabilities(), predictions.classes());
    let field = |class: usize| {
        let values = probabilities.iter().skip(class).step_by(classes).copied().collect();
        Field::new(CELLS, values).ok()
    };
    (0..classes).map(field).collect()
}

/// Strips under each other; `columns` are the names of the panels of every strip.
pub(super) fn figure(name: &str, title: &str, columns: &[&str], strips: &[Strip]) -> Figure {
    let most = strips.iter().map(|strip| strip.shown.len()).max().unwrap_or(1);
    let across = most as f64 * (SIDE + GAP) - GAP;
    let height = TOP + strips.len() as f64 * (SIDE + ROW) - ROW + 12.0 + MARGIN;
    let mut svg = Svg::new(across + 2.0 * MARGIN, height);
    svg.text([MARGIN, 24.0], Anchor::Start, "font-size:16px;font-weight:bold", title);
    for (row, strip) in strips.iter().enumerate() {
        let top = TOP + row as f64 * (SIDE + ROW) + 12.0;
        svg.text([MARGIN, top - 8.0], Anchor::Start, "font-size:13px;fill:#444", &strip.name);
        for (column, class) in strip.shown.iter().enumerate() {
            let frame = Frame { left: MARGIN + column as f64 * (SIDE + GAP), top, side: SIDE };
            panel(&mut svg, frame, strip, *class);
            let middle = frame.left + SIDE / 2.0;
            if let Some(label) = strip.labels.get(column) {
                svg.text([middle, top - 8.0], Anchor::Middle, BOLD, label);
            }
            if let Some(label) = columns.get(column).filter(|_| row == 0) {
                svg.text([middle, TOP - 16.0], Anchor::Middle, BOLD, label);
            }
        }
    }
    let labels = strips.iter().flat_map(|strip| strip.labels.iter().map(String::as_str));
    let names = strips.iter().map(|strip| strip.name.as_str()).filter(|name| !name.is_empty());
    let parts: Vec<&str> = columns.iter().copied().chain(labels).chain(names).collect();
    let told = format!("{title} over the unit square: {}", parts.join(", "));
    Figure { name: name.to_owned(), caption: String::new(), svg: svg.finish(&told) }
}

fn panel(svg: &mut Svg, frame: Frame, strip: &Strip, class: usize) {
    let field = strip.fields.as_ref().and_then(|fields| fields.get(class));
    match field {
        Some(field) => {
            svg.image([frame.left, frame.top, frame.side, frame.side], &field.raster().png());
            svg.segments(frame, Boundary::new(field).segments(), EDGE);
        }
        None => {
            let middle = frame.place([0.5, 0.86]);
            svg.text(middle, Anchor::Middle, "font-size:13px;fill:#666", "no model");
        }
    }
    if let Subject::Synthetic(problem, step) = strip.subject {
        for rectangle in problem.rectangles(step.unwrap_or(Step::HALFWAY)) {
            let corners = [rectangle.low(), rectangle.high()];
            let [low, high] = corners.map(|corner| corner.map(f64::from));
            svg.outline(frame, low, high, TRUTH);
        }
    }
    svg.outline(frame, [0.0; 2], [1.0; 2], "stroke:#999;stroke-width:1");
}

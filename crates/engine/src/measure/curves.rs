//! Pictures: precision against recall, and how often what is predicted is true.

use rulebound_core::LabelId;
use rulebound_core::metrics::{
    Columns, CurvePoint, MetricError, Ranking, Reliability, precision_recall,
};

use crate::labelled_scores::LabelledPredictions;
use crate::picture::{Chart, ChartPoint, Series, side_by_side};

/// Classes with a curve of their own: as many as there are looks beside that of all classes.
const CLASSES: usize = 3;

/// Points of a curve, at most: more than the picture has across.
const POINTS: usize = 500;

/// One picture as SVG: the precision-recall curve of all pairs of example and class and of the
/// classes with the most positives, and the reliability of the probabilities.
///
/// # Errors
/// If a score of a class that counts is NaN.
pub fn curves(rows: &LabelledPredictions<'_>) -> Result<String, MetricError> {
    let columns = rows.columns()?;
    let mut classes = rows.class_metrics()?;
    classes.sort_by_key(|metrics| (std::cmp::Reverse(metrics.counts.support()), metrics.class));
    classes.retain(|metrics| metrics.counts.support() > 0);
    let mut series = vec![line("all classes".to_owned(), &rows.ranking(&columns)?)];
    for metrics in classes.iter().take(CLASSES) {
        let is_it: Vec<bool> = (0..columns.classes()).map(|class| class == metrics.class).collect();
        let only = rows.rows.masked(Columns::evaluated(&is_it))?;
        let name = rows.labels().name(LabelId::new(metrics.class));
        series.push(line(shortened(name), &rows.ranking(&only)?));
    }
    let chart = Chart {
        title: "Precision and recall".to_owned(),
        across: "recall".to_owned(),
        series,
        bounds: [0.0, 1.0],
        has_steps: false,
    };
    let charts = [chart, reliability_chart(&[("predicted", rows.reliability()?)])];
    Ok(side_by_side(&charts, "Precision and recall; reliability"))
}

/// How often what is predicted with a probability is true, for one or more predictions.
pub fn reliability_chart(all: &[(&str, Reliability)]) -> Chart {
    let point = |x: f64, y: f64| ChartPoint { x, y, deviation: None };
    let ideal = Series { name: "ideal".to_owned(), points: vec![point(0.0, 0.0), point(1.0, 1.0)] };
    let line = |(name, reliability): &(&str, Reliability)| {
        let bins = reliability.bins().iter();
        let points = bins.filter_map(|bin| Some(point(bin.confidence()?, bin.frequency()?)));
        Series { name: (*name).to_owned(), points: points.collect() }
    };
    Chart {
        title: "Reliability: share that is true".to_owned(),
        across: "probability, mean of each bin".to_owned(),
        series: std::iter::once(ideal).chain(all.iter().map(line)).collect(),
        bounds: [0.0, 1.0],
        has_steps: false,
    }
}

fn line(name: String, ranking: &Ranking<'_, f64>) -> Series {
    let point =
        |point: CurvePoint| ChartPoint { x: point.recall, y: point.precision, deviation: None };
    Series { name, points: precision_recall(ranking, POINTS).into_iter().map(point).collect() }
}

/// A name that has room in a legend.
fn shortened(name: &str) -> String {
    const MOST: usize = 14;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

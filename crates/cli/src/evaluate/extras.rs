//! What is measured beyond the ten metrics, because it was asked for.

use super::required::{Outcome, Required, expect_met};
use crate::data::write_text;
use crate::failure::Failure;
use crate::text::{some_names, thousands};
use clap::Args;
use rulebound::evaluate::Evaluation;
use rulebound::labelled_scores::LabelledPredictions;
use rulebound::measure::{Bootstrap, Figures, Interval, curves, write_class_table};
use rulebound_core::LabelId;
use rulebound_core::metrics::{ClassMetrics, FurtherMetrics};
use serde::Serialize;
use serde::ser::SerializeMap;
use std::path::{Path, PathBuf};

/// The arguments that ask for more.
#[derive(Args)]
#[command(next_help_heading = "More than the ten metrics")]
pub struct ExtraArguments {
    /// Also print F-max, macro and micro precision and recall, macro AUC, hierarchical precision,
    /// recall and F1 (with rules), the Brier score and the calibration error
    #[arg(long)]
    more: bool,
    /// Write support, precision, recall, F1, average precision and AUC of each class to a .csv or
    /// .tsv file, and print those of the worst and the best classes
    #[arg(long, value_name = "FILE")]
    pub per_class: Option<PathBuf>,
    /// 95 % confidence intervals of all metrics printed, from N samples of the rows drawn with
    /// replacement; takes as long as N evaluations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    bootstrap: Option<u32>,
    /// Random seed of --bootstrap
    #[arg(long, value_name = "N", default_value = "0", requires = "bootstrap")]
    seed: u64,
    /// Draw the precision-recall curve and the reliability of the probabilities to an .svg or
    /// .html file
    #[arg(long, value_name = "FILE")]
    pub curves: Option<PathBuf>,
    /// Exit with code 3 unless the metric is at least (>=), at most (<=), above (>) or below (<) this
    /// number (repeatable): 'micro_f1>=0.8', 'violation_rate<=0'; one of --more asks for all of those
    #[arg(long, value_name = "METRIC>=X")]
    require: Vec<Required>,
}

/// What was measured; written into the JSON of the evaluation.
#[derive(Default, Serialize)]
pub struct Extras {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<FurtherMetrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_class: Option<Vec<ClassEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Intervals>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Outcome>,
}

/// A class in JSON.
#[derive(Serialize)]
pub struct ClassEntry {
    pub class: String,
    #[serde(skip)]
    pub metrics: ClassMetrics,
    support: u64,
    predicted: u64,
    precision: f64,
    recall: f64,
    f1: f64,
    average_precision: Option<f64>,
    auc: Option<f64>,
}

/// The intervals of all figures in JSON.
#[derive(Serialize)]
pub struct Intervals {
    samples: u32,
    seed: u64,
    confidence: f64,
    #[serde(serialize_with = "by_name")]
    pub intervals: Vec<Interval>,
}

#[derive(Serialize)]
struct Ends {
    low: Option<f64>,
    high: Option<f64>,
    defined: usize,
    contains_value: Option<bool>,
}

impl ExtraArguments {
    /// Whether anything was asked for.
    pub fn any(&self) -> bool {
        self.more() || self.per_class.is_some() || self.bootstrap.is_some() || self.curves.is_some()
    }

    /// Whether further metrics were asked for.
    pub fn more(&self) -> bool {
        self.more || self.require.iter().any(Required::is_further)
    }

    /// What became of the bounds that were given.
    pub fn outcomes(&self, figures: &Figures) -> Vec<Outcome> {
        self.require.iter().map(|required| required.outcome(figures)).collect()
    }

    /// The same extras, with what became of the bounds.
    pub fn compared(&self, extras: Extras, evaluation: &Evaluation) -> Extras {
        let violation_rate = evaluation.violations.and_then(|broken| broken.rate);
        let (metrics, further) = (evaluation.metrics, extras.more);
        let required = self.outcomes(&Figures { metrics, further, violation_rate });
        Extras { required, ..extras }
    }

    /// How to draw samples, if that was asked for.
    pub fn bootstrap(&self) -> Option<Bootstrap> {
        let (seed, with_further) = (self.seed, self.more());
        self.bootstrap.map(|samples| Bootstrap { samples, seed, with_further })
    }

    /// Refuses names that no picture can have, before anything is computed.
    pub fn check(&self) -> Result<(), Failure> {
        self.curves.as_deref().map_or(Ok(()), |path| ending(path).map(drop))
    }

    /// Measures and writes what was asked for.
    pub fn measure(&self, rows: &LabelledPredictions<'_>) -> Result<Extras, Failure> {
        let more = self.more().then(|| rows.figures(true)).transpose()?;
        let per_class =
            self.per_class.as_deref().map(|path| class_table(path, rows)).transpose()?;
        if let Some(path) = &self.curves {
            let svg = curves(rows)?;
            let text = match ending(path)? {
                Picture::Svg => svg,
                Picture::Html => page(&svg),
            };
            write_text(path, &text)?;
        }
        let bootstrap = self.bootstrap().map(|bootstrap| {
            let intervals = bootstrap.intervals(rows)?;
            Ok::<_, Failure>(Intervals::new(&bootstrap, intervals))
        });
        Ok(Extras {
            more: more.and_then(|figures| figures.further),
            per_class,
            bootstrap: bootstrap.transpose()?,
            required: Vec::new(),
        })
    }
}

impl Extras {
    /// The failure for the bounds that do not hold.
    pub fn expect_met(&self) -> Result<(), Failure> {
        let outcomes = self.required.iter().map(|outcome| (None, outcome.clone()));
        expect_met(&outcomes.collect::<Vec<_>>())
    }

    /// The interval of a figure.
    pub fn interval(&self, name: &str) -> Option<[f64; 2]> {
        let intervals = &self.bootstrap.as_ref()?.intervals;
        intervals.iter().find(|interval| interval.figure.name == name)?.ends
    }
}

impl Intervals {
    pub fn new(bootstrap: &Bootstrap, intervals: Vec<Interval>) -> Self {
        let Bootstrap { samples, seed, .. } = *bootstrap;
        Self { samples, seed, confidence: 0.95, intervals }
    }

    /// What the numbers in brackets are.
    pub fn note(&self) -> String {
        let Self { samples, seed, .. } = self;
        format!(
            "In brackets: 95 % of {} bootstrap samples (seed {seed})",
            thousands(*samples as u64)
        )
    }

    /// The intervals that do not contain the value they belong to, if there are any, as a sentence.
    pub fn remark<'a>(of: impl Iterator<Item = &'a Self>) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for interval in of.flat_map(|one| &one.intervals) {
            let name = interval.figure.name;
            if interval.contains_value() == Some(false) && !names.contains(&name) {
                names.push(name);
            }
        }
        let shown = some_names(names.iter().copied(), names.len(), 20);
        let (intervals, their) = match names.len() {
            0 => return None,
            1 => ("interval", "does not contain its value"),
            _ => ("intervals", "do not contain their values"),
        };
        Some(format!("The {intervals} of {shown} {their}: resampled rows lack some rare classes"))
    }
}

fn class_table(path: &Path, rows: &LabelledPredictions<'_>) -> Result<Vec<ClassEntry>, Failure> {
    let classes = rows.class_metrics()?;
    write_class_table(path, rows.labels(), &classes)?;
    let entry = |metrics: ClassMetrics| ClassEntry {
        class: rows.labels().name(LabelId::new(metrics.class)).to_owned(),
        metrics,
        support: metrics.counts.support(),
        predicted: metrics.counts.predicted(),
        precision: metrics.counts.precision(),
        recall: metrics.counts.recall(),
        f1: metrics.counts.f1(),
        average_precision: metrics.average_precision,
        auc: metrics.auc,
    };
    Ok(classes.into_iter().map(entry).collect())
}

enum Picture {
    Svg,
    Html,
}

fn ending(path: &Path) -> Result<Picture, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(Picture::Svg),
        Some("html") => Ok(Picture::Html),
        _ => Err(Failure::Usage(format!(
            "--curves {}: a picture is an .svg or .html file",
            path.display()
        ))),
    }
}

fn page(svg: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>rulebound evaluate\
         </title>\n{svg}</html>\n"
    )
}

fn by_name<S: serde::Serializer>(intervals: &[Interval], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(intervals.len()))?;
    for interval in intervals {
        let [low, high] = match interval.ends {
            Some([low, high]) => [Some(low), Some(high)],
            None => [None, None],
        };
        let (defined, contains_value) = (interval.defined, interval.contains_value());
        map.serialize_entry(interval.figure.name, &Ends { low, high, defined, contains_value })?;
    }
    map.end()
}

//! Learning curves, from the logs of the runs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::document::{Block, Figure};
use super::evidence::Evidence;
use super::number::list;
use crate::reproduce::{Row, Subject};
use rulebound::train::Method;
use rulebound_io::picture::{Chart, ChartPoint, Series, UNBOUNDED};

/// Maximum number of points of a line; more would not be visible.
const POINTS: usize = 200;

/// The values of an epoch in a log.
const LOSS: &str = "loss";
const VALID_LOSS: &str = "valid_loss";
const VALID_AUPRC: &str = "valid_auprc";

/// Means over the members, by kind and epoch.
#[derive(Clone, PartialEq, Debug, Default)]
struct Curves(BTreeMap<&'static str, Vec<ChartPoint>>);

/// Learning curves of CCN(h) on some data sets, small and side by side.
pub(super) fn blocks(evidence: &Evidence<'_>, subjects: &[Subject], name: &str) -> Vec<Block> {
    let (mut figures, mut absent, mut has_search) = (Vec::new(), Vec::new(), false);
    for subject in subjects {
        let Some(curves) = read(evidence, *subject) else {
            absent.push(subject.to_string());
            continue;
        };
        let mut draw = |title: String, kinds: &[(&'static str, &str)], end: &str| {
            let series: Vec<Series> = kinds
                .iter()
                .filter_map(|(kind, name)| {
                    let points = curves.0.get(kind)?.clone();
                    Some(Series { name: (*name).to_owned(), points })
                })
                .collect();
            if series.is_empty() {
                return;
            }
            let chart = Chart {
                title,
                across: "epoch".to_owned(),
                series,
                bounds: UNBOUNDED,
                has_steps: false,
            };
            let name = format!("{name}-curve-{subject}{end}");
            figures.push(Figure { name, caption: String::new(), svg: chart.draw() });
        };
        let losses = [(LOSS, "training loss"), (VALID_LOSS, "validation loss")];
        draw(format!("{subject}: loss"), &losses, "");
        let auprc = [(VALID_AUPRC, "validation AU(PRC)")];
        draw(format!("{subject}: AU(PRC)"), &auprc, "-auprc");
        has_search |= curves.0.contains_key(VALID_LOSS) || curves.0.contains_key(VALID_AUPRC);
    }
    let mut blocks = Vec::new();
    if !figures.is_empty() {
        let search = match has_search {
            true => "; validation values are of the search for the number of epochs",
            false => "",
        };
        let caption = format!(
            "Means over the networks of each set by epoch. The training loss is that of the network \
             that was tested{search}."
        );
        blocks.push(Block::Figures(caption, figures));
    }
    if !absent.is_empty() {
        let text = format!("There is no log that can be read of {}.", list(&absent));
        blocks.push(Block::Note(text));
    }
    blocks
}

/// The curves of the run with the most networks; `None` if its log is absent or empty.
fn read(evidence: &Evidence<'_>, subject: Subject) -> Option<Curves> {
    let row: &Row = match evidence.ensemble(subject, Method::Ccn) {
        Some(row) => row,
        None => evidence.rows(subject, Method::Ccn).first()?,
    };
    let curves = Curves::read(&evidence.folder.log(subject, Method::Ccn, row.seeds))?;
    (!curves.0.is_empty()).then_some(curves)
}

impl Curves {
    /// What can be read from a log; unreadable lines are skipped. If an epoch occurs twice, as
    /// after an interruption, the last one counts.
    fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
        let mut found: BTreeMap<(&'static str, u64), BTreeMap<u64, f64>> = BTreeMap::new();
        for line in text.lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
            let (Some(epoch), Some(seed)) = (value["epoch"].as_u64(), value["seed"].as_u64())
            else {
                continue;
            };
            let kinds: &[&'static str] = match value["phase"].as_str() {
                Some("search") => &[VALID_LOSS, VALID_AUPRC],
                _ => &[LOSS],
            };
            for kind in kinds {
                if let Some(number) = value[*kind].as_f64().filter(|number| number.is_finite()) {
                    found.entry((kind, epoch)).or_default().insert(seed, number);
                }
            }
        }
        let mut curves = Self::default();
        for ((kind, epoch), seeds) in found {
            let y = seeds.values().sum::<f64>() / seeds.len() as f64;
            let points = curves.0.entry(kind).or_default();
            points.push(ChartPoint { x: epoch as f64, y, deviation: None });
        }
        curves.0.values_mut().for_each(thin);
        Some(curves)
    }
}

/// Drops points of a long line, never the last.
fn thin(points: &mut Vec<ChartPoint>) {
    let (step, last) = (points.len().div_ceil(POINTS).max(1), points.len().saturating_sub(1));
    let mut at = 0;
    points.retain(|_| {
        let keeps = at % step == 0 || at == last;
        at += 1;
        keeps
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Curves {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        std::fs::write(&path, text).unwrap();
        Curves::read(&path).unwrap()
    }

    fn line(phase: &str, seed: u64, epoch: u64, loss: f64, valid: &str) -> String {
        format!(
            "{{\"event\":\"epoch\",\"phase\":\"{phase}\",\"seed\":{seed},\"epoch\":{epoch},\
             \"loss\":{loss},\"valid_loss\":{valid},\"valid_auprc\":null}}\n"
        )
    }

    #[test]
    fn lines_are_means_over_the_seeds() {
        let text = line("final", 0, 1, 0.5, "null")
            + &line("final", 1, 1, 0.25, "null")
            + &line("search", 0, 1, 0.9, "0.75")
            + "{\"event\":\"fin";
        let curves = read(&text);
        assert_eq!(curves.0.len(), 2);
        assert_eq!(curves.0[LOSS], [ChartPoint { x: 1.0, y: 0.375, deviation: None }]);
        assert_eq!(curves.0[VALID_LOSS], [ChartPoint { x: 1.0, y: 0.75, deviation: None }]);
        // After an interruption an epoch may occur again.
        let twice = text + "\n" + &line("final", 1, 1, 0.75, "null");
        assert_eq!(read(&twice).0[LOSS][0].y, 0.625);
    }

    #[test]
    fn damage_is_passed_over() {
        assert_eq!(read("\u{0}\u{1}not a log\n[1,2]\n{}\n"), Curves::default());
        assert_eq!(Curves::read(Path::new("nowhere.log")), None);
    }

    #[test]
    fn long_lines_are_thinned() {
        let point = |at: usize| ChartPoint { x: at as f64, y: 0.0, deviation: None };
        let mut points: Vec<ChartPoint> = (1..=20_000).map(point).collect();
        thin(&mut points);
        assert!(points.len() <= POINTS + 1);
        assert_eq!((points[0].x, points.last().unwrap().x), (1.0, 20_000.0));
    }
}

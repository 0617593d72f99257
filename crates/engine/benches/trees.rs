//! What trees take: fitting, the model file, and rows predicted per second, layer included.
//!
//! `cargo bench -p rulebound --bench trees [-- SOURCE]` with a table or a folder that `rulebound data
//! convert` wrote; without one, with generated data of the shape of cellcycle_FUN.

use std::time::{Duration, Instant};

use rulebound::dataset::{Dataset, SourceReader, Split};
use rulebound::model::Model;
use rulebound::train::{Configuration, Method};
use rulebound::{Source, Trainer};
use rulebound_testing::Random;

/// Rows, features, classes and parents of the first level of the generated data.
const ROWS: usize = 2500;
const FEATURES: usize = 77;
const CLASSES: usize = 499;
const TOP: usize = 18;

/// How long each prediction is repeated.
const PREDICTING: Duration = Duration::from_secs(2);

fn main() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let given = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let source = given.map_or_else(|| generate(folder.path()), |path| Source::open(&path));
    let data = source.read().unwrap_or_else(|error| panic!("{error}"));
    println!("{}: {} rows, {} classes", data.name(), data.rows(), data.classes().len());
    for method in [Method::FOREST, Method::Learner("clus")] {
        let configuration = Configuration { method, ..Configuration::default() };
        let start = Instant::now();
        let trainer = Trainer::new().configuration(configuration);
        let model = trainer.fit(&data).unwrap_or_else(|error| panic!("{error}"));
        let seconds = start.elapsed().as_secs_f64();
        let path = folder.path().join("m.rulebound");
        model.save(&path).unwrap_or_else(|error| panic!("{error}"));
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        println!(
            "{}: fitted in {seconds:.1} s, {:.1} MB, {:.0} rows predicted per second",
            model.parts()[0].learner(),
            bytes as f64 / 1e6,
            rows_per_second(&model, &data),
        );
    }
}

fn rows_per_second(model: &Model, data: &Dataset) -> f64 {
    let rows = data.split(Split::Test).unwrap_or(0..data.rows());
    let (start, mut predicted) = (Instant::now(), 0);
    while start.elapsed() < PREDICTING {
        model.predict(data, rows.clone()).unwrap_or_else(|error| panic!("{error}"));
        predicted += rows.len();
    }
    predicted as f64 / start.elapsed().as_secs_f64()
}

/// A table in which each class depends on two features, and the rules of a hierarchy.
fn generate(folder: &std::path::Path) -> SourceReader {
    let mut random = Random::new(1);
    let parent = |class: usize| if class < 5 * TOP { class % TOP } else { class / 5 };
    let mut table: Vec<String> = (0..FEATURES).map(|at| format!("x{at}")).collect();
    table.extend((0..CLASSES).map(|class| format!("c{class}")));
    let mut text = table.join(",");
    for _ in 0..ROWS {
        let values: Vec<f64> = (0..FEATURES).map(|_| random.below(1000) as f64 / 1000.0).collect();
        let mut has = vec![false; CLASSES];
        for class in 0..CLASSES {
            let (one, other) = (values[class % FEATURES], values[(class * 7 + 1) % FEATURES]);
            has[class] = one + other > 1.85;
        }
        for class in (TOP..CLASSES).rev().filter(|&class| has[class]).collect::<Vec<_>>() {
            has[parent(class)] = true;
        }
        let mut cells: Vec<String> = values.iter().map(ToString::to_string).collect();
        cells.extend(has.iter().map(|&has| u8::from(has).to_string()));
        text += &format!("\n{}", cells.join(","));
    }
    let rules: String =
        (TOP..CLASSES).map(|class| format!("c{class} -> c{}\n", parent(class))).collect();
    let (table, rule_file) = (folder.join("trees.csv"), folder.join("trees.rules"));
    std::fs::write(&table, text + "\n").unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(&rule_file, rules).unwrap_or_else(|error| panic!("{error}"));
    Source::open(&table).labels("c*").rules(&rule_file)
}

//! The sets of the paper: a little training on each, and not one broken rule.

use std::path::Path;

use rulebound::dataset::{CATALOGUE, DATA_VARIABLE, ReadOptions, Source, Split};
use rulebound::evaluate::evaluate_model;
use rulebound::train::{Configuration, Stopping};
use rulebound_core::metrics::LabelsInMetrics;

use super::scene::run;

#[test]
fn no_prediction_breaks_a_rule_on_any_set() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os(DATA_VARIABLE).map(Into::into);
    let options = ReadOptions { data_dir: Some(given.unwrap_or(beside)), ..Default::default() };
    let mut seen = 0;
    for entry in &CATALOGUE {
        let Ok(data) = Source::Catalogue(entry).read(&options) else {
            eprintln!("skipped: the data of {} is not here", entry.name);
            continue;
        };
        let configuration = Configuration {
            hidden: vec![24],
            batch: 64,
            learning_rate: 1e-2,
            stopping: Stopping::Epochs(1),
            ..Configuration::default()
        };
        let model = run(&data, &configuration).unwrap();
        let rows = data.split(Split::Test).unwrap();
        let evaluation = evaluate_model(&model, &data, rows, LabelsInMetrics::All).unwrap();
        let violations = evaluation.ensemble.violations.unwrap();
        assert_eq!(violations.rows, 0, "{}", entry.name);
        assert!(evaluation.ensemble.metrics.auprc.is_some(), "{}", entry.name);
        seen += 1;
    }
    println!("{seen} of {} sets", CATALOGUE.len());
}

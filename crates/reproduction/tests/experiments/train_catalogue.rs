//! The sets of the paper: a little training on each, and not one broken rule.

use std::path::{Path, PathBuf};

use rulebound::dataset::Split;
use rulebound::evaluate::evaluate_model;
use rulebound::train::{Configuration, Stopping, Trainer};
use rulebound_core::metrics::{LabelsInMetrics, Metric};

use rulebound_reproduction::{CATALOGUE, Subject};

#[test]
fn no_prediction_breaks_a_rule_on_any_set() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os("RULEBOUND_DATA").map(PathBuf::from);
    let data_dir = given.unwrap_or(beside);
    let mut seen = 0;
    for entry in &CATALOGUE {
        let Ok(data) = Subject::Catalogue(entry).read(Some(&data_dir), 0) else {
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
        let model = Trainer::new().configuration(configuration.clone()).fit(&data).unwrap();
        let rows = data.split(Split::Test).unwrap();
        let evaluation = evaluate_model(&model, &data, rows, LabelsInMetrics::All).unwrap();
        let violations = evaluation.ensemble.violations.unwrap();
        assert_eq!(violations.rows, 0, "{}", entry.name);
        assert!(evaluation.ensemble.metrics.get(Metric::Auprc).is_some(), "{}", entry.name);
        seen += 1;
    }
    println!("{seen} of {} sets", CATALOGUE.len());
}

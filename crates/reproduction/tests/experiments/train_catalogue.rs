//! The data sets of the paper: a little training on each, and not one broken rule.

use rulebound::dataset::Split;
use rulebound::train::{Configuration, Stopping, Trainer};
use rulebound_core::metrics::{LabelsInMetrics, Metric};

use rulebound_reproduction::{CATALOGUE, Subject};

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn no_prediction_breaks_a_rule_on_any_set() {
        let data_dir = needs::data();
        for entry in &CATALOGUE {
            let data = Subject::Catalogue(entry).read(Some(&data_dir), 0);
            let data = data.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            let configuration = Configuration {
                hidden: vec![24],
                batch: 64,
                learning_rate: 1e-2,
                stopping: Stopping::Epochs(1),
                ..Configuration::default()
            };
            let model = Trainer::new().configuration(configuration.clone()).fit(&data).unwrap();
            let rows = data.split(Split::Test).unwrap();
            let evaluation = model.evaluate(&data, rows, LabelsInMetrics::All).unwrap();
            let violations = evaluation.ensemble.violations.unwrap();
            assert_eq!(violations.rows, 0, "{}", entry.name);
            assert!(evaluation.ensemble.metrics.get(Metric::Auprc).is_some(), "{}", entry.name);
        }
    }
}

//! What all trials of a table have in common.

use sha2::{Digest, Sha256};

use crate::dataset::Dataset;
use crate::train::{Configuration, EarlyStopping, Method, Monitor, fingerprint};

/// The data and the settings of a search, without the tuned hyperparameters.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Identity {
    pub method: Method,
    pub monitor: Monitor,
    pub seed: u64,
    pub members: usize,
    /// Digests of settings and data, separated by a hyphen.
    pub fingerprint: String,
}

impl Identity {
    pub fn new(data: &Dataset, base: &Configuration, early: &EarlyStopping) -> Self {
        // Tuned hyperparameters have their own columns. The rest follows.
        let Configuration { method, activation, seed, members, labels, scaling, .. } = base;
        let EarlyStopping { monitor, patience, most, holdout, retrain: _ } = early;
        let mut settings = vec![serde_json::json!([
            method, activation, seed, members, labels, monitor, patience, most, holdout
        ])];
        // Tables written before there was a choice remain valid.
        settings.extend(scaling.map(|scaling| serde_json::json!(scaling)));
        let settings = settings.iter().map(ToString::to_string).collect::<String>();
        let fingerprint = format!("{}-{}", digest(settings), &fingerprint(data)[..DIGITS]);
        Self { method: *method, monitor: *monitor, seed: *seed, members: *members, fingerprint }
    }

    /// How this search differs from the one of a table, in words.
    pub fn differences(&self, of_table: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, then: String, now: String| {
            if then != now {
                differences.push(format!("{what} was {then}, now {now}"));
            }
        };
        let then = of_table;
        compare("the method", then.method.to_string(), self.method.to_string());
        compare("the monitor", then.monitor.name().into(), self.monitor.name().into());
        compare("the seed", then.seed.to_string(), self.seed.to_string());
        compare("members", then.members.to_string(), self.members.to_string());
        let (now_settings, now_data) = halves(&self.fingerprint);
        let (then_settings, then_data) = halves(&then.fingerprint);
        if now_data != then_data {
            differences.push("the data or the rules have changed".to_owned());
        }
        if differences.is_empty() && now_settings != then_settings {
            differences.push(
                "activation, labels, scaling, patience, maximum epochs or holdout fraction differ"
                    .to_owned(),
            );
        }
        differences
    }
}

fn halves(fingerprint: &str) -> (&str, &str) {
    fingerprint.split_once('-').unwrap_or((fingerprint, ""))
}

/// The first 64 bits of a digest: enough to distinguish searches.
const DIGITS: usize = 16;

fn digest(text: String) -> String {
    let digest = Sha256::digest(text);
    digest.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

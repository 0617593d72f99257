//! A file of thresholds for five classes, some with names that need quoting. Reading never panics; every
//! mistake has a line of the file; thresholds that were read are the same after they were written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::class_files::{ClassFileError, read_thresholds, write_thresholds};
use rulebound::class_names::ClassNames;
use rulebound_core::Labels;

fuzz_target!(|data: &[u8]| {
    let labels = Labels::new(["a", "b, c", "tab\there", "two\nlines", "*"]).expect("five names");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [given, written] = ["given.csv", "written.csv"].map(|name| folder.path().join(name));
    std::fs::write(&given, data).expect("written");
    match read_thresholds(&given, &ClassNames::new(&labels)) {
        Ok(thresholds) => {
            write_thresholds(&written, &labels, &thresholds).expect("written");
            let again = read_thresholds(&written, &ClassNames::new(&labels)).expect("read back");
            assert!(labels.ids().all(|label| again.value(label) == thresholds.value(label)));
        }
        Err(error) => {
            let _ = error.to_string();
            if let ClassFileError::Lines { mistakes, .. } = error {
                let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
                assert!(mistakes.iter().all(|mistake| (1..=lines).contains(&mistake.line)));
            }
        }
    }
});

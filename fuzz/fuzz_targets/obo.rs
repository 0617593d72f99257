//! Any bytes as an ontology: reading never panics, and what was read is a
//! hierarchy whose rules can be written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::dataset::Ontology;
use rulebound_core::{Dialect, RuleText};

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("terms.obo");
    std::fs::write(&path, data).expect("written");
    match Ontology::read(&path) {
        Ok(ontology) => {
            let program = ontology.program().expect("no negation");
            let labels = Some(program.labels().clone());
            let again = RuleText::new(&program.to_text())
                .labels(labels)
                .dialect(Dialect::Rules)
                .parse()
                .expect("read back");
            assert_eq!(again.program.rules(), program.rules());
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

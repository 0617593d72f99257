//! Networks of others: reading never panics, and one that was read is one with rules behind it, too.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rulebound::core::{Program, Thresholds};
use rulebound::onnx::{GraphOptions, NetworkFile, NetworkOutput};

fuzz_target!(|data: &[u8]| {
    let path = Path::new("fuzzed.onnx");
    let network = match NetworkFile::from_bytes(path, data.to_vec(), None, 2) {
        Ok(network) => network,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    let program: Program = "a -> b".parse().expect("rules");
    let thresholds = Thresholds::uniform(2, 0.5).expect("a half");
    let options = GraphOptions::default();
    if let Ok(file) = network.with_rules(&program, &thresholds, NetworkOutput::Logits, options) {
        let bytes = file.bytes().to_vec();
        NetworkFile::from_bytes(path, bytes, Some(network.output()), 2).expect("what was written is read");
    }
});

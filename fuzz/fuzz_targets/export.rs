//! Rules as a graph, after one byte of settings: writing never panics, and what was written is a network whose outputs have a
//! column for each class.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rulebound::core::{RuleText, Thresholds};
use rulebound::onnx::{GraphOptions, Loops, NetworkFile, NetworkOutput, OnnxFile};

fuzz_target!(|data: &[u8]| {
    let Some((&settings, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let Ok(parsed) = RuleText::new(text).parse() else { return };
    let program = parsed.program;
    let classes = program.labels().len();
    let Ok(thresholds) = Thresholds::uniform(classes, [0.5, 0.3, 0.9][usize::from(settings) % 3])
    else {
        return;
    };
    let kind = NetworkOutput::ALL[usize::from(settings / 3) % NetworkOutput::ALL.len()];
    let options = GraphOptions {
        margins: settings & 64 != 0,
        loops: if settings & 128 != 0 { Loops::WrittenOut } else { Loops::Allowed },
        named_inputs: false,
    };
    match OnnxFile::of_rules(&program, &thresholds, kind, options) {
        Ok(file) => {
            let path = Path::new("rules.onnx");
            NetworkFile::from_bytes(path, file.to_bytes(), Some("probabilities"), classes)
                .expect("what was written is read");
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

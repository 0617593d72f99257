//! Rules and a table, separated by an empty line, after one byte of settings:
//! applying never panics, and what comes out is coherent when it is read again,
//! with no tolerance.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::apply::{ScoreSource, apply};
use rulebound::predict::PredictionPaths;
use rulebound_io::scores::ScoreKind;
use rulebound_core::{RuleText, Thresholds};

fuzz_target!(|data: &[u8]| {
    let Some((&settings, rest)) = data.split_first() else { return };
    let Some(gap) = rest.windows(2).position(|pair| pair == b"\n\n") else { return };
    let Ok(rules) = std::str::from_utf8(&rest[..gap]) else { return };
    let Ok(parsed) = RuleText::new(rules).parse() else { return };
    let program = parsed.program;

    let kind = if settings & 1 == 0 { ScoreKind::Probability } else { ScoreKind::Logit };
    let thresholds = [0.5, 0.3, 0.999, 1e-300][usize::from(settings >> 1 & 3)];
    let mut thresholds = vec![thresholds; program.labels().len()];
    if settings & 8 != 0 {
        for (class, threshold) in thresholds.iter_mut().enumerate() {
            *threshold = (*threshold + class as f64 / 7.0).fract().clamp(1e-9, 0.9);
        }
    }
    let thresholds = Thresholds::new(thresholds).expect("inside the interval");

    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("in.csv"), &rest[gap + 2..]).expect("written");
    let run = |from: &str, to: &str| {
        let source = ScoreSource { scores: at(from), kind, id_column: None, names: None };
        let paths = PredictionPaths {
            decisions: Some(at(&format!("decided-{to}"))),
            delegates: Some(at(&format!("delegates-{to}"))),
            ..PredictionPaths::new(at(to))
        };
        apply(&program, &thresholds, &source, &paths, |_| true)
    };
    if run("in.csv", "out.csv").is_err() {
        assert!(!at("out.csv").exists(), "an error leaves nothing behind");
        return;
    }
    let again = run("out.csv", "twice.csv").expect("what was written can be read");
    assert_eq!(again.incoherent_rows, 0, "coherent");
    let decided = |name: &str| std::fs::read(at(name)).expect("read");
    assert_eq!(decided("decided-out.csv"), decided("decided-twice.csv"), "the same decisions");
});

//! Any text: the reader never panics, every mistake has a place in the text,
//! and a program that was read is read back from its own text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound_core::{Dialect, RuleText, lint, lint_deep, lint_requirements};

fuzz_target!(|text: &str| {
    let dialects = Dialect::ALL.into_iter().map(Some);
    for dialect in dialects.chain([None]) {
        match RuleText::new(text).dialect(dialect).parse() {
            Ok(parsed) => {
                let program = parsed.program;
                let labels = Some(program.labels().clone());
                let again = RuleText::new(&program.to_text())
                    .labels(labels)
                    .dialect(Dialect::Rules)
                    .parse();
                let again = again.expect("what is written can be read").program;
                assert_eq!(again.rules(), program.rules());
                assert_eq!(again.strata(), program.strata());
                assert_eq!(again.requirements(), program.requirements());
                assert_eq!(again.preferred(), program.preferred());
                let shallow = lint(&program);
                lint_deep(&program, &shallow);
                lint_requirements(&program, true);
            }
            Err(errors) => {
                let lines = (text.lines().count() as u32).max(1);
                assert!(!errors.0.is_empty());
                for error in errors.0 {
                    assert!((1..=lines).contains(&error.span().line));
                    let _ = (error.to_string(), error.hint());
                }
            }
        }
    }
});

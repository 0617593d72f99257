//! Any text: the reader never panics, every mistake has a place in the text,
//! and a program that was read is read back from its own text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound_core::{Dialect, RuleText, lint, lint_deep};

fuzz_target!(|text: &str| {
    for dialect in [None, Some(Dialect::Rules), Some(Dialect::Ccn), Some(Dialect::Edges)] {
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
                let shallow = lint(&program);
                lint_deep(&program, &shallow);
            }
            Err(errors) => {
                let lines = text.lines().count() as u32;
                assert!(!errors.0.is_empty());
                for error in errors.0 {
                    assert!((1..=lines).contains(&error.span().line));
                    let _ = (error.to_string(), error.hint());
                }
            }
        }
    }
});

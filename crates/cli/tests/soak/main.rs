//! Minutes of random and hostile input: `make soak`. Everything comes from one seed, which is printed;
//! `SOAK_SEED` sets it, `SOAK_SHARE` (1 by default) scales how much is done.
//!
//! These tests are ignored by `cargo test`, because they take minutes and because what they draw is new
//! in every run.
#![allow(clippy::unwrap_used)]

mod cells;
mod damage;
mod kills;
mod rules;

use rulebound_testing::Random;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The seed of the run: one for all tests.
static SEED: LazyLock<u64> = LazyLock::new(|| match std::env::var("SOAK_SEED") {
    Ok(text) => text.parse().expect("SOAK_SEED is a number"),
    Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs(),
});

/// Random numbers for a test, from the seed of the run and the name of the test.
fn random(test: &str) -> Random {
    println!("{test}: SOAK_SEED={}", *SEED);
    let own: u64 = test.bytes().map(u64::from).sum();
    Random::new(SEED.wrapping_mul(1_000_003).wrapping_add(own))
}

/// A number of repetitions, scaled by `SOAK_SHARE`.
fn scaled(count: usize) -> usize {
    let share = std::env::var("SOAK_SHARE").map_or(1.0, |text| text.parse().unwrap());
    ((count as f64 * share) as usize).max(1)
}

/// Whether nothing was left out by `SOAK_SHARE`, so that what must occur in a whole run has to.
fn is_whole() -> bool {
    scaled(100) >= 100
}

/// The program with these arguments, in a folder.
fn program(folder: &std::path::Path, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("rulebound"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

/// Runs the program, which may fail but only in words.
fn run(folder: &std::path::Path, arguments: &str) -> Output {
    let output = program(folder, arguments).output().unwrap();
    let code = output.status.code();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0..=2)), "{arguments}: {code:?} {message}");
    assert!(!message.contains("panicked"), "{arguments}: {message}");
    output
}

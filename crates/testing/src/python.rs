//! Another implementation, asked through a Python script.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::needs;

/// The lines that the script prints, given this text on its standard input.
pub fn ask(script: &Path, input: String) -> Vec<String> {
    let python = needs::python();
    let mut child = Command::new(&python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", python.display()));
    let mut stdin = child.stdin.take().unwrap();
    // It may start answering while it is still reading.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{} failed; are the packages of tests/requirements.txt installed?",
        script.display()
    );
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

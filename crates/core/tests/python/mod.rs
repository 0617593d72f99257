//! The interpreter that tests compare with.
//!
//! It is `RULEBOUND_PYTHON`, or `.venv/bin/python` in the workspace, which `make .venv` sets up;
//! without either a test says that it skips. Where `RULEBOUND_PYTHON` is set it must work.

use std::path::{Path, PathBuf};

pub fn python() -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("RULEBOUND_PYTHON") {
        return Some(python.into());
    }
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    python.exists().then_some(python)
}

//! What some tests need and a new machine may lack.
//!
//! Such a test is in a module called `needs_data`, `needs_python` or `needs_browser` (GPU tests
//! are in `cuda::tests`) and is `#[ignore]`d with what it needs, so that it shows as ignored where
//! it cannot run. `scripts/ignored-tests` runs those whose needs are met. An unmet need is a
//! failure with an explanation, never a test that passes without having run.

use std::path::{Path, PathBuf};

/// The folder of the benchmark data, from `RULEBOUND_DATA`.
pub fn data() -> PathBuf {
    let folder = required("RULEBOUND_DATA", "the folder of the benchmark data");
    assert!(folder.is_dir(), "RULEBOUND_DATA is {}, which is not a folder", folder.display());
    folder
}

/// A Python with the packages of `tests/requirements.txt`, from `RULEBOUND_PYTHON`.
pub fn python() -> PathBuf {
    required(
        "RULEBOUND_PYTHON",
        "a Python with tests/requirements.txt (`scripts/python-environment` sets one up)",
    )
}

/// The browser for viewing pages: `RULEBOUND_BROWSER`, or `chromium`; a path or a name in `PATH`.
pub fn browser() -> PathBuf {
    let name = std::env::var_os("RULEBOUND_BROWSER").unwrap_or_else(|| "chromium".into());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|path| path.join(&name));
    let found = found.chain([PathBuf::from(&name)]).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("browser `{}` not found; scripts/browser installs one", Path::new(&name).display())
    })
}

fn required(variable: &str, what: &str) -> PathBuf {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    value.map(PathBuf::from).unwrap_or_else(|| {
        panic!("this test needs {what}: set {variable}, or run `make test`, which sets it")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "this test needs a flag: set RULEBOUND_NO_SUCH_VARIABLE")]
    fn a_need_that_is_not_met_is_a_failure_with_a_sentence() {
        super::required("RULEBOUND_NO_SUCH_VARIABLE", "a flag");
    }
}

//! Where onnxruntime is on this machine.
//!
//! It is not part of rulebound: whoever has an ONNX network usually has it, and the wheel of Python brings the library as a
//! file. It is looked for before anything is loaded, because a missing one must be an error, not a hang.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::error::OnnxError;

/// The variable that names the library, as in other programs.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Prints the folder of the Python package without importing it.
const ASK: &str = "import importlib.util as u; s = u.find_spec('onnxruntime'); print(s.submodule_search_locations[0] if s else '')";

/// The environment of all sessions, made once.
static ENVIRONMENT: Mutex<Option<ort::environment::Environment>> = Mutex::new(None);

/// Loads the library, the first time it is asked for: the file that is given, that of `ORT_DYLIB_PATH`, that of the Python
/// package, or the system's.
///
/// # Errors
/// If there is none, or it is too old; the error says what to install.
pub(super) fn environment(
    given: Option<&Path>,
) -> Result<ort::environment::Environment, OnnxError> {
    let mut made = ENVIRONMENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(environment) = &*made {
        return Ok(environment.clone());
    }
    let path = find(given)?;
    let failed = |reason: String| OnnxError::Library { path: path.clone(), reason };
    let builder = ort::init_from(&path).map_err(|error| failed(error.to_string()))?;
    let builder = builder.with_name("rulebound").with_telemetry(false);
    let environment = builder.build().map_err(|error| failed(error.to_string()))?;
    *made = Some(environment.clone());
    Ok(environment)
}

fn find(given: Option<&Path>) -> Result<PathBuf, OnnxError> {
    let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = given.map(Path::to_owned).or(named) {
        return match path.is_file() {
            true => Ok(path.canonicalize().unwrap_or(path)),
            false => Err(OnnxError::Library { path, reason: "there is no such file".to_owned() }),
        };
    }
    of_python().or_else(of_system).ok_or(OnnxError::NoLibrary)
}

/// The library in the package of the Python that would run now.
fn of_python() -> Option<PathBuf> {
    let output = Command::new("python3")
        .args(["-c", ASK])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let folder = Some(folder.trim()).filter(|folder| !folder.is_empty())?;
    in_folder(&Path::new(folder).join("capi"))
}

/// The library in one of the folders where systems have theirs.
fn of_system() -> Option<PathBuf> {
    let given = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let listed = std::env::split_paths(&given).filter(|path| !path.as_os_str().is_empty());
    let usual = [
        "/usr/local/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/opt/homebrew/lib",
    ];
    listed.chain(usual.map(PathBuf::from)).find_map(|folder| in_folder(&folder))
}

/// The library in a folder, under its name with or without a version.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    let name = format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}");
    let plain = folder.join(&name);
    if plain.is_file() {
        return Some(plain);
    }
    let versioned = |path: &PathBuf| {
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        let rest = file.strip_prefix(&name[..]).or_else(|| {
            file.strip_prefix(&format!("{DLL_PREFIX}onnxruntime.")[..])
                .and_then(|rest| rest.strip_suffix(DLL_SUFFIX))
        });
        rest.is_some_and(|rest| rest.chars().all(|c| c == '.' || c.is_ascii_digit()))
    };
    let mut found: Vec<PathBuf> = folder
        .read_dir()
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(versioned)
        .collect();
    found.sort();
    found.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_with_and_without_a_version() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(in_folder(folder.path()), None);
        let write = |name: String| std::fs::write(folder.path().join(name), "").unwrap();
        write(format!("{DLL_PREFIX}onnxruntime_providers_shared{DLL_SUFFIX}"));
        assert_eq!(in_folder(folder.path()), None);
        write(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}.1.31.1"));
        assert!(in_folder(folder.path()).is_some());
        write(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}"));
        let name = format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}");
        assert_eq!(in_folder(folder.path()), Some(folder.path().join(name)));
    }

    #[test]
    fn a_file_that_is_named_and_missing_is_an_error_at_once() {
        let error = find(Some(Path::new("nowhere/libonnxruntime.so"))).unwrap_err();
        assert!(matches!(error, OnnxError::Library { .. }), "{error}");
    }
}

//! The library of onnxruntime, loaded when it is first needed.
//!
//! It is not part of rulebound: whoever has an ONNX network usually has it, and the wheel of Python brings the library as a
//! file. It is examined before anything is computed with it, because one that is missing, too old or something else must be an
//! error, not a hang or a panic.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::{Library, Symbol};
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::sys::OrtApi;

use super::error::OnnxError;
use super::library_search::LibrarySearch;

/// The variable that names the library, as in other programs.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// The environment of all sessions, made once.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

static LISTENER: OnceLock<fn(&str)> = OnceLock::new();

/// Hands over what onnxruntime reports by itself, errors only, which would else be dropped. It quotes the network that it is
/// about, so that it is anybody's text. The first listener stays.
pub fn listen_to_runtime(listener: fn(&str)) {
    LISTENER.get_or_init(|| listener);
}

/// Loads the library, the first time it is asked for: the file that is given, that of `ORT_DYLIB_PATH`, that of a Python
/// package, or the system's.
///
/// # Errors
/// If there is none, or it is too old or another one; the error says what to install.
pub(super) fn environment(given: Option<&Path>) -> Result<Environment, OnnxError> {
    let mut made = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*made {
        return Ok(environment.clone());
    }
    let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let path = find(given, named.map(PathBuf::from))?;
    let failed = |reason: String| OnnxError::Library { path: path.clone(), reason };
    expect_usable(&path).map_err(failed)?;
    let builder = ort::init_from(&path).map_err(|error| failed(error.to_string()))?;
    let builder = builder.with_name("rulebound").with_telemetry(false);
    let builder = builder.with_logger(Arc::new(|level, _, _, _, message| {
        if let Some(listener) = LISTENER.get().filter(|_| level >= LogLevel::Error) {
            listener(message);
        }
    }));
    let environment = builder.build().map_err(|error| failed(error.to_string()))?;
    environment.set_log_level(LogLevel::Error);
    *made = Some(environment.clone());
    Ok(environment)
}

/// The file that is given, or named by the variable, or found. A variable may be left over from another folder, so
/// that only an absolute path in it says which file is meant.
fn find(given: Option<&Path>, named: Option<PathBuf>) -> Result<PathBuf, OnnxError> {
    if let Some(path) = named.as_ref().filter(|path| given.is_none() && path.is_relative()) {
        return Err(OnnxError::RelativeLibrary { variable: VARIABLE, path: path.clone() });
    }
    if let Some(path) = given.map(Path::to_owned).or(named) {
        return match path.is_file() {
            true => Ok(path.canonicalize().unwrap_or(path)),
            false => Err(OnnxError::Library { path, reason: "there is no such file".to_owned() }),
        };
    }
    LibrarySearch::new().find().ok_or(OnnxError::NoLibrary)
}

/// The entry of the library, as its header declares it; other libraries may have anything there.
#[repr(C)]
struct ApiBase {
    api: Option<unsafe extern "system" fn(u32) -> *const OrtApi>,
    version: Option<unsafe extern "system" fn() -> *const std::ffi::c_char>,
}

/// Refuses a library that is not onnxruntime, or too old, which `ort` would only notice by a panic.
fn expect_usable(path: &Path) -> Result<(), String> {
    // SAFETY: code of the library runs when it is loaded. That is what its owner has asked for, by its name or by having
    // installed it: `LibrarySearch` finds nothing else.
    #[allow(unsafe_code)]
    let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
    // SAFETY: the function is declared as in the header of onnxruntime; its name is used for nothing else.
    #[allow(unsafe_code)]
    let entry: Symbol<'_, unsafe extern "system" fn() -> *const ApiBase> =
        unsafe { library.get(b"OrtGetApiBase") }
            .map_err(|_| "it has no function OrtGetApiBase".to_owned())?;
    // SAFETY: as above; what it returns is checked before it is used, and lives as long as the library.
    #[allow(unsafe_code)]
    let base = unsafe { entry().as_ref() };
    let unusable = || "its function OrtGetApiBase returns nothing usable".to_owned();
    let base = base.ok_or_else(unusable)?;
    let (api, version) = base.api.zip(base.version).ok_or_else(unusable)?;
    // SAFETY: the function of the entry, declared as in the header.
    #[allow(unsafe_code)]
    let text = unsafe { version() };
    if text.is_null() {
        return Err(unusable());
    }
    // SAFETY: a text that ends in a zero, which lives as long as the library.
    #[allow(unsafe_code)]
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let minor = text.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(0);
    if minor < ort::MINOR_VERSION {
        return Err(format!("it is version {text}"));
    }
    // SAFETY: the function of the entry; a library without this version of its functions returns null.
    #[allow(unsafe_code)]
    let found = unsafe { api(ort::MINOR_VERSION) };
    if found.is_null() {
        return Err(format!("it is version {text}, but lacks what that version has"));
    }
    // It stays loaded: `ort` opens the same one again, and gets this.
    std::mem::forget(library);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_and_missing_is_an_error_at_once() {
        let error = find(Some(Path::new("nowhere/libonnxruntime.so")), None).unwrap_err();
        assert!(matches!(error, OnnxError::Library { .. }), "{error}");
    }

    #[test]
    fn only_a_path_that_is_given_may_be_relative() {
        // Tests run in the folder of the crate.
        let relative = || Some(PathBuf::from("Cargo.toml"));
        let error = find(None, relative()).unwrap_err().to_string();
        assert!(error.contains("ORT_DYLIB_PATH") && error.contains("absolute path"), "{error}");
        let absolute = Path::new("Cargo.toml").canonicalize().ok();
        assert_eq!(find(None, absolute.clone()).ok(), absolute);
        assert_eq!(find(relative().as_deref(), relative()).ok(), absolute);
    }
}

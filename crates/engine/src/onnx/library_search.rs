//! Where the library of onnxruntime can be, without running anything.
//!
//! Invariant: the current folder has no say. Only absolute paths are looked at, those of the user's own settings
//! (`PATH`, `PYTHONPATH`, `LD_LIBRARY_PATH`, the home folder) and those of the system: whoever unpacks the files of
//! others and works among them loads none of their code. For the same reason Python is not asked where its packages
//! are: it would begin by reading the current folder.

use std::cmp::Reverse;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders of libraries that systems have.
const SYSTEM: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/opt/homebrew/lib",
];

/// What an interpreter of Python is called.
const INTERPRETERS: [&str; 3] = ["python3", "python", "python.exe"];

/// The folders that can have the library.
#[derive(Debug, Default)]
pub(super) struct LibrarySearch {
    /// Folders of programs, in order.
    programs: Vec<PathBuf>,
    /// Folders of Python packages, in order.
    packages: Vec<PathBuf>,
    home: Option<PathBuf>,
    /// Folders of libraries, in order.
    libraries: Vec<PathBuf>,
}

impl LibrarySearch {
    /// The folders that this process would use.
    pub fn new() -> Self {
        let of = |name: &str| std::env::var_os(name);
        Self::in_settings(of("PATH"), of("PYTHONPATH"), of("HOME"), of("LD_LIBRARY_PATH"))
    }

    fn in_settings<T: AsRef<OsStr>>(
        programs: Option<T>,
        packages: Option<T>,
        home: Option<T>,
        libraries: Option<T>,
    ) -> Self {
        let listed = |value: Option<T>| -> Vec<PathBuf> {
            let value = value.as_ref().map(AsRef::as_ref).unwrap_or_default();
            std::env::split_paths(value).filter(|path| path.is_absolute()).collect()
        };
        let mut libraries = listed(libraries);
        libraries.extend(SYSTEM.map(PathBuf::from));
        let home = home.map(|home| PathBuf::from(home.as_ref()));
        Self {
            programs: listed(programs),
            packages: listed(packages),
            home: home.filter(|home| home.is_absolute()),
            libraries,
        }
    }

    /// The library in a package of Python, those of the interpreter that would run first; or that of the system.
    pub fn find(&self) -> Option<PathBuf> {
        let of_python = self.package_folders().into_iter();
        let of_python = of_python.map(|folder| folder.join("onnxruntime").join("capi"));
        of_python.chain(self.libraries.iter().cloned()).find_map(|folder| in_folder(&folder))
    }

    /// The folders in which the interpreters of the path have their packages.
    fn package_folders(&self) -> Vec<PathBuf> {
        let mut found = self.packages.clone();
        let installed = self.programs.iter().flat_map(|folder| {
            let interpreter = INTERPRETERS.iter().map(|name| folder.join(name));
            interpreter.into_iter().find(|path| path.is_file())
        });
        for interpreter in installed {
            // The folder above `bin`: of an environment its own, and then that of the interpreter it was made with.
            let real = interpreter.canonicalize().ok();
            for interpreter in [Some(interpreter), real].into_iter().flatten() {
                let Some(prefix) = interpreter.parent().and_then(Path::parent) else { continue };
                if !prefix.join("pyvenv.cfg").is_file() {
                    let home = self.home.as_ref().map(|home| home.join(".local"));
                    found.extend(home.iter().flat_map(|home| packages_below(home)));
                }
                found.extend(packages_below(prefix));
            }
        }
        found
    }
}

/// The folders of packages of an installation, those of the newest Python first.
fn packages_below(prefix: &Path) -> Vec<PathBuf> {
    let mut found = vec![prefix.join("Lib").join("site-packages")];
    for libraries in ["lib", "lib64", "local/lib"] {
        let entries = prefix.join(libraries).read_dir().into_iter().flatten().flatten();
        let version = |name: &str| -> Option<Vec<u32>> {
            let parts = name.strip_prefix("python")?.split('.');
            parts.map(|part| part.parse().ok()).collect()
        };
        let mut versions: Vec<(Vec<u32>, PathBuf)> = entries
            .filter_map(|entry| Some((version(entry.file_name().to_str()?)?, entry.path())))
            .collect();
        versions.sort_by_key(|(version, _)| Reverse(version.clone()));
        let folders = versions.into_iter().map(|(_, folder)| folder);
        found.extend(folders.flat_map(|folder| {
            ["site-packages", "dist-packages"].map(|packages| folder.join(packages))
        }));
    }
    found
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
    use rulebound_testing::Scene;

    const LIBRARY: &str = "libonnxruntime.so.1.31.1";

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

    #[cfg(target_os = "linux")]
    #[test]
    fn the_package_of_the_first_python_is_found_and_nothing_of_a_relative_path() {
        let package = |python: &str| format!("{python}/site-packages/onnxruntime/capi/{LIBRARY}");
        let (new, old) = (package("venv/lib/python3.12"), package("base/lib/python3.9"));
        let debian = format!("base/local/lib/python3.11/dist-packages/onnxruntime/capi/{LIBRARY}");
        let scene = Scene::with(&[
            ("venv/bin/python3", ""),
            ("venv/pyvenv.cfg", ""),
            (&new, ""),
            ("base/bin/python3", ""),
            (&old, ""),
            (&debian, ""),
            (&package("base/lib/python3.10"), ""),
            (&package("home/.local/lib/python3.8"), ""),
        ]);
        let path = |name: &str| scene.path(name).display().to_string();
        let find = |programs: String, packages: &str, home: Option<String>| {
            let search =
                LibrarySearch::in_settings(Some(programs), Some(packages.to_owned()), home, None);
            search.find().filter(|found| found.starts_with(scene.root()))
        };
        let base = path("base/bin");
        let both = format!("{}:{base}", path("venv/bin"));
        assert_eq!(find(both, "", None), Some(scene.path(&new)));
        // The newest Python of an installation, and what a user has installed before that.
        let ten = scene.path(&package("base/lib/python3.10"));
        assert_eq!(find(base.clone(), "", None), Some(ten));
        let own = scene.path(&package("home/.local/lib/python3.8"));
        assert_eq!(find(base, "", Some(path("home"))), Some(own));
        let packages = path("venv/lib/python3.12/site-packages");
        assert_eq!(find(String::new(), &packages, None), Some(scene.path(&new)));
        for relative in ["venv/bin", ".:venv/bin", "", ":", "./bin"] {
            assert_eq!(
                find(relative.to_owned(), "venv/lib/python3.12/site-packages:.", None),
                None
            );
        }
    }
}

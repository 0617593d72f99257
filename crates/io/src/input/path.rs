//! What a path says: whether it is `-`, whether it means gzip, how it is displayed.

use std::fmt;
use std::path::Path;

/// Whether `path` is `-`: standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether it exists and can be read only once: a named pipe or a device.
pub fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir())
}

/// Whether the name means gzip compression.
pub fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// The name of a file in lower case, without a trailing `.gz`: it determines the format.
pub fn inner_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    match name.strip_suffix(".gz") {
        Some(inner) => inner.to_owned(),
        None => name,
    }
}

/// A path as shown in messages: `-` is spelled out.
///
/// ```
/// use rulebound_io::input::DisplayPath;
/// assert_eq!(DisplayPath::input("-".as_ref()).to_string(), "standard input");
/// assert_eq!(DisplayPath::input("a.csv".as_ref()).to_string(), "a.csv");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DisplayPath<'a> {
    path: &'a Path,
    standard: &'static str,
}

impl<'a> DisplayPath<'a> {
    /// A path that is read.
    pub fn input(path: &'a Path) -> Self {
        Self { path, standard: "standard input" }
    }

    /// A path that is written.
    pub fn output(path: &'a Path) -> Self {
        Self { path, standard: "standard output" }
    }
}

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_standard(self.path) {
            return f.write_str(self.standard);
        }
        self.path.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_name_has_no_gz() {
        let inner = |path: &str| inner_name(path.as_ref());
        assert_eq!(inner("a/Go.OBO.gz"), "go.obo");
        assert_eq!(inner("b.csv"), "b.csv");
        assert_eq!(inner("gz"), "gz");
        assert!(is_gzip("a.GZ".as_ref()) && !is_gzip("gz".as_ref()));
    }
}

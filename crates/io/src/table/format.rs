//! The format of a table, determined by its file name, or given where the name says nothing.

use std::path::{Path, PathBuf};

use super::error::TableError;
use crate::input::{inner_name, is_gzip, is_standard};

/// The extensions of tables; each also with `.gz` appended.
pub const EXTENSIONS: [&str; 4] = [".csv", ".tsv", ".tab", ".parquet"];

/// Those of text tables.
const TEXT_EXTENSIONS: [&str; 3] = [".csv", ".tsv", ".tab"];

rulebound_core::named_enum! {
    /// How a table is stored.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Layout: "a table format" {
        /// Comma separated.
        Csv = "csv",
        /// Tab separated.
        Tsv = "tsv",
        /// Parquet.
        Parquet = "parquet",
    }
}

impl Layout {
    /// The layout that the extension of `path` means, if any, ignoring a trailing `.gz` and letter
    /// case.
    pub fn from_name(path: &Path) -> Option<Self> {
        match Path::new(&inner_name(path)).extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// The field separator of a text table; none for Parquet.
    pub const fn delimiter(self) -> Option<u8> {
        match self {
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
            Self::Parquet => None,
        }
    }
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// How the table is laid out.
    pub layout: Layout,
    /// Whether the bytes are compressed with gzip.
    pub gzip: bool,
}

impl Format {
    /// The format that the name of `path` means; `-` is CSV.
    ///
    /// ```
    /// use rulebound_io::table::{Format, Layout};
    /// let format = Format::from_path("scores.tsv.gz".as_ref())?;
    /// assert_eq!(format, Format { layout: Layout::Tsv, gzip: true });
    /// # Ok::<(), rulebound_io::table::TableError>(())
    /// ```
    ///
    /// A device or pipe whose name says nothing, such as `/dev/stdin`, is CSV too.
    ///
    /// # Errors
    /// [`TableError::UnknownFormat`] when the name has none of the [`EXTENSIONS`].
    pub fn from_path(path: &Path) -> Result<Self, TableError> {
        Self::of(TableTarget { path, layout: None })
    }

    /// The separator of a text table; a table of another kind is refused.
    ///
    /// # Errors
    /// [`TableError::UnknownFormat`] when the name is not that of a text table.
    pub fn text_delimiter(path: &Path) -> Result<u8, TableError> {
        let known = &TEXT_EXTENSIONS;
        let format = Self::from_path(path).map_err(|error| error.with_known(known))?;
        let unknown = || TableError::UnknownFormat { path: path.to_path_buf(), known };
        format.layout.delimiter().ok_or_else(unknown)
    }

    /// The format of a table to be written.
    ///
    /// # Errors
    /// [`TableError::UnknownFormat`] when neither the name nor the target says it.
    pub fn of(target: TableTarget<'_>) -> Result<Self, TableError> {
        let TableTarget { path, layout } = target;
        let nameless = || is_standard(path) || is_device(path);
        match Layout::from_name(path).or(layout) {
            Some(layout) => Ok(Self { layout, gzip: is_gzip(path) }),
            None if nameless() => Ok(Self { layout: Layout::Csv, gzip: false }),
            None => Err(TableError::UnknownFormat { path: path.to_path_buf(), known: &EXTENSIONS }),
        }
    }
}

/// Where a table is written. A path is a target whose name says the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableTarget<'a> {
    /// The path; `-` is standard output.
    pub path: &'a Path,
    /// The layout, where the name does not say it.
    pub layout: Option<Layout>,
}

impl<'a> From<&'a Path> for TableTarget<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, layout: None }
    }
}

impl<'a> From<&'a PathBuf> for TableTarget<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self { path, layout: None }
    }
}

/// Whether a path exists and is neither a file nor a folder: a device or a pipe.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_determines_the_format() {
        let of = |name: &str| {
            let format = Format::from_path(name.as_ref()).unwrap();
            (format.layout, format.gzip)
        };
        assert_eq!(of("-"), (Layout::Csv, false));
        assert_eq!(of("a/b.CSV"), (Layout::Csv, false));
        assert_eq!(of("b.csv.gz"), (Layout::Csv, true));
        assert_eq!(of("b.v2.tab"), (Layout::Tsv, false));
        assert_eq!(of("b.parquet.gz"), (Layout::Parquet, true));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_csv_unless_the_layout_is_given() {
        let of = |path: &str, layout| Format::of(TableTarget { path: path.as_ref(), layout });
        let csv = Format { layout: Layout::Csv, gzip: false };
        assert_eq!(of("/dev/null", None).unwrap(), csv);
        assert_eq!(of("/dev/null", Some(Layout::Tsv)).unwrap().layout, Layout::Tsv);
        assert_eq!(of("-", Some(Layout::Parquet)).unwrap().layout, Layout::Parquet);
        assert_eq!(of("scores", Some(Layout::Parquet)).unwrap().layout, Layout::Parquet);
        assert_eq!(of("scores.csv", Some(Layout::Tsv)).unwrap(), csv);
        assert!(of("scores", None).is_err());
    }

    #[test]
    fn other_names_are_rejected_with_a_list_of_extensions() {
        for name in ["scores", "scores.xlsx", "scores.gz", ".csv", "csv", ""] {
            let error = Format::from_path(name.as_ref()).unwrap_err();
            assert!(matches!(error, TableError::UnknownFormat { .. }), "{name}");
            assert!(error.to_string().contains(".parquet"), "{error}");
        }
    }
}

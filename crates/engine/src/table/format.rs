//! The format of a table, determined by its file name alone.

use std::path::Path;

use super::error::TableError;
use crate::input::{inner_name, is_gzip, is_standard};

/// The extensions of tables; each also with `.gz` appended.
pub const EXTENSIONS: [&str; 4] = [".csv", ".tsv", ".tab", ".parquet"];

/// How a table is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Comma separated.
    Csv,
    /// Tab separated.
    Tsv,
    /// Parquet.
    Parquet,
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
    pub(crate) const fn delimiter(self) -> Option<u8> {
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
    /// use rulebound::table::{Format, Layout};
    /// let format = Format::from_path("scores.tsv.gz".as_ref())?;
    /// assert_eq!(format, Format { layout: Layout::Tsv, gzip: true });
    /// # Ok::<(), rulebound::table::TableError>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::UnknownFormat`] when the name has none of the [`EXTENSIONS`].
    pub fn from_path(path: &Path) -> Result<Self, TableError> {
        if is_standard(path) {
            return Ok(Self { layout: Layout::Csv, gzip: false });
        }
        match Layout::from_name(path) {
            Some(layout) => Ok(Self { layout, gzip: is_gzip(path) }),
            None => Err(TableError::UnknownFormat { path: path.to_path_buf() }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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

    #[test]
    fn other_names_are_rejected_with_a_list_of_extensions() {
        for name in ["scores", "scores.xlsx", "scores.gz", ".csv", "csv", ""] {
            let error = Format::from_path(name.as_ref()).unwrap_err();
            assert!(matches!(error, TableError::UnknownFormat { .. }), "{name}");
            assert!(error.to_string().contains(".parquet"), "{error}");
        }
    }
}

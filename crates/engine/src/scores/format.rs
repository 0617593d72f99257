//! Which format a file has, told by its name alone.

use std::path::Path;

use super::error::ScoreError;
use crate::output::{is_gzip, is_standard};

/// The extensions a table of scores may have; each also with `.gz` appended.
pub const EXTENSIONS: [&str; 4] = [".csv", ".tsv", ".tab", ".parquet"];

/// How the table is laid out in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Comma separated.
    Csv,
    /// Tab separated.
    Tsv,
    /// Parquet.
    Parquet,
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
    /// The format that the name of `path` tells; upper and lower case do not matter.
    ///
    /// ```
    /// use rulebound::scores::{Format, Layout};
    /// let format = Format::of("scores.tsv.gz".as_ref())?;
    /// assert_eq!(format, Format { layout: Layout::Tsv, gzip: true });
    /// # Ok::<(), rulebound::scores::ScoreError>(())
    /// ```
    ///
    /// # Errors
    /// [`ScoreError::UnknownFormat`] when the name has none of the [`EXTENSIONS`].
    pub fn of(path: &Path) -> Result<Self, ScoreError> {
        if is_standard(path) {
            return Ok(Self { layout: Layout::Csv, gzip: false });
        }
        let gzip = is_gzip(path);
        let inner = match path.file_stem() {
            Some(stem) if gzip => Path::new(stem),
            _ => path,
        };
        let extension = inner.extension().unwrap_or_default().to_ascii_lowercase();
        let layout = match extension.to_str() {
            Some("csv") => Layout::Csv,
            Some("tsv" | "tab") => Layout::Tsv,
            Some("parquet") => Layout::Parquet,
            _ => {
                let path = path.to_path_buf();
                return Err(ScoreError::UnknownFormat { path });
            }
        };
        Ok(Self { layout, gzip })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells() {
        let of = |name: &str| {
            let format = Format::of(name.as_ref()).unwrap();
            (format.layout, format.gzip)
        };
        assert_eq!(of("-"), (Layout::Csv, false));
        assert_eq!(of("a/b.CSV"), (Layout::Csv, false));
        assert_eq!(of("b.csv.gz"), (Layout::Csv, true));
        assert_eq!(of("b.v2.tab"), (Layout::Tsv, false));
        assert_eq!(of("b.parquet.gz"), (Layout::Parquet, true));
    }

    #[test]
    fn other_names_are_refused_with_the_known_ones() {
        for name in ["scores", "scores.xlsx", "scores.gz", ".csv", "csv", ""] {
            let error = Format::of(name.as_ref()).unwrap_err();
            assert!(matches!(error, ScoreError::UnknownFormat { .. }), "{name}");
            assert!(error.to_string().contains(".parquet"), "{error}");
        }
    }
}

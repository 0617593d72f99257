//! Tables on disk that grow row by row: the trials of tuning, the results of a reproduction.
//!
//! They are CSV. A row is written in one call and synced to disk, so a killed process leaves
//! complete lines, except perhaps the last: readers skip it, the next writer cuts it off. Every
//! other deviation is an error, and the file stays as it was.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::records::{RecordError, RecordReader};
use super::text_rows::TextRows;
use crate::input::{Bytes, cut};

/// A row of a growing table. It must be able to read back what it writes.
pub trait GrowingRow: Sized {
    /// What the rows are called in messages: `trials`.
    const PLURAL: &'static str;

    /// The names of the columns.
    fn columns() -> Vec<String>;

    /// The cells, one for each column.
    fn cells(&self) -> Vec<String>;

    /// The row that has these cells.
    ///
    /// # Errors
    /// The name of the first column whose cell is not valid.
    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String>;
}

/// The cells of a row by column name.
#[derive(Clone, Copy, Debug)]
pub struct NamedCells<'a> {
    columns: &'a [String],
    cells: &'a [String],
}

impl NamedCells<'_> {
    /// The text of a cell; empty if there is no such column.
    pub fn text(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at)).map_or("", String::as_str)
    }

    /// Parses a cell.
    ///
    /// # Errors
    /// The name of the column, if the cell is not valid.
    pub fn parse<T: FromStr>(&self, column: &str) -> Result<T, String> {
        self.text(column).parse().map_err(|_| column.to_owned())
    }

    /// The finite number in a cell, if it is not empty.
    ///
    /// # Errors
    /// The name of the column, if the cell is not valid.
    pub fn number(&self, column: &str) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() {
            return Ok(None);
        }
        let number: f64 = self.parse(column)?;
        if number.is_finite() { Ok(Some(number)) } else { Err(column.to_owned()) }
    }

    /// The finite number in a cell that must not be empty.
    ///
    /// # Errors
    /// The name of the column, if the cell is empty or not valid.
    pub fn needed_number(&self, column: &str) -> Result<f64, String> {
        self.number(column)?.ok_or_else(|| column.to_owned())
    }
}

/// Why a file is not the expected table. The file is left as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableMismatch {
    /// It is a folder or a device.
    #[error("not a file")]
    NotAFile,
    /// It has another header.
    #[error("not a table of {rows}: unexpected header")]
    Header {
        /// What its rows should be.
        rows: &'static str,
    },
    /// A line has the wrong number of cells.
    #[error("line {line} has {found} cells instead of {expected}")]
    Cells {
        /// The line, from 1.
        line: u64,
        /// How many cells it has.
        found: usize,
        /// How many columns there are.
        expected: usize,
    },
    /// A cell is not valid.
    #[error("line {line}: `{text}` is not a valid value of `{column}`")]
    Cell {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The cell, truncated to 80 characters.
        text: String,
    },
}

/// Why a table could not be read or extended. `path` is the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the same nouns throughout")]
pub enum GrowingTableError {
    /// The file is not such a table.
    #[error("{}: {what}", path.display())]
    Mismatch { path: PathBuf, what: TableMismatch },
    /// Another process has the table open.
    #[error("{} is being written by another process", path.display())]
    InUse { path: PathBuf },
    /// The file cannot be read or written.
    #[error("cannot read or write {}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl GrowingTableError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Mismatch { path, .. } | Self::InUse { path } | Self::File { path, .. } => path,
        }
    }
}

/// A table that grows by one row at a time, and survives being interrupted.
#[derive(Debug)]
pub struct GrowingTable<R> {
    path: PathBuf,
    /// The file and the length of its complete lines, if it is open for this process only.
    held: Option<(File, u64)>,
    row: PhantomData<fn() -> R>,
}

impl<R: GrowingRow> GrowingTable<R> {
    /// A table that any number of processes share: each locks it only during an
    /// [`append`](Self::append). Nothing is opened yet.
    pub fn shared(path: &Path) -> Self {
        Self { path: path.to_path_buf(), held: None, row: PhantomData }
    }

    /// Opens or creates a table that no other process may write to while it is open, and reads its
    /// rows. An incomplete last line is cut off only by the first [`append`](Self::append), because
    /// the caller may still decide that the table is not the one it wants.
    ///
    /// # Errors
    /// If the file is not such a table, in use, or cannot be read or written.
    pub fn open(path: &Path) -> Result<(Self, Vec<R>), GrowingTableError> {
        let mut table = Self::shared(path);
        let mut file = table.open_file()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(GrowingTableError::InUse { path: path.to_path_buf() });
            }
            // Some network file systems have no locks; locking is best effort.
            Err(TryLockError::Error(_)) => {}
        }
        let (mut whole, rows) = table.load(&mut file)?;
        if whole == 0 {
            whole = table.write(&mut file, 0, &[])?;
        }
        table.held = Some((file, whole));
        Ok((table, rows))
    }

    /// The path of the table.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All rows; none if there is no file yet.
    ///
    /// # Errors
    /// If the file cannot be read, or is not such a table.
    pub fn read(&self) -> Result<Vec<R>, GrowingTableError> {
        match File::open(&self.path) {
            Ok(mut file) => Ok(self.load(&mut file)?.1),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Appends rows, all or none.
    ///
    /// # Errors
    /// If the file cannot be written, or is not such a table.
    pub fn append(&mut self, rows: &[R]) -> Result<(), GrowingTableError> {
        if let Some((mut file, whole)) = self.held.take() {
            let written = self.write(&mut file, whole, rows);
            self.held = Some((file, *written.as_ref().unwrap_or(&whole)));
            return written.map(drop);
        }
        let mut file = self.open_file()?;
        // Some network file systems have no locks; a single process is safe there anyway.
        file.lock().ok();
        let (whole, _) = self.load(&mut file)?;
        self.write(&mut file, whole, rows).map(drop)
    }

    fn open_file(&self) -> Result<File, GrowingTableError> {
        if self.path.metadata().is_ok_and(|known| !known.is_file()) {
            return Err(self.mismatch(TableMismatch::NotAFile));
        }
        let mut options = OpenOptions::new();
        let opened = options.read(true).append(true).create(true).open(&self.path);
        opened.map_err(|source| self.failed(source))
    }

    /// The length of the file without an incomplete last line, and the rows.
    fn load(&self, file: &mut File) -> Result<(u64, Vec<R>), GrowingTableError> {
        let failed = |source| self.failed(source);
        let header = line(&R::columns());
        // A file of another kind may be large: read only as much as it takes to see that.
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let first = Read::by_ref(file).take(header.len() as u64 + 1).read_to_end(&mut bytes);
        first.map_err(failed)?;
        let found = String::from_utf8_lossy(&bytes).replacen("\r\n", "\n", 1);
        if header.starts_with(&found) && found != header {
            return Ok((0, Vec::new()));
        }
        if !found.starts_with(&header) {
            return Err(self.mismatch(TableMismatch::Header { rows: R::PLURAL }));
        }
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        Ok((whole as u64, self.rows(bytes)?))
    }

    /// The rows of complete lines, the first of which is the header.
    fn rows(&self, lines: Vec<u8>) -> Result<Vec<R>, GrowingTableError> {
        let columns = R::columns();
        let expected = columns.len();
        let bytes = Bytes::new(&self.path, Box::new(Cursor::new(lines)));
        let bytes = bytes.map_err(|error| self.failed(io::Error::other(error)))?;
        let (mut records, mut cells) = (RecordReader::new(bytes, b','), TextRows::default());
        let mut rows = Vec::new();
        let mut is_header = true;
        loop {
            cells.clear(expected);
            let record = match records.read(expected, &mut cells) {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(rows),
                Err(RecordError::Io { source, .. }) => return Err(self.failed(source)),
                Err(
                    RecordError::OpenQuote { line, field: found }
                    | RecordError::TooLong { line, field: found },
                ) => return Err(self.mismatch(TableMismatch::Cells { line, found, expected })),
            };
            let (line, found) = (record.line, record.fields);
            if found != expected {
                return Err(self.mismatch(TableMismatch::Cells { line, found, expected }));
            }
            if std::mem::take(&mut is_header) {
                continue;
            }
            let text = |column| String::from_utf8_lossy(cells.cell(0, column)).into_owned();
            let texts: Vec<String> = (0..expected).map(text).collect();
            let named = NamedCells { columns: &columns, cells: &texts };
            rows.push(R::from_cells(&named).map_err(|column| {
                let text = cut(named.text(&column));
                self.mismatch(TableMismatch::Cell { line, column, text })
            })?);
        }
    }

    /// Cuts the file at `whole` and appends the header, if there is none, and the rows. Returns the
    /// new length.
    fn write(&self, file: &mut File, whole: u64, rows: &[R]) -> Result<u64, GrowingTableError> {
        let mut text = if whole == 0 { line(&R::columns()) } else { String::new() };
        text.extend(rows.iter().map(|row| line(&row.cells())));
        // One write: a killed process leaves complete lines, except perhaps the last.
        let written = file
            .set_len(whole)
            .and_then(|()| file.write_all(text.as_bytes()))
            .and_then(|()| file.sync_data());
        if let Err(source) = written {
            // A full disk may have taken part of them.
            file.set_len(whole).ok();
            return Err(self.failed(source));
        }
        Ok(whole + text.len() as u64)
    }

    fn mismatch(&self, what: TableMismatch) -> GrowingTableError {
        GrowingTableError::Mismatch { path: self.path.clone(), what }
    }

    fn failed(&self, source: io::Error) -> GrowingTableError {
        GrowingTableError::File { path: self.path.clone(), source }
    }
}

/// A line of CSV with its line ending.
fn line(cells: &[String]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let written = writer.write_record(cells).is_ok().then(|| writer.into_inner().ok()).flatten();
    String::from_utf8(written.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[derive(Clone, PartialEq, Debug)]
    struct Animal {
        name: String,
        weight: f64,
    }

    impl GrowingRow for Animal {
        const PLURAL: &'static str = "animals";

        fn columns() -> Vec<String> {
            vec!["name".into(), "weight".into()]
        }

        fn cells(&self) -> Vec<String> {
            vec![self.name.clone(), self.weight.to_string()]
        }

        fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
            let name = cells.text("name").to_owned();
            Ok(Self { name, weight: cells.needed_number("weight")? })
        }
    }

    fn animal(name: &str, weight: f64) -> Animal {
        Animal { name: name.into(), weight }
    }

    struct Scene(tempfile::TempDir);

    impl Scene {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("animals.csv")
        }

        fn shared(&self) -> GrowingTable<Animal> {
            GrowingTable::shared(&self.path())
        }

        fn text(&self) -> String {
            std::fs::read_to_string(self.path()).unwrap()
        }

        fn put(&self, text: &str) {
            std::fs::write(self.path(), text).unwrap();
        }
    }

    #[test]
    fn rows_are_read_back_unchanged() {
        let scene = Scene::new();
        let rows = [animal("cat, \"big\"", 4.5), animal("dog", 30.0)];
        assert_eq!(scene.shared().read().unwrap(), []);
        let (mut table, before) = GrowingTable::open(&scene.path()).unwrap();
        assert_eq!(before, []);
        assert_eq!(scene.text(), "name,weight\n");
        table.append(&rows[..1]).unwrap();
        table.append(&rows[1..]).unwrap();
        assert_eq!(scene.text(), "name,weight\n\"cat, \"\"big\"\"\",4.5\ndog,30\n");
        drop(table);
        assert_eq!(GrowingTable::<Animal>::open(&scene.path()).unwrap().1, rows);
        assert_eq!(scene.shared().read().unwrap(), rows);
    }

    #[test]
    fn a_torn_last_line_is_skipped_and_cut_off() {
        let scene = Scene::new();
        let whole = "name,weight\ncat,4\n";
        for torn in
            ["", "n", "name,weight", "name,weight\n", "name,weight\nca", "name,weight\ncat,4"]
        {
            scene.put(torn);
            assert_eq!(scene.shared().read().unwrap(), [], "{torn:?}");
            assert_eq!(scene.text(), torn, "reading changes nothing");
            scene.shared().append(&[animal("cat", 4.0)]).unwrap();
            assert_eq!(scene.text(), whole, "{torn:?}");
            scene.put(torn);
            let (mut table, _) = GrowingTable::open(&scene.path()).unwrap();
            table.append(&[animal("cat", 4.0)]).unwrap();
            assert_eq!(scene.text(), whole, "{torn:?}");
        }
        scene.put("name,weight\r\ncat,4\r\nd");
        scene.shared().append(&[animal("dog", 5.0)]).unwrap();
        assert_eq!(scene.text(), "name,weight\r\ncat,4\r\ndog,5\n");
    }

    #[test]
    fn other_files_are_rejected_and_left_alone() {
        let scene = Scene::new();
        for (text, message) in [
            ("name\ncat\n", "not a table of animals: unexpected header"),
            ("nonsense", "not a table of animals: unexpected header"),
            ("name,weight\ncat,4\ndog\n", "line 3 has 1 cells instead of 2"),
            ("name,weight\n\ncat,4,5\n", "line 3 has 3 cells instead of 2"),
            ("name,weight\ncat,heavy\n", "line 2: `heavy` is not a valid value of `weight`"),
            ("name,weight\ncat,inf\n", "line 2: `inf` is not a valid value of `weight`"),
            ("name,weight\n\"cat,4\ndog,5\n", "line 2 has 1 cells instead of 2"),
        ] {
            scene.put(text);
            let message_shown = scene.shared().read().unwrap_err().to_string();
            assert!(message_shown.ends_with(message), "{message_shown}");
            assert!(scene.shared().append(&[animal("cow", 500.0)]).is_err());
            assert!(GrowingTable::<Animal>::open(&scene.path()).is_err());
            assert_eq!(scene.text(), text);
        }
        let folder = GrowingTable::<Animal>::open(scene.0.path()).unwrap_err();
        assert!(folder.to_string().ends_with("not a file"), "{folder}");
    }

    #[test]
    fn an_open_table_is_locked() {
        let scene = Scene::new();
        let (table, _) = GrowingTable::<Animal>::open(&scene.path()).unwrap();
        let second = GrowingTable::<Animal>::open(&scene.path()).unwrap_err();
        assert!(matches!(second, GrowingTableError::InUse { .. }), "{second}");
        drop(table);
        assert!(GrowingTable::<Animal>::open(&scene.path()).is_ok());
    }

    #[test]
    fn many_writers_lose_nothing() {
        let scene = Scene::new();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let mut table = scene.shared();
                scope.spawn(move || {
                    for at in 0..10 {
                        table.append(&[animal("cat", f64::from(writer * 10 + at))]).unwrap();
                    }
                });
            }
        });
        let mut weights: Vec<f64> =
            scene.shared().read().unwrap().iter().map(|one| one.weight).collect();
        weights.sort_by(f64::total_cmp);
        assert_eq!(weights, (0..80).map(f64::from).collect::<Vec<_>>());
    }
}

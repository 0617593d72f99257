//! Tables on disk that grow row by row: the trials of tuning, the results of a reproduction.
//!
//! They are CSV. A row is written in one call and synced to disk, so a killed process leaves
//! complete lines, except perhaps the last: readers skip it, the next writer cuts it off. Every
//! other deviation is an error, and the file stays as it was.

mod error;
mod row;
#[cfg(test)]
mod tests;

pub use error::{GrowingTableError, TableMismatch};
pub use row::{GrowingRow, NamedCells};

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::input::{Bytes, cut};
use crate::table::records::{RecordError, RecordReader};
use crate::table::text_rows::TextRows;

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

//! Standard output, whose reader may leave before everything is written: `rulebound … | head`.
//!
//! If this process is writing other files, they are what counts from then on, and what goes to standard
//! output is dropped. If not, the writer gets the error, so that it can stop.

use std::io::{self, ErrorKind, Stdout, Write};

use super::temporary::is_any_open;

#[derive(Debug)]
pub(super) struct StandardOutput {
    stdout: Stdout,
    reader_left: bool,
}

impl StandardOutput {
    pub fn new() -> Self {
        Self { stdout: io::stdout(), reader_left: false }
    }

    /// The result of an operation, or `instead` once the reader has left while other files are written.
    fn unless_left<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe && is_any_open() => {
                self.reader_left = true;
                Ok(instead)
            }
            result => result,
        }
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.reader_left {
            return Ok(bytes.len());
        }
        let written = self.stdout.write(bytes);
        self.unless_left(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.reader_left {
            return Ok(());
        }
        let flushed = self.stdout.flush();
        self.unless_left(flushed, ())
    }
}

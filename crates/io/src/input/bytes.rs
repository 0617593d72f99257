//! The bytes of a file or of standard input, decompressed while they are read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::error::InputError;
use super::limit::{UNPACKED, limit};
use super::path::{is_gzip, is_standard};

const BUFFER: usize = 1 << 18;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const BOM: [u8; 3] = *b"\xef\xbb\xbf";

type Stream = Box<dyn Read + Send>;

static READ: AtomicU64 = AtomicU64::new(0);

/// How many bytes of files this process has read so far, for those who show that it does.
pub fn bytes_read() -> u64 {
    READ.load(Ordering::Relaxed)
}

/// A file whose bytes are counted.
struct Counted(File);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        READ.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// The decompressed bytes of a file, without a byte order mark.
pub struct Bytes {
    path: PathBuf,
    gzip: bool,
    /// The first bytes, fewer if the file is shorter.
    start: [u8; 4],
    stream: BufReader<Stream>,
}

impl Bytes {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        match is_standard(path) {
            true => Self::new(path, Box::new(io::stdin())),
            false => Self::new(path, Box::new(Counted(open(path)?))),
        }
    }

    /// Bytes from any stream; errors refer to them as `path`.
    pub fn new(path: &Path, stream: Stream) -> Result<Self, InputError> {
        let (gzip, mut stream) = unpacked(path, stream)?;
        let mut first = start(&mut stream, 4).map_err(|error| failed(path, gzip, 0, error))?;
        if first.starts_with(&BOM) {
            first.drain(..BOM.len());
        }
        let mut start = [0; 4];
        start[..first.len()].copy_from_slice(&first);
        let whole: Stream = Box::new(Cursor::new(first).chain(stream));
        let stream = BufReader::with_capacity(BUFFER, whole);
        Ok(Self { path: path.to_path_buf(), gzip, start, stream })
    }

    /// Whether the data begins with these bytes (at most four), to recognize a file type.
    pub fn begins_with(&self, bytes: &[u8]) -> bool {
        self.start.starts_with(bytes)
    }

    /// The first lines, with their line ends, which are read again afterwards; fewer if the data ends, and
    /// not more than `most` bytes. Only for data of which nothing was read.
    pub(crate) fn first_lines(&mut self, lines: usize, most: u64) -> io::Result<Vec<u8>> {
        let mut first = Vec::new();
        for _ in 0..lines {
            let rest = most.saturating_sub(first.len() as u64);
            self.stream.by_ref().take(rest).read_until(b'\n', &mut first)?;
        }
        let rest = std::mem::replace(&mut self.stream, BufReader::new(Box::new(io::empty())));
        let whole: Stream = Box::new(Cursor::new(first.clone()).chain(rest));
        self.stream = BufReader::with_capacity(BUFFER, whole);
        Ok(first)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error for a failed read; `line` is the last line that was read completely, or 0.
    pub fn failed(&self, line: u64, source: io::Error) -> InputError {
        failed(&self.path, self.gzip, line, source)
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl BufRead for Bytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.stream.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.stream.consume(amount);
    }
}

/// The decompressed bytes as a seekable file; compressed ones go to an anonymous temporary file.
pub fn open_file(path: &Path) -> Result<File, InputError> {
    let mut file = open(path)?;
    let rewound = |error| failed(path, false, 0, error);
    let again = file.try_clone().map_err(rewound)?;
    let (gzip, mut stream) = unpacked(path, Box::new(again))?;
    if !gzip {
        file.rewind().map_err(rewound)?;
        return Ok(file);
    }
    let unpack = |source| InputError::Unpack { path: path.to_path_buf(), source };
    let mut whole = tempfile::tempfile().map_err(unpack)?;
    let limit = limit(path, UNPACKED)?;
    match io::copy(&mut stream.by_ref().take(limit.saturating_add(1)), &mut whole) {
        Ok(bytes) if bytes > limit => {
            return Err(InputError::FileTooLong { path: path.to_path_buf(), limit });
        }
        Ok(_) => {}
        Err(source) if is_damage(&source) => return Err(failed(path, true, 0, source)),
        Err(source) => return Err(unpack(source)),
    }
    whole.rewind().map_err(unpack)?;
    Ok(whole)
}

fn open(path: &Path) -> Result<File, InputError> {
    File::open(path).map_err(|source| InputError::Open { path: path.to_path_buf(), source })
}

/// The stream, behind a decoder if it is compressed, and whether it is.
fn unpacked(path: &Path, mut stream: Stream) -> Result<(bool, Stream), InputError> {
    let start = start(&mut stream, GZIP.len()).map_err(|error| failed(path, false, 0, error))?;
    let gzip = is_gzip(path) || start == GZIP;
    let whole = Cursor::new(start).chain(stream);
    Ok((gzip, if gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) }))
}

/// The first bytes, fewer if the file is shorter.
fn start(stream: &mut Stream, length: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(length);
    stream.by_ref().take(length as u64).read_to_end(&mut start)?;
    Ok(start)
}

fn failed(path: &Path, gzip: bool, line: u64, source: io::Error) -> InputError {
    let path = path.to_path_buf();
    if gzip && is_damage(&source) {
        return InputError::Gzip { path, line, source };
    }
    InputError::Read { path, line, source }
}

/// Whether the decoder failed, not the operating system.
fn is_damage(error: &io::Error) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | InvalidData | InvalidInput)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(path: &str, bytes: &[u8]) -> Vec<u8> {
        let stream = Box::new(Cursor::new(bytes.to_vec()));
        let mut read = Vec::new();
        Bytes::new(path.as_ref(), stream).unwrap().read_to_end(&mut read).unwrap();
        read
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn gzip_is_recognized_by_name_or_by_its_first_bytes() {
        let packed = gzip(b"a -> b");
        assert_eq!(read("r.rules.gz", &packed), b"a -> b");
        assert_eq!(read("r.rules", &packed), b"a -> b");
        // Two concatenated gzip members are one file.
        assert_eq!(read("-", &[packed.clone(), packed].concat()), b"a -> ba -> b");
    }

    #[test]
    fn one_byte_order_mark_is_skipped() {
        assert_eq!(read("a", "\u{feff}x".as_bytes()), b"x");
        assert_eq!(read("a", &gzip("\u{feff}x".as_bytes())), b"x");
        assert_eq!(read("a", "\u{feff}\u{feff}".as_bytes()), "\u{feff}".as_bytes());
        assert_eq!(read("a", b"\xef\xbb"), b"\xef\xbb");
        assert_eq!(read("a", b""), b"");
    }
}

//! A growing array in a temporary file without a name, read and written through a memory mapping.
//!
//! Invariants: the file is reserved up to the end of the mapping, so that there is room for every write; nobody else has
//! the file, so that it is never cut short while it is mapped.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::MmapMut;

use super::StorageError;

/// The bytes of each array in a file that are touched before the process lets go of their pages.
pub const RESIDENT: usize = 64 << 20;

/// The file grows by at least this many bytes, and at most by [`RESIDENT`].
const STEP: usize = 1 << 20;

/// Reading a few bytes brings in a page.
const PAGE: usize = 4096;

/// A number that may be kept in a file: any bytes are one of its values, all of them 0 its default.
pub trait DiskNumber: private::Sealed + Copy + Default + Send + Sync + std::fmt::Debug {}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for usize {}
}

impl DiskNumber for f32 {}
impl DiskNumber for u32 {}
impl DiskNumber for usize {}

/// Numbers in a file.
#[derive(Debug)]
pub(super) struct DiskVec<T: DiskNumber> {
    folder: PathBuf,
    file: File,
    /// None as long as the file is empty: an empty file cannot be mapped everywhere.
    map: Option<MmapMut>,
    length: usize,
    /// Bytes read and written since pages were let go.
    touched: AtomicUsize,
    numbers: PhantomData<T>,
}

impl<T: DiskNumber> DiskVec<T> {
    pub fn new(folder: &Path) -> Result<Self, StorageError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| {
            let (folder, reason) = (folder.to_owned(), error.to_string());
            StorageError::Create { folder, reason }
        })?;
        let folder = folder.to_owned();
        let touched = AtomicUsize::new(0);
        Ok(Self { folder, file, map: None, length: 0, touched, numbers: PhantomData })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All numbers.
    pub fn numbers(&self) -> &[T] {
        let Some(map) = &self.map else { return &[] };
        debug_assert!(self.length * size_of::<T>() <= map.len());
        // SAFETY: the mapping begins at a page, so it is aligned; it has at least as many bytes, all of them
        // written or 0, and any bytes are a number (`DiskNumber` is sealed). The file is ours alone, and
        // it changes only through `&mut self`.
        unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), self.length) }
    }

    pub fn numbers_mut(&mut self) -> &mut [T] {
        let Some(map) = &mut self.map else { return &mut [] };
        debug_assert!(self.length * size_of::<T>() <= map.len());
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr().cast(), self.length) }
    }

    /// Some of the numbers; now and then all pages are let go.
    #[inline]
    pub fn part(&self, range: Range<usize>) -> &[T] {
        self.touch(range.len(), PAGE);
        &self.numbers()[range]
    }

    /// Counts numbers that are about to be read or written, as at least so many bytes.
    #[inline]
    fn touch(&self, count: usize, least: usize) {
        let bytes = (count * size_of::<T>()).max(least);
        if self.touched.fetch_add(bytes, Ordering::Relaxed) >= RESIDENT {
            self.touched.store(0, Ordering::Relaxed);
            self.let_go();
        }
    }

    /// Makes room for more numbers.
    pub fn reserve(&mut self, more: usize) -> Result<(), StorageError> {
        let room = self.map.as_ref().map_or(0, |map| map.len());
        let refused = |bytes: usize, error: io::Error| {
            let (folder, bytes, reason) = (self.folder.clone(), bytes as u64, error.to_string());
            StorageError::Disk { folder, bytes, reason }
        };
        let wanted =
            self.length.checked_add(more).and_then(|count| count.checked_mul(size_of::<T>()));
        let Some(wanted) = wanted.filter(|&wanted| wanted <= isize::MAX as usize) else {
            return Err(refused(usize::MAX, io::ErrorKind::FileTooLarge.into()));
        };
        if wanted <= room {
            return Ok(());
        }
        let bytes = (room + room.clamp(STEP, RESIDENT)).max(wanted).next_multiple_of(STEP);
        self.map = Some(grown(&self.file, room, bytes).map_err(|error| refused(bytes, error))?);
        self.touched.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Adds zeros for which there is room.
    pub fn extend_zeroed(&mut self, more: usize) -> &mut [T] {
        let start = self.length;
        let room = self.map.as_ref().map_or(0, |map| map.len());
        assert!(more <= room / size_of::<T>() - start, "room was made before");
        self.length = start + more;
        // One number after the other: they share pages.
        self.touch(more, 0);
        let added = &mut self.numbers_mut()[start..];
        // Numbers may have been removed from there.
        added.fill(T::default());
        added
    }

    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Lets go of the pages that the process holds; they are in the file, and come back when they are read.
    pub fn let_go(&self) {
        #[cfg(target_os = "linux")]
        if let Some(map) = &self.map {
            // SAFETY: the mapping is shared with its file, so no content is lost, and reading it anew gives the
            // same numbers.
            let advised = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
            // Without it more memory stays mapped, nothing else.
            advised.ok();
        }
    }
}

/// A mapping of a file that has `room` bytes and shall have `bytes`. The old mapping goes, and with it what the process
/// held of the file.
fn grown(file: &File, room: usize, bytes: usize) -> io::Result<MmapMut> {
    allocate(file, room as u64, bytes as u64)?;
    // SAFETY: the file has no name and was never given away, so nobody else changes it or cuts it short.
    unsafe { MmapMut::map_mut(file) }
}

/// Reserves the bytes of the file from `from` to `to`, so that there is room for what is written to them.
#[cfg(target_os = "linux")]
fn allocate(file: &File, from: u64, to: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let (start, bytes) =
        (i64::try_from(from).map_err(too_large)?, i64::try_from(to - from).map_err(too_large)?);
    loop {
        // SAFETY: the descriptor is open as long as `file` is borrowed.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), start, bytes) } {
            0 => return Ok(()),
            // A signal, which somebody else waits for.
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Reserves the bytes of the file from `from` to `to`, so that there is room for what is written to them.
#[cfg(not(target_os = "linux"))]
fn allocate(file: &File, from: u64, to: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = file;
    file.seek(SeekFrom::Start(from))?;
    let zeros = vec![0; STEP];
    let mut left = to - from;
    while left > 0 {
        let part = left.min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        left -= part;
    }
    file.flush()
}

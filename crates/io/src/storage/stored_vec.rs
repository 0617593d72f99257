//! An array of numbers, in memory or in a file.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::disk_vec::{DiskNumber, DiskVec};
use super::{Storage, StorageError};

/// Numbers that are read as a slice, wherever they are kept.
///
/// A copy of numbers in a file shares the file.
#[derive(Clone, Debug)]
pub struct StoredVec<T: DiskNumber>(Place<T>);

#[derive(Clone, Debug)]
enum Place<T: DiskNumber> {
    Memory(Vec<T>),
    Disk(Arc<DiskVec<T>>),
}

impl<T: DiskNumber> StoredVec<T> {
    /// No numbers yet, to be kept there.
    ///
    /// # Errors
    /// If the temporary file cannot be made.
    pub fn new(storage: &Storage) -> Result<Self, StorageError> {
        Ok(Self(match storage {
            Storage::Memory => Place::Memory(Vec::new()),
            Storage::Disk(folder) => Place::Disk(Arc::new(DiskVec::new(folder)?)),
        }))
    }

    /// Where they are kept.
    pub fn storage(&self) -> Storage {
        match &self.0 {
            Place::Memory(_) => Storage::Memory,
            Place::Disk(disk) => Storage::Disk(disk.folder().to_owned()),
        }
    }

    /// Makes room for more numbers.
    ///
    /// # Errors
    /// If there is no more memory, or no room on the disk.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), StorageError> {
        match self.own() {
            Own::Memory(numbers) => numbers.try_reserve(more).map_err(|_| StorageError::Memory {
                bytes: (numbers.len() as u64 + more as u64).saturating_mul(size_of::<T>() as u64),
            }),
            Own::Disk(disk) => disk.reserve(more),
        }
    }

    /// Adds a number.
    ///
    /// # Errors
    /// As [`try_reserve`](Self::try_reserve).
    pub fn try_push(&mut self, number: T) -> Result<(), StorageError> {
        self.try_reserve(1)?;
        self.extend_zeroed(1)[0] = number;
        Ok(())
    }

    /// Adds zeros for which room was made, and returns them to be filled.
    ///
    /// # Panics
    /// If numbers are in a file, and no room was made.
    pub fn extend_zeroed(&mut self, more: usize) -> &mut [T] {
        match self.own() {
            Own::Memory(numbers) => {
                let start = numbers.len();
                numbers.resize(start + more, T::default());
                &mut numbers[start..]
            }
            Own::Disk(disk) => disk.extend_zeroed(more),
        }
    }

    /// The numbers, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self.own() {
            Own::Memory(numbers) => numbers,
            Own::Disk(disk) => disk.numbers_mut(),
        }
    }

    /// Keeps only the first numbers.
    pub fn truncate(&mut self, length: usize) {
        match self.own() {
            Own::Memory(numbers) => numbers.truncate(length),
            Own::Disk(disk) => disk.truncate(length),
        }
    }

    /// Lets go of the pages of a file; see [`RESIDENT`](super::RESIDENT).
    pub fn let_go(&self) {
        if let Place::Disk(disk) = &self.0 {
            disk.let_go();
        }
    }

    /// Gives back memory that is held for more numbers.
    pub fn shrink_to_fit(&mut self) {
        if let Place::Memory(numbers) = &mut self.0 {
            numbers.shrink_to_fit();
        }
    }

    /// Some of the numbers, read as rows are: see [`RESIDENT`](super::RESIDENT).
    ///
    /// # Panics
    /// If there are not as many.
    #[inline]
    pub fn part(&self, range: Range<usize>) -> &[T] {
        match &self.0 {
            Place::Memory(numbers) => &numbers[range],
            Place::Disk(disk) => disk.part(range),
        }
    }

    /// The numbers, its own. Numbers that others have too are copied to memory first: data sets change only while they
    /// are built, when nobody else has them.
    fn own(&mut self) -> Own<'_, T> {
        if let Place::Disk(disk) = &mut self.0
            && Arc::get_mut(disk).is_none()
        {
            self.0 = Place::Memory(disk.numbers().to_vec());
        }
        match &mut self.0 {
            Place::Memory(numbers) => Own::Memory(numbers),
            Place::Disk(disk) => match Arc::get_mut(disk) {
                Some(disk) => Own::Disk(disk),
                None => unreachable!("nobody else has it"),
            },
        }
    }
}

/// Numbers that nobody else has.
enum Own<'a, T: DiskNumber> {
    Memory(&'a mut Vec<T>),
    Disk(&'a mut DiskVec<T>),
}

impl<T: DiskNumber> Default for StoredVec<T> {
    fn default() -> Self {
        Self(Place::Memory(Vec::new()))
    }
}

impl<T: DiskNumber> From<Vec<T>> for StoredVec<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(Place::Memory(numbers))
    }
}

impl<T: DiskNumber> Deref for StoredVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Memory(numbers) => numbers,
            Place::Disk(disk) => disk.numbers(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(storage: &Storage, count: u32) -> StoredVec<u32> {
        let mut numbers = StoredVec::new(storage).unwrap();
        (0..count).for_each(|number| numbers.try_push(number).unwrap());
        numbers
    }

    #[test]
    fn numbers_in_a_file_are_those_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::Disk(folder.path().to_owned());
        for count in [0, 1, 5_000, 700_000] {
            let (mut on_disk, mut in_memory) =
                (filled(&storage, count), filled(&Storage::Memory, count));
            assert_eq!(on_disk[..], in_memory[..]);
            assert_eq!(
                (on_disk.storage(), in_memory.storage()),
                (storage.clone(), Storage::Memory)
            );
            let middle = count as usize / 3..count as usize / 2;
            assert_eq!(on_disk.part(middle.clone()), in_memory.part(middle));
            for numbers in [&mut on_disk, &mut in_memory] {
                numbers.as_mut_slice().reverse();
                numbers.truncate(count as usize * 2 / 3);
                numbers.try_push(7).unwrap();
            }
            assert_eq!(on_disk[..], in_memory[..]);
        }
        // The files have no names.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_copy_shares_the_file_until_one_changes() {
        let folder = tempfile::tempdir().unwrap();
        let numbers = filled(&Storage::Disk(folder.path().to_owned()), 100);
        let mut copy = numbers.clone();
        assert_eq!(copy.as_ptr(), numbers.as_ptr());
        copy.try_push(5).unwrap();
        assert_eq!((copy.len(), numbers.len()), (101, 100));
        assert_eq!(copy[..100], numbers[..]);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let folder = tempfile::tempdir().unwrap().path().join("gone");
        let error = StoredVec::<f32>::new(&Storage::Disk(folder)).unwrap_err();
        assert!(error.to_string().starts_with("cannot make a temporary file in "), "{error}");
    }
}

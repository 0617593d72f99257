//! An output is whole or absent.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use super::{Existing, OutputError, OutputFile, report_size_limits};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn appears_only_when_committed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.txt");
    let mut file = OutputFile::create(&target).unwrap();
    file.write_all(b"new").unwrap();
    file.flush().unwrap();
    assert!(!target.exists());
    file.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[test]
fn dropped_leaves_the_target_and_the_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.txt");
    fs::write(&target, "old").unwrap();
    let mut file = OutputFile::create(&target).unwrap();
    file.write_all(b"new").unwrap();
    drop(file);
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[test]
fn gz_is_a_complete_stream() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.txt.GZ");
    let mut file = OutputFile::create(&target).unwrap();
    file.write_all(b"packed").unwrap();
    file.commit().unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(&target).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "packed");
}

/// The file that appears after the test and before the end is somebody else's finished work.
#[test]
fn a_file_that_is_kept_stays_whenever_it_appears() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.txt");
    let file = OutputFile::create_as(&target, Existing::Keep).unwrap();
    fs::write(&target, "theirs").unwrap();
    assert!(matches!(file.commit().unwrap_err(), OutputError::Exists { .. }));
    let error = OutputFile::create_as(&target, Existing::Keep).unwrap_err();
    assert!(matches!(error, OutputError::Exists { .. }));
    assert_eq!(fs::read(&target).unwrap(), b"theirs");
    assert_eq!(names(folder.path()), ["a.txt"]);
    fs::remove_file(&target).unwrap();
    OutputFile::create_as(&target, Existing::Keep).unwrap().commit().unwrap();
    assert_eq!(names(folder.path()), ["a.txt"]);
}

/// Of many writers that begin at once exactly one has its file there.
#[test]
fn one_of_many_writers_wins() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..50 {
        let target = folder.path().join(format!("{round}.txt"));
        let start = std::sync::Barrier::new(4);
        let won: Vec<u8> = std::thread::scope(|scope| {
            let writer = |name: u8| {
                let (start, target) = (&start, &target);
                scope.spawn(move || {
                    start.wait();
                    let mut file = OutputFile::create_as(target, Existing::Keep).ok()?;
                    file.write_all(&[name]).unwrap();
                    file.commit().ok().map(|()| name)
                })
            };
            let threads: Vec<_> = (0..4).map(writer).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1, "{won:?}");
        assert_eq!(fs::read(&target).unwrap(), won);
    }
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no");
    match OutputFile::create(&missing.join("a.txt")).unwrap_err() {
        OutputError::NoFolder { path, folder } => {
            assert_eq!(folder, missing);
            assert_eq!(path, missing.join("a.txt"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_is_not_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = OutputFile::create(folder.path()).unwrap_err();
    assert!(matches!(error, OutputError::IsFolder { .. }));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_has_the_default_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let (usual, ours) = (folder.path().join("usual"), folder.path().join("ours"));
        fs::write(&usual, "").unwrap();
        OutputFile::create(&ours).unwrap().commit().unwrap();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("private");
        fs::write(&target, "").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        OutputFile::create(&target).unwrap().commit().unwrap();
        assert_eq!(mode(&target), 0o600);
    }

    #[test]
    fn a_read_only_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("fixed");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
        let error = OutputFile::create(&target).unwrap_err();
        assert!(matches!(error, OutputError::ReadOnly { .. }));
    }

    #[test]
    fn a_link_keeps_pointing() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        symlink(&real, &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return;
        }
        let mut file = OutputFile::create(full).unwrap();
        file.write_all(b"no room").unwrap();
        let error = file.commit().unwrap_err();
        assert!(matches!(error, OutputError::Write { .. }));
    }
}

/// The signal of a file that grew too large does not end the process; it would, without the call.
#[cfg(unix)]
#[test]
fn a_size_limit_is_not_the_end_of_the_process() {
    report_size_limits();
    let own = std::process::id().to_string();
    let sent = std::process::Command::new("kill").args(["-XFSZ", &own]).status().unwrap();
    assert!(sent.success());
}

//! Any bytes as an svmlight file: reading never panics, every mistake has a line of the file, and a
//! data set that was read is the same after it was written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::dataset::{ConvertFormat, DatasetError, ReadOptions, Source, convert};

/// A row may name any feature; what is read has all of them, so a few bytes can be a large table.
const MOST_CELLS: usize = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data.svm");
    std::fs::write(&path, data).expect("written");
    match Source::Path(path).read(&ReadOptions::default()) {
        Ok(read) if read.rows() * read.columns().len() <= MOST_CELLS => {
            let out = folder.path().join("out");
            convert(&read, ConvertFormat::Csv, &out).expect("converted");
            let again = Source::Path(out).read(&ReadOptions::default()).expect("read back");
            assert!(again == read);
        }
        Ok(_) => {}
        Err(error) => {
            let _ = error.to_string();
            if let DatasetError::Broken { mistakes, .. } = error {
                let lines = data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
                let is_inside = |line: u64| (1..=lines as u64).contains(&line);
                assert!(mistakes.kept().iter().all(|mistake| is_inside(mistake.line)));
            }
        }
    }
});

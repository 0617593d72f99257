//! A file of NumPy behind its first six bytes: reading never panics, and what is read is as many numbers as the header says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound_io::scores::{ScoreBatch, ScoreKind, ScoreReader};

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = ["a".to_owned(), "b".to_owned()];
    for (name, start) in [("a.npy", &b"\x93NUMPY"[..]), ("a.npz", b"")] {
        let path = folder.path().join(name);
        std::fs::write(&path, [start, data].concat()).expect("written");
        let opened =
            ScoreReader::open_named(&path, ScoreKind::Logit, &classes, None, Some(&classes));
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                // Nothing of a file is repeated at length.
                assert!(error.to_string().len() < 4000);
                continue;
            }
        };
        let mut batch = ScoreBatch::default();
        for _ in 0..100 {
            match reader.read(&mut batch) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    assert!(error.to_string().len() < 8000);
                    break;
                }
            }
        }
    }
});

//! A table of results: the header is made here, so that what is tried is the cells. Reading never panics,
//! and a table that was read can be compared or says why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound_compare::{Comparison, Missing, Request, ResultTable};

fuzz_target!(|data: &[u8]| {
    let [first, body @ ..] = data else { return };
    let header: &[u8] = match first & 3 {
        0 => b"dataset,method,seed,auprc\n",
        1 => b"set,first,second\n",
        2 => b"target,dataset,method,seed,auprc,hamming_loss\n",
        _ => b"",
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("results.csv");
    std::fs::write(&path, [header, body].concat()).expect("written");
    let mut table = ResultTable::default();
    match table.read(&path, None) {
        Ok(()) => {
            if let Ok(scores) = table.choose(None) {
                let request = Request { direction: None, against: None, alpha: 0.05, missing: Missing::LeaveOut };
                let _ = Comparison::new(&scores, &request).map_err(|error| error.to_string());
            }
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

//! A model file whose checksum and length are right, whatever else is wrong: the first line is its
//! header after the checksum, the rest its tensors. Reading never panics, and a model that was read gives the
//! same bytes whenever it is saved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::model::Model;
use sha2::{Digest, Sha256};

const HEAD: &str = "{\"__metadata__\":{\"checksum\":\"";
const DIGITS: usize = 64;

/// What follows the checksum since format 2.
const LENGTH: &str = ",\"length\":\"";
const LENGTH_DIGITS: usize = 20;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (header, tensors) = (&data[..end], data.get(end + 1..).unwrap_or(&[]));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [given, first, second] =
        ["given", "first", "second"].map(|name| folder.path().join(name).with_extension("rulebound"));
    std::fs::write(&given, file(header, tensors)).expect("written");
    match Model::load(&given) {
        Ok(model) => {
            model.save(&first).expect("saved");
            Model::load(&first).expect("what was saved can be read").save(&second).expect("saved");
            let bytes = |path| std::fs::read(path).expect("read");
            assert!(bytes(&first) == bytes(&second));
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

/// A file with its lengths and its checksum.
fn file(header: &[u8], tensors: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 8];
    file.extend(HEAD.as_bytes());
    let digits = file.len()..file.len() + DIGITS;
    file.extend([b'0'; DIGITS]);
    file.push(b'"');
    let place = file.len() + LENGTH.len()..file.len() + LENGTH.len() + LENGTH_DIGITS;
    file.extend(header);
    let length = file.len() as u64 - 8;
    file[..8].copy_from_slice(&length.to_le_bytes());
    file.extend(tensors);
    if header.starts_with(LENGTH.as_bytes()) && header.len() >= LENGTH.len() + LENGTH_DIGITS {
        let whole = format!("{:0LENGTH_DIGITS$}", file.len());
        file[place].copy_from_slice(whole.as_bytes());
    }
    let sum: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
    file[digits].copy_from_slice(sum.as_bytes());
    file
}

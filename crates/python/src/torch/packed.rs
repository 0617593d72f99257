//! Rules as the words of a tensor.
//!
//! ```text
//! magic, version, number of words of the schedule, of the program | schedule | program
//! ```
//!
//! The schedule is what the kernels of a GPU read where it lies, so it starts at a multiple of 16 bytes.
//! The program is what everything is made from again in another process. The key, 63 bits of the SHA-256 of
//! all words, is how a call names them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rulebound::cuda::tensors::RuleWords;
use rulebound_core::Program;
use sha2::{Digest, Sha256};

use super::error::TensorError;
use crate::program::PyProgram;

/// `RBTR`, read as a little-endian word.
const MAGIC: u32 = u32::from_le_bytes(*b"RBTR");
const VERSION: u32 = 1;
/// Words before the schedule.
pub(super) const HEADER: usize = 4;

/// The words of a program.
fn pack(program: &Program) -> Vec<u32> {
    let rules = RuleWords::new(program);
    let bytes = program.to_bytes();
    let (schedule, words) = (rules.words(), bytes.len() / 4);
    let mut packed = vec![MAGIC, VERSION, schedule.len() as u32, words as u32];
    packed.extend(schedule);
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
    packed.extend(bytes.chunks(4).map(word));
    packed
}

/// The key of words.
pub(super) fn key_of(words: &[u32]) -> i64 {
    let mut hash = Sha256::new();
    words.iter().for_each(|word| hash.update(word.to_le_bytes()));
    let digest = hash.finalize();
    let first = digest.iter().take(8).fold(0u64, |key, &byte| key << 8 | u64::from(byte));
    (first >> 1) as i64
}

/// The program of words.
pub(super) fn unpack(words: &[u32]) -> Result<(Program, RuleWords), TensorError> {
    let damaged = || {
        let message =
            "the tensor of rules is damaged: it is not what `ConstraintLayer` made of its rules";
        TensorError::Shape(message.to_owned())
    };
    let (header, rest) = words.split_at_checked(HEADER).ok_or_else(damaged)?;
    if header[0] != MAGIC {
        return Err(damaged());
    }
    if header[1] != VERSION {
        let found = header[1];
        return Err(TensorError::Shape(format!(
            "a tensor of rules of version {found}, but the one known here is {VERSION}; make the layer again"
        )));
    }
    let (schedule, program) = rest.split_at_checked(header[2] as usize).ok_or_else(damaged)?;
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = Program::from_bytes(&bytes);
    let program = program.map_err(|error| TensorError::Shape(error.to_string()))?;
    let rules = RuleWords::new(&program);
    // Kernels trust the schedule, so it must be the program's.
    if rules.words() != schedule { Err(damaged()) } else { Ok((program, rules)) }
}

/// The words of a program as bytes, and their key.
#[pyfunction]
pub fn tensor_rules<'py>(py: Python<'py>, program: &PyProgram) -> (Bound<'py, PyBytes>, i64) {
    let words = pack(&program.program);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    (PyBytes::new(py, &bytes), key_of(&words))
}

//! Rules that were compiled once, by key.
//!
//! A call never waits for a lock: where one cannot be had at once, because another thread holds it or held
//! it when the process was forked, the rules are compiled again, or the memory is allocated anew.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, RwLock};

use pyo3::prelude::*;
use rulebound::cuda::tensors::RuleWords;
use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, LayerWorkspace, LossWorkspace, Program, Reduction,
    Thresholds,
};

use super::error::TensorError;
use super::packed::{key_of, unpack};
use super::workspaces::Workspaces;
use crate::program::PyProgram;

/// Sets of rules that are kept.
const KEPT: usize = 64;
/// Choices of evaluated classes that are kept for one set of rules.
const LOSSES: usize = 8;

/// The tensor of rules, in CPU memory, and its key; without words, only what is kept is known.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    words: Option<&'a [u32]>,
    key: i64,
}

impl Packed<'_> {
    /// # Safety
    /// `address` is of so many words that nobody writes to, for as long as this value is used.
    #[allow(unsafe_code)]
    pub unsafe fn new(address: usize, words: usize, key: i64) -> Self {
        let words = if address == 0 || words == 0 {
            &[]
        } else {
            // SAFETY: the caller's promise.
            unsafe { std::slice::from_raw_parts(address as *const u32, words) }
        };
        Self { words: Some(words), key }
    }

    /// Only the key.
    pub fn known(key: i64) -> Self {
        Self { words: None, key }
    }
}

/// Everything that is made from rules.
pub struct Compiled {
    pub program: Program,
    pub layer: ConstraintLayer,
    /// For the kernels of a GPU.
    pub rules: RuleWords,
    losses: Mutex<VecDeque<(LossKey, Arc<ConstraintLoss>)>>,
    single_layer: Workspaces<LayerWorkspace<f32>>,
    double_layer: Workspaces<LayerWorkspace<f64>>,
    single_numbers: Workspaces<Vec<f32>>,
    double_numbers: Workspaces<Vec<f64>>,
    pub delegates: Workspaces<Vec<Delegate>>,
    pub single_loss: Workspaces<LossWorkspace<f32>>,
    pub double_loss: Workspaces<LossWorkspace<f64>>,
}

/// Which loss it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LossForm<'a> {
    /// The classes that have a term; all, if there are none.
    pub evaluated: &'a [bool],
    /// Whether terms are averaged.
    pub mean: bool,
}

type LossKey = (Vec<bool>, bool);

/// Workspaces of the layer, and batches of numbers.
pub type Memory<'a, F> = (&'a Workspaces<LayerWorkspace<F>>, &'a Workspaces<Vec<F>>);

static COMPILED: RwLock<VecDeque<(i64, Arc<Compiled>)>> = RwLock::new(VecDeque::new());

impl Compiled {
    /// The rules of a tensor.
    ///
    /// # Errors
    /// If the tensor is not one of rules, or not that of the key.
    pub fn get(packed: Packed<'_>) -> Result<Arc<Self>, TensorError> {
        if let Ok(kept) = COMPILED.try_read()
            && let Some((_, compiled)) = kept.iter().find(|(key, _)| *key == packed.key)
        {
            return Ok(Arc::clone(compiled));
        }
        // Without words, the caller reads the tensor from the GPU, and calls again.
        let words = packed.words.ok_or(TensorError::UnknownRules)?;
        if key_of(words) != packed.key {
            let message =
                "the tensor of rules has been changed; make the layer again from its rules";
            return Err(TensorError::Shape(message.to_owned()));
        }
        let compiled = Arc::new(Self::new(words)?);
        if let Ok(mut kept) = COMPILED.try_write() {
            kept.truncate(KEPT - 1);
            kept.push_front((packed.key, Arc::clone(&compiled)));
        }
        Ok(compiled)
    }

    fn new(words: &[u32]) -> Result<Self, TensorError> {
        let (program, rules) = unpack(words)?;
        let thresholds = Thresholds::half(program.labels().len());
        Ok(Self {
            layer: ConstraintLayer::new(&program, thresholds),
            program,
            rules,
            losses: Mutex::default(),
            single_layer: Workspaces::default(),
            double_layer: Workspaces::default(),
            single_numbers: Workspaces::default(),
            double_numbers: Workspaces::default(),
            delegates: Workspaces::default(),
            single_loss: Workspaces::default(),
            double_loss: Workspaces::default(),
        })
    }

    /// The loss of a form.
    pub fn loss(&self, form: LossForm<'_>) -> Arc<ConstraintLoss> {
        let LossForm { evaluated, mean } = form;
        let found = |(key, _): &&(LossKey, _)| (&key.0[..], key.1) == (evaluated, mean);
        let kept = self.losses.try_lock();
        if let Ok(kept) = &kept
            && let Some((_, loss)) = kept.iter().find(found)
        {
            return Arc::clone(loss);
        }
        let reduction = if mean { Reduction::Mean } else { Reduction::Sum };
        let mut loss = ConstraintLoss::new(&self.program).reduction(reduction);
        if !evaluated.is_empty() {
            loss = loss.evaluated(evaluated.to_vec());
        }
        let loss = Arc::new(loss);
        if let Ok(mut kept) = kept {
            kept.truncate(LOSSES - 1);
            kept.push_front(((evaluated.to_vec(), mean), Arc::clone(&loss)));
        }
        loss
    }

    /// Memory for the layer in single precision, and for a batch of numbers.
    pub fn single_memory(&self) -> Memory<'_, f32> {
        (&self.single_layer, &self.single_numbers)
    }

    /// Memory for the layer in double precision, and for a batch of numbers.
    pub fn double_memory(&self) -> Memory<'_, f64> {
        (&self.double_layer, &self.double_numbers)
    }

    /// Checks the width of a tensor.
    pub fn expect_classes(&self, classes: usize) -> Result<(), TensorError> {
        let expected = self.layer.classes();
        if classes == expected {
            return Ok(());
        }
        Err(TensorError::Shape(format!(
            "the last dimension has {classes} numbers, but the rules have {expected} classes"
        )))
    }
}

/// The program of words in CPU memory.
#[pyfunction]
pub fn tensor_program(address: usize, words: usize, key: i64) -> PyResult<PyProgram> {
    // SAFETY: Python passes the address and length of a contiguous int32 tensor that it holds.
    #[allow(unsafe_code)]
    let packed = unsafe { Packed::new(address, words, key) };
    Ok(PyProgram::new(Compiled::get(packed)?.program.clone()))
}

/// Whether rules have requirements, which are settled on the CPU. `KeyError` if the rules are not known: see
/// `tensor_known`.
#[pyfunction]
pub fn tensor_settles(key: i64) -> PyResult<bool> {
    Ok(Compiled::get(Packed::known(key))?.program.has_requirements())
}

/// Makes rules known by their key, for calls whose tensor of rules is not in CPU memory.
#[pyfunction]
pub fn tensor_known(address: usize, words: usize, key: i64) -> PyResult<()> {
    // SAFETY: as above.
    #[allow(unsafe_code)]
    let packed = unsafe { Packed::new(address, words, key) };
    Compiled::get(packed)?;
    Ok(())
}

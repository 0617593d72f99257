//! The loss on tensors in CPU memory, and the logits that it selects.

use half::{bf16, f16};
use pyo3::prelude::*;
use rulebound_core::{Delegate, FloatMargin, LossWorkspace};

use super::compiled::{Compiled, LossForm, Packed};
use super::error::TensorError;
use super::numbers::{Narrow, Number, narrow, read, widen, write};
use super::workspaces::Workspaces;
use crate::threads;

/// The logits that the loss selects and their delegates, `[rows × classes]` each. Labels are bytes.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_select(
    py: Python<'_>,
    logits: usize,
    labels: usize,
    selected: usize,
    delegates: usize,
    rows: usize,
    classes: usize,
    number: u32,
    rules: usize,
    words: usize,
    key: i64,
    threads: usize,
) -> PyResult<()> {
    py.detach(|| {
        let count = rows * classes;
        // SAFETY: Python passes contiguous tensors of `rows × classes` numbers of the stated types that it
        // holds; the results were just allocated.
        #[allow(unsafe_code)]
        unsafe {
            let compiled = Compiled::get(Packed::new(rules, words, key))?;
            compiled.expect_classes(classes)?;
            let form = LossForm { evaluated: &[], mean: true };
            let labels = booleans(labels, count);
            let call = Call { compiled: &compiled, labels, threads, form };
            let who = write::<Delegate>(delegates, count);
            let (single, double) = (&compiled.single_loss, &compiled.double_loss);
            match Number::from_code(number)? {
                Number::Single => {
                    call.select(single, read::<f32>(logits, count), write(selected, count), who)
                }
                Number::Double => {
                    call.select(double, read::<f64>(logits, count), write(selected, count), who)
                }
                Number::Half => {
                    call.select_narrow(read::<f16>(logits, count), write(selected, count), who)
                }
                Number::Brain => {
                    call.select_narrow(read::<bf16>(logits, count), write(selected, count), who)
                }
            }
        }
    })
    .map_err(PyErr::from)
}

/// The loss and the number of rows whose labels break a rule. The gradient is written in `f64` for logits in
/// double precision, else in `f32`. `evaluated` is the address of a byte for every class, or 0 for all.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_loss(
    py: Python<'_>,
    logits: usize,
    labels: usize,
    gradient: usize,
    evaluated: usize,
    mean: bool,
    rows: usize,
    classes: usize,
    number: u32,
    rules: usize,
    words: usize,
    key: i64,
    threads: usize,
) -> PyResult<(f64, usize)> {
    py.detach(|| {
        let count = rows * classes;
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            let compiled = Compiled::get(Packed::new(rules, words, key))?;
            compiled.expect_classes(classes)?;
            let evaluated = if evaluated == 0 { Vec::new() } else { booleans(evaluated, classes) };
            let form = LossForm { evaluated: &evaluated, mean };
            let labels = booleans(labels, count);
            let call = Call { compiled: &compiled, labels, threads, form };
            let (single, double) = (&compiled.single_loss, &compiled.double_loss);
            match Number::from_code(number)? {
                Number::Single => {
                    call.loss(single, read::<f32>(logits, count), write(gradient, count))
                }
                Number::Double => {
                    call.loss(double, read::<f64>(logits, count), write(gradient, count))
                }
                Number::Half => {
                    let logits = widen(read::<f16>(logits, count));
                    call.loss(single, &logits, write(gradient, count))
                }
                Number::Brain => {
                    let logits = widen(read::<bf16>(logits, count));
                    call.loss(single, &logits, write(gradient, count))
                }
            }
        }
    })
    .map_err(PyErr::from)
}

/// Bytes as truth values: whatever is not 0 is true.
///
/// # Safety
/// As [`read`].
#[allow(unsafe_code)]
unsafe fn booleans(address: usize, count: usize) -> Vec<bool> {
    // SAFETY: the caller's promise.
    unsafe { read::<u8>(address, count) }.iter().map(|&byte| byte != 0).collect()
}

struct Call<'a> {
    compiled: &'a Compiled,
    labels: Vec<bool>,
    threads: usize,
    form: LossForm<'a>,
}

impl Call<'_> {
    fn select_narrow<N: Narrow>(
        &self,
        logits: &[N],
        selected: &mut [N],
        delegates: &mut [Delegate],
    ) -> Result<(), TensorError> {
        let mut wide = vec![0.0; logits.len()];
        self.select(&self.compiled.single_loss, &widen(logits), &mut wide, delegates)?;
        narrow(&wide, selected);
        Ok(())
    }

    fn select<F: FloatMargin>(
        &self,
        workspaces: &Workspaces<LossWorkspace<F>>,
        logits: &[F],
        selected: &mut [F],
        delegates: &mut [Delegate],
    ) -> Result<(), TensorError> {
        let loss = self.compiled.loss(self.form);
        threads::run_at_most(self.threads, logits.len(), |threads| {
            workspaces.with(
                threads,
                || loss.workspace_for(threads),
                |workspace| loss.select(logits, &self.labels, selected, delegates, workspace),
            )
        })?;
        Ok(())
    }

    fn loss<F: FloatMargin>(
        &self,
        workspaces: &Workspaces<LossWorkspace<F>>,
        logits: &[F],
        gradient: &mut [F],
    ) -> Result<(f64, usize), TensorError> {
        let loss = self.compiled.loss(self.form);
        let value = threads::run_at_most(self.threads, logits.len(), |threads| {
            workspaces.with(
                threads,
                || loss.workspace_for(threads),
                |workspace| loss.forward_backward(logits, &self.labels, gradient, workspace),
            )
        })?;
        Ok((value.value, value.broken_rows))
    }
}

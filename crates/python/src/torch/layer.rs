//! The layer on tensors in CPU memory.

use half::{bf16, f16};
use pyo3::prelude::*;
use rulebound_core::{Delegate, LabelId, LayerWorkspace};

use super::compiled::{Compiled, Memory, Packed};
use super::error::TensorError;
use super::numbers::{Narrow, Number, Ordered, narrow, read, widen, write};
use super::workspaces::Workspaces;
use crate::threads;

/// Coherent scores and, unless that address is 0, their delegates, `[rows × classes]` each. `probabilities` are
/// predicted above 1/2 and negated as `1 − p`, margins above 0 and as `−x`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_layer(
    py: Python<'_>,
    given: usize,
    coherent: usize,
    delegates: usize,
    rows: usize,
    classes: usize,
    number: u32,
    probabilities: bool,
    rules: usize,
    words: usize,
    key: i64,
    threads: usize,
) -> PyResult<()> {
    py.detach(|| {
        // SAFETY: Python passes contiguous tensors of `rows × classes` numbers of the stated type that it
        // holds; the results were just allocated.
        #[allow(unsafe_code)]
        unsafe {
            let compiled = Compiled::get(Packed::new(rules, words, key))?;
            compiled.expect_classes(classes)?;
            let count = rows * classes;
            let who = write::<Delegate>(delegates, if delegates == 0 { 0 } else { count });
            let call = Call { compiled: &compiled, threads, probabilities };
            match Number::from_code(number)? {
                Number::Single => {
                    let (given, coherent) = (read::<f32>(given, count), write(coherent, count));
                    call.run(compiled.single_memory(), given, coherent, who, f32::ABOVE_HALF)
                }
                Number::Double => {
                    let (given, coherent) = (read::<f64>(given, count), write(coherent, count));
                    call.run(compiled.double_memory(), given, coherent, who, f64::ABOVE_HALF)
                }
                Number::Half => call.narrow(read::<f16>(given, count), write(coherent, count), who),
                Number::Brain => {
                    call.narrow(read::<bf16>(given, count), write(coherent, count), who)
                }
            }
        }
    })
    .map_err(PyErr::from)
}

struct Call<'a> {
    compiled: &'a Compiled,
    threads: usize,
    probabilities: bool,
}

impl Call<'_> {
    /// 16-bit numbers, by way of `f32`.
    fn narrow<N: Narrow>(
        &self,
        given: &[N],
        coherent: &mut [N],
        delegates: &mut [Delegate],
    ) -> Result<(), TensorError> {
        let mut wide = widen(given);
        if !self.probabilities {
            for margin in &mut wide {
                *margin = if *margin == 0.0 { N::BELOW_ZERO } else { *margin };
            }
        }
        let mut selected = vec![0.0; wide.len()];
        self.run(self.compiled.single_memory(), &wide, &mut selected, delegates, N::ABOVE_HALF)?;
        narrow(&selected, coherent);
        Ok(())
    }

    fn run<F: Ordered>(
        &self,
        (workspaces, numbers): Memory<'_, F>,
        given: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        above_half: F,
    ) -> Result<(), TensorError> {
        if !self.probabilities || given.is_empty() {
            return self.margins(workspaces, given, coherent, delegates);
        }
        // Without a branch, so that it is vector code.
        if given.iter().fold(false, |wrong, score| wrong | !score.is_probability()) {
            return Err(self.not_a_probability(given));
        }
        if delegates.is_empty() {
            // The rest is decided by them.
            return self.compiled.delegates.with(1, Vec::new, |delegates| {
                delegates.resize(given.len(), Delegate::default());
                let memory = (workspaces, numbers);
                self.run(memory, given, coherent, delegates, above_half)
            });
        }
        numbers.with(1, Vec::new, |margins| {
            margins.clear();
            margins.extend(given.iter().map(|score| score.around_half()));
            self.margins(workspaces, margins, coherent, delegates)
        })?;
        let classes = self.compiled.layer.classes().max(1);
        let rows = given.chunks(classes).zip(delegates.chunks(classes));
        for ((given, delegates), coherent) in rows.zip(coherent.chunks_mut(classes)) {
            for (delegate, value) in delegates.iter().zip(coherent) {
                // Neither a constant nor negated: in a hierarchy, always.
                *value = match given.get(delegate.code() as usize >> 1) {
                    Some(&copied) if delegate.code() & 1 == 0 => copied,
                    _ => probability(*value, *delegate, given, above_half),
                };
            }
        }
        Ok(())
    }

    /// The error for the first score that is not a probability.
    #[cold]
    fn not_a_probability<F: Ordered>(&self, given: &[F]) -> TensorError {
        let at = given.iter().position(|score| !score.is_probability()).unwrap_or(0);
        let labels = self.compiled.program.labels();
        let (row, label) = (at / labels.len(), labels.name(LabelId::new(at % labels.len())));
        let message = format!(
            "row {row}: {:?} of `{label}` is not a probability; for logits use kind=\"logits\"",
            given[at]
        );
        TensorError::Score { message, row, label: label.to_owned() }
    }

    fn margins<F: Ordered>(
        &self,
        workspaces: &Workspaces<LayerWorkspace<F>>,
        given: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
    ) -> Result<(), TensorError> {
        let layer = &self.compiled.layer;
        threads::run_at_most(self.threads, given.len(), |threads| {
            workspaces.with(
                threads,
                || layer.workspace_for(threads),
                |workspace| match delegates {
                    [] => layer.forward(given, coherent, workspace),
                    _ => layer.forward_with_delegates(given, coherent, delegates, workspace),
                },
            )
        })?;
        Ok(())
    }
}

/// The probability of a class that a delegate decided, given those of its row.
fn probability<F: Ordered>(margin: F, delegate: Delegate, given: &[F], above_half: F) -> F {
    let Some(literal) = delegate.literal() else {
        return F::from_f64(if delegate.code() & 1 == 0 { 1.0 } else { 0.0 });
    };
    let p = given[literal.label().index()];
    if !literal.is_negated() {
        return p;
    }
    // Rounding may not move a complement across the threshold.
    let half = F::from_f64(0.5);
    let p = p.complement();
    match margin.is_predicted() {
        true if p < above_half => above_half,
        false if p > half => half,
        _ => p,
    }
}

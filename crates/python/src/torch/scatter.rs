//! The gradient of a selection: to the delegates, in the order of the classes.

use half::{bf16, f16};
use pyo3::prelude::*;
use rayon::prelude::*;
use rulebound_core::{Delegate, FloatMargin};

use super::error::TensorError;
use super::numbers::{Narrow, Number, narrow, read, widen, write};
use crate::threads;

/// The gradient with respect to what was given, from that with respect to what was selected; both
/// `[rows × classes]`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_scatter(
    py: Python<'_>,
    delegates: usize,
    gradient: usize,
    result: usize,
    rows: usize,
    classes: usize,
    number: u32,
    threads: usize,
) -> PyResult<()> {
    py.detach(|| {
        let count = rows * classes;
        // SAFETY: Python passes contiguous tensors of `rows × classes` numbers of the stated type that it
        // holds; the result was just allocated.
        #[allow(unsafe_code)]
        unsafe {
            let call = Call { delegates: read(delegates, count), classes, threads };
            match Number::from_code(number)? {
                Number::Single => call.run(read::<f32>(gradient, count), write(result, count)),
                Number::Double => call.run(read::<f64>(gradient, count), write(result, count)),
                Number::Half => call.narrow(read::<f16>(gradient, count), write(result, count)),
                Number::Brain => call.narrow(read::<bf16>(gradient, count), write(result, count)),
            }
        }
    })
    .map_err(PyErr::from)
}

struct Call<'a> {
    delegates: &'a [Delegate],
    classes: usize,
    threads: usize,
}

impl Call<'_> {
    fn narrow<N: Narrow>(&self, gradient: &[N], result: &mut [N]) -> Result<(), TensorError> {
        let mut sums = vec![0.0; gradient.len()];
        self.run(&widen(gradient), &mut sums)?;
        narrow(&sums, result);
        Ok(())
    }

    fn run<F: FloatMargin>(&self, gradient: &[F], result: &mut [F]) -> Result<(), TensorError> {
        if gradient.is_empty() {
            return Ok(());
        }
        let (delegates, classes) = (self.delegates, self.classes);
        let right = threads::run_at_most(self.threads, gradient.len(), |threads| {
            if threads == 1 {
                return scatter(delegates, gradient, result, classes);
            }
            let share = (gradient.len() / classes).div_ceil(threads) * classes;
            let parts = delegates.par_chunks(share).zip(gradient.par_chunks(share));
            parts
                .zip(result.par_chunks_mut(share))
                .map(|((delegates, gradient), result)| {
                    scatter(delegates, gradient, result, classes)
                })
                .reduce(|| true, |a, b| a && b)
        });
        if right {
            return Ok(());
        }
        Err(TensorError::Shape("a delegate is not one of the classes".to_owned()))
    }
}

/// Scatters some rows; returns whether every delegate is one of the classes.
fn scatter<F: FloatMargin>(
    delegates: &[Delegate],
    gradient: &[F],
    result: &mut [F],
    classes: usize,
) -> bool {
    result.fill(F::default());
    let rows = delegates.chunks(classes).zip(gradient.chunks(classes));
    for ((delegates, gradient), result) in rows.zip(result.chunks_mut(classes)) {
        for (delegate, &gradient) in delegates.iter().zip(gradient) {
            let Some(literal) = delegate.literal() else { continue };
            let Some(place) = result.get_mut(literal.label().index()) else { return false };
            *place = place.plus(if literal.is_negated() { -gradient } else { gradient });
        }
    }
    true
}

//! The layer and the loss on tensors of a GPU: launches on the stream that the caller is on.

use pyo3::prelude::*;
use rulebound::cuda::CudaError;
use rulebound::cuda::tensors::{
    LayerTensors, LossTensors, ScatterTensors, ScoreScale, SelectTensors, TensorGpu, TensorNumber,
};

use super::compiled::{Compiled, Packed};
use super::error::TensorError;
use super::numbers::Number;
use super::packed::HEADER;

impl From<CudaError> for TensorError {
    fn from(error: CudaError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The type by its code.
fn number(code: u32) -> Result<TensorNumber, TensorError> {
    Ok(match Number::from_code(code)? {
        Number::Half => TensorNumber::Half,
        Number::Brain => TensorNumber::Brain,
        Number::Single => TensorNumber::Single,
        Number::Double => TensorNumber::Double,
    })
}

/// The address of the schedule in a tensor of rules.
fn schedule(rules: u64) -> u64 {
    rules + 4 * HEADER as u64
}

/// Rules that are known already, for tensors of this width.
fn compiled(key: i64, classes: usize) -> Result<std::sync::Arc<Compiled>, TensorError> {
    let compiled = Compiled::get(Packed::known(key))?;
    compiled.expect_classes(classes)?;
    Ok(compiled)
}

/// Bytes of scratch memory that the layer, the selection and the scatter of so many rows need: all 0
/// unless there are very many classes. `KeyError` if the rules are not known: see `tensor_known`.
#[pyfunction]
pub fn tensor_cuda_scratch(
    device: usize,
    rows: usize,
    number_code: u32,
    key: i64,
) -> PyResult<(usize, usize, usize)> {
    let compiled = Compiled::get(Packed::known(key))?;
    let gpu = TensorGpu::open(device).map_err(TensorError::from)?;
    let (rules, number) = (&compiled.rules, number(number_code)?);
    let scatter = gpu.scatter_scratch(rules.classes(), rows, number);
    let (layer, select) =
        (gpu.layer_scratch(rules, rows, number), gpu.select_scratch(rules, rows, number));
    Ok((layer, select, scatter))
}

/// Starts the layer.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_cuda_layer(
    device: usize,
    stream: u64,
    given: u64,
    coherent: u64,
    delegates: u64,
    rows: usize,
    classes: usize,
    number_code: u32,
    probabilities: bool,
    rules: u64,
    key: i64,
    scratch: u64,
) -> PyResult<()> {
    let launch = || -> Result<(), TensorError> {
        let compiled = compiled(key, classes)?;
        let scale = if probabilities { ScoreScale::Probabilities } else { ScoreScale::Margins };
        let number = number(number_code)?;
        let tensors = LayerTensors { given, coherent, delegates, rows, number, scale, scratch };
        // SAFETY: Python passes contiguous tensors of this GPU, on whose allocator and stream it relies to
        // keep them until the work is done.
        #[allow(unsafe_code)]
        unsafe {
            TensorGpu::open(device)?.layer(stream, &compiled.rules, schedule(rules), tensors)?;
        }
        Ok(())
    };
    Ok(launch()?)
}

/// Starts the scatter of a gradient.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_cuda_scatter(
    device: usize,
    stream: u64,
    delegates: u64,
    gradient: u64,
    result: u64,
    rows: usize,
    classes: usize,
    number_code: u32,
    scratch: u64,
) -> PyResult<()> {
    let launch = || -> Result<(), TensorError> {
        let number = number(number_code)?;
        let tensors =
            ScatterTensors { delegates, gradient, result, rows, classes, number, scratch };
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            TensorGpu::open(device)?.scatter(stream, tensors)?;
        }
        Ok(())
    };
    Ok(launch()?)
}

/// Bytes of scratch memory that the scatter alone needs.
#[pyfunction]
pub fn tensor_cuda_scatter_scratch(
    device: usize,
    rows: usize,
    classes: usize,
    number_code: u32,
) -> PyResult<usize> {
    let gpu = TensorGpu::open(device).map_err(TensorError::from)?;
    Ok(gpu.scatter_scratch(classes, rows, number(number_code)?))
}

/// Starts the selection of the loss's logits.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_cuda_select(
    device: usize,
    stream: u64,
    logits: u64,
    labels: u64,
    selected: u64,
    delegates: u64,
    rows: usize,
    classes: usize,
    number_code: u32,
    rules: u64,
    key: i64,
    scratch: u64,
) -> PyResult<()> {
    let launch = || -> Result<(), TensorError> {
        let compiled = compiled(key, classes)?;
        let number = number(number_code)?;
        let tensors = SelectTensors { logits, labels, selected, delegates, rows, number, scratch };
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            TensorGpu::open(device)?.select(stream, &compiled.rules, schedule(rules), tensors)?;
        }
        Ok(())
    };
    Ok(launch()?)
}

/// Starts the loss: of every row, whether its labels break a rule, and the gradient times `factor`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tensor_cuda_loss(
    device: usize,
    stream: u64,
    logits: u64,
    labels: u64,
    slopes: u64,
    delegates: u64,
    losses: u64,
    broken: u64,
    evaluated: u64,
    gradient: u64,
    factor: f64,
    rows: usize,
    classes: usize,
    number_code: u32,
    rules: u64,
    key: i64,
    scratch: u64,
    scatter_scratch: u64,
) -> PyResult<()> {
    let launch = || -> Result<(), TensorError> {
        let compiled = compiled(key, classes)?;
        let number = number(number_code)?;
        let selected = slopes;
        let select = SelectTensors { logits, labels, selected, delegates, rows, number, scratch };
        let tensors =
            LossTensors { select, losses, broken, evaluated, gradient, factor, scatter_scratch };
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            TensorGpu::open(device)?.loss(stream, &compiled.rules, schedule(rules), tensors)?;
        }
        Ok(())
    };
    Ok(launch()?)
}

//! The launches. Every address is of memory on the GPU that the caller owns.

use std::ffi::c_void;

use cudarc::driver::result::launch_kernel;
use cudarc::driver::sys::{CUfunction, CUstream};

use super::gpu::TensorGpu;
use crate::cuda::CudaError;
use crate::cuda::rules::{Plan, RuleWords, ScoreScale, TensorNumber};

/// The tensors of the layer, each row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct LayerTensors {
    /// Scores.
    pub given: u64,
    /// Where coherent scores go.
    pub coherent: u64,
    /// Where delegates go: 32-bit codes, see [`rulebound_core::Delegate::code`].
    pub delegates: u64,
    /// The number of rows.
    pub rows: usize,
    /// The type of scores and coherent scores.
    pub number: TensorNumber,
    /// What the scores mean.
    pub scale: ScoreScale,
    /// As many bytes as [`TensorGpu::layer_scratch`] says.
    pub scratch: u64,
}

/// The tensors of the gradient, each row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct ScatterTensors {
    /// Delegates, as the layer or the selection wrote them.
    pub delegates: u64,
    /// The gradient with respect to what was selected.
    pub gradient: u64,
    /// Where the gradient with respect to what was given goes.
    pub result: u64,
    /// The number of rows.
    pub rows: usize,
    /// The number of classes.
    pub classes: usize,
    /// The type of both gradients.
    pub number: TensorNumber,
    /// As many bytes as [`TensorGpu::scatter_scratch`] says.
    pub scratch: u64,
}

/// The tensors of the selection, each row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct SelectTensors {
    /// Logits.
    pub logits: u64,
    /// Labels: one byte each, 0 or 1.
    pub labels: u64,
    /// Where the selected logits go.
    pub selected: u64,
    /// Where delegates go.
    pub delegates: u64,
    /// The number of rows.
    pub rows: usize,
    /// The type of the logits.
    pub number: TensorNumber,
    /// As many bytes as [`TensorGpu::select_scratch`] says.
    pub scratch: u64,
}

/// The tensors of the loss. What it computes is `f64` for logits in double precision, else `f32`.
#[derive(Clone, Copy, Debug)]
pub struct LossTensors {
    /// Logits, labels, delegates, type and scratch memory; `selected` holds the slopes of the terms
    /// afterwards, in the type of computation.
    pub select: SelectTensors,
    /// Where the loss of every row goes: `f64 [rows]`.
    pub losses: u64,
    /// Where it goes whether the labels of a row break a rule: `u32 [rows]`.
    pub broken: u64,
    /// Which classes have a term: one byte each, or 0 for all.
    pub evaluated: u64,
    /// Where the gradient goes, in the type of computation.
    pub gradient: u64,
    /// What the gradient is multiplied by.
    pub factor: f64,
    /// As many bytes as [`TensorGpu::scatter_scratch`] says for the type of computation.
    pub scatter_scratch: u64,
}

/// The parameter of the selection, laid out as in `rules/kernels/select.cu`.
#[repr(C)]
struct Selection {
    selected: u64,
    delegates: u64,
    losses: u64,
    broken: u64,
    evaluated: u64,
}

/// The addresses of a launch's arguments.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => {
        &mut [$((&raw const $argument).cast_mut().cast::<c_void>()),*]
    };
}

impl TensorGpu {
    /// Bytes of scratch memory that the layer needs; 0 unless there are very many classes.
    pub fn layer_scratch(&self, rules: &RuleWords, rows: usize, number: TensorNumber) -> usize {
        Plan::layer(self.limits, &rules.outline(), number, rows).outside
    }

    /// Bytes of scratch memory that the scatter needs.
    pub fn scatter_scratch(&self, classes: usize, rows: usize, number: TensorNumber) -> usize {
        Plan::scatter(self.limits, classes, number, rows).outside
    }

    /// Bytes of scratch memory that the selection needs.
    pub fn select_scratch(&self, rules: &RuleWords, rows: usize, number: TensorNumber) -> usize {
        Plan::select(self.limits, &rules.outline(), number, rows).outside
    }

    /// Starts the layer on a stream.
    ///
    /// # Errors
    /// If the driver refuses the launch.
    ///
    /// # Safety
    /// `stream` is one of this GPU, or 0. `words` is the address of the rules' words on it, a multiple
    /// of 16, and the tensors are there with the stated sizes; all of it stays until the work is done.
    #[allow(unsafe_code)]
    pub unsafe fn layer(
        &self,
        stream: u64,
        rules: &RuleWords,
        words: u64,
        tensors: LayerTensors,
    ) -> Result<(), CudaError> {
        let LayerTensors { given, coherent, delegates, rows, number, scale, scratch } = tensors;
        if rows == 0 || rules.classes() == 0 {
            return Ok(());
        }
        let plan = Plan::layer(self.limits, &rules.outline(), number, rows);
        let kernel = *self.kernels.layer(number, &plan);
        let parameter = rules.outline().parameter(words, plan.copied);
        let (rows, scale, number) = (rows as u32, scale as u32, number as u32);
        let (outside, room) = (if plan.outside == 0 { 0 } else { scratch }, plan.room as u64);
        let bad = 0u64; // Finding out on the host would mean to wait.
        let arguments = arguments![
            parameter, given, coherent, delegates, rows, scale, number, bad, outside, room
        ];
        // SAFETY: arguments as in layer.cu; the rest is the caller's promise.
        unsafe { self.launch(stream, kernel, plan, arguments) }
    }

    /// Starts the scatter of a gradient to the delegates on a stream.
    ///
    /// # Errors
    /// If the driver refuses the launch.
    ///
    /// # Safety
    /// As [`TensorGpu::layer`], and every delegate is a code that a launch for as many classes wrote.
    #[allow(unsafe_code)]
    pub unsafe fn scatter(&self, stream: u64, tensors: ScatterTensors) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.scatter_scaled(stream, tensors, 1.0) }
    }

    #[allow(unsafe_code)]
    unsafe fn scatter_scaled(
        &self,
        stream: u64,
        tensors: ScatterTensors,
        factor: f64,
    ) -> Result<(), CudaError> {
        let ScatterTensors { delegates, gradient, result, rows, classes, number, scratch } =
            tensors;
        if rows == 0 || classes == 0 {
            return Ok(());
        }
        let plan = Plan::scatter(self.limits, classes, number, rows);
        let kernel = *self.kernels.scatter(number);
        let (rows, classes, number) = (rows as u32, classes as u32, number as u32);
        let outside = if plan.outside == 0 { 0 } else { scratch };
        let arguments =
            arguments![delegates, gradient, result, factor, rows, classes, number, outside];
        // SAFETY: arguments as in scatter.cu; the rest is the caller's promise.
        unsafe { self.launch(stream, kernel, plan, arguments) }
    }

    /// Starts the selection of the loss's logits on a stream.
    ///
    /// # Errors
    /// If the driver refuses the launch.
    ///
    /// # Safety
    /// As [`TensorGpu::layer`].
    #[allow(unsafe_code)]
    pub unsafe fn select(
        &self,
        stream: u64,
        rules: &RuleWords,
        words: u64,
        tensors: SelectTensors,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.selection(stream, rules, words, tensors, [0; 3]) }
    }

    /// Starts the loss and its gradient on a stream.
    ///
    /// # Errors
    /// If the driver refuses a launch.
    ///
    /// # Safety
    /// As [`TensorGpu::layer`].
    #[allow(unsafe_code)]
    pub unsafe fn loss(
        &self,
        stream: u64,
        rules: &RuleWords,
        words: u64,
        tensors: LossTensors,
    ) -> Result<(), CudaError> {
        let LossTensors { select, losses, broken, evaluated, gradient, factor, .. } = tensors;
        let scatter = ScatterTensors {
            delegates: select.delegates,
            gradient: select.selected,
            result: gradient,
            rows: select.rows,
            classes: rules.classes(),
            number: match select.number {
                TensorNumber::Double => TensorNumber::Double,
                _ => TensorNumber::Single,
            },
            scratch: tensors.scatter_scratch,
        };
        // SAFETY: the caller's promise; the second launch reads what the first has written, in order.
        unsafe {
            self.selection(stream, rules, words, select, [losses, broken, evaluated])?;
            self.scatter_scaled(stream, scatter, factor)
        }
    }

    #[allow(unsafe_code)]
    unsafe fn selection(
        &self,
        stream: u64,
        rules: &RuleWords,
        words: u64,
        tensors: SelectTensors,
        [losses, broken, evaluated]: [u64; 3],
    ) -> Result<(), CudaError> {
        let SelectTensors { logits, labels, selected, delegates, rows, number, scratch } = tensors;
        if rows == 0 || rules.classes() == 0 {
            return Ok(());
        }
        let plan = Plan::select(self.limits, &rules.outline(), number, rows);
        let kernel = *self.kernels.select(number, &plan);
        let parameter = rules.outline().parameter(words, plan.copied);
        let to = Selection { selected, delegates, losses, broken, evaluated };
        let (rows, number) = (rows as u32, number as u32);
        let (outside, room) = (if plan.outside == 0 { 0 } else { scratch }, plan.room as u64);
        let arguments = arguments![parameter, logits, labels, to, rows, number, outside, room];
        // SAFETY: arguments as in select.cu; the rest is the caller's promise.
        unsafe { self.launch(stream, kernel, plan, arguments) }
    }

    #[allow(unsafe_code)]
    unsafe fn launch(
        &self,
        stream: u64,
        kernel: CUfunction,
        plan: Plan,
        arguments: &mut [*mut c_void],
    ) -> Result<(), CudaError> {
        let Plan { blocks, threads, shared, .. } = plan;
        self.within(|| {
            let (blocks, threads) = ((blocks as u32, 1, 1), (threads as u32, 1, 1));
            let stream = stream as CUstream;
            // SAFETY: the caller's promise.
            let launched =
                unsafe { launch_kernel(kernel, blocks, threads, shared as u32, stream, arguments) };
            Ok(launched?)
        })
    }
}

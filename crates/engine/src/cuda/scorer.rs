//! From rows of inputs to logits, and through the layer.

use cudarc::driver::PushKernelArg;
use rulebound_core::{Delegate, LabelId, Program, Thresholds};

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::gpu_rules::{GpuRules, LayerLaunch};
use super::pass::{MemberPass, Pass, padded};
use super::training::steps::{THREADS, block};
use super::weights::{Layout, Weights};
use crate::network::Network;

/// Networks on a GPU: the logits of each, or the coherent margins and delegates of a single one.
pub struct GpuScorer<'a> {
    gpu: &'a Gpu,
    layout: Layout,
    weights: Weights,
    pass: Pass,
    rules: Option<(GpuRules, LayerLaunch)>,
    shift: Buffer<f32>,
    margins: Buffer<f32>,
    coherent: Buffer<f32>,
    delegates: Buffer<u32>,
    classes: usize,
}

impl<'a> GpuScorer<'a> {
    /// Copies networks of one shape to a GPU, with the rules that their predictions obey, if any.
    ///
    /// # Errors
    /// If they do not fit, or the GPU fails.
    ///
    /// # Panics
    /// If there is no network, or not one threshold per output.
    pub fn new(
        gpu: &'a Gpu,
        networks: &[Network],
        thresholds: &Thresholds,
        rules: Option<&Program>,
    ) -> Result<Self, CudaError> {
        let shape = networks[0].shape();
        assert_eq!(shape.outputs, thresholds.len(), "one threshold for each class");
        let layout = Layout::new(&shape);
        let members = networks.len();
        gpu.expect_room("the networks".to_owned(), 4 * (layout.size * members) as u64)?;
        let mut weights = Weights::zeros(gpu, &layout, members)?;
        for (slot, member) in networks.iter().enumerate() {
            weights.put(gpu, &layout, slot, member.layers())?;
        }
        let pass = Pass::new(gpu, &layout, networks[0].activation(), members)?;
        let classes = shape.outputs;
        let size = pass.rows * classes;
        let shift: Vec<f32> = (0..classes)
            .map(|class| thresholds.margin_of_logit(LabelId::new(class), 0.0f32))
            .collect();
        let rules = match rules {
            None => None,
            Some(program) => {
                let rules = GpuRules::new(gpu, program)?;
                let launch = rules.layer_launch(gpu)?;
                Some((rules, launch))
            }
        };
        Ok(Self {
            rules,
            shift: Buffer::copy(gpu, &shift)?,
            margins: Buffer::zeros(gpu, size)?,
            coherent: Buffer::zeros(gpu, size)?,
            delegates: Buffer::zeros(gpu, size)?,
            gpu,
            layout,
            weights,
            pass,
            classes,
        })
    }

    /// The logits of a member for encoded rows, row-major.
    ///
    /// # Errors
    /// If the GPU fails.
    ///
    /// # Panics
    /// If there is no such member, or `logits` has not one number for each row and class.
    pub fn logits(
        &mut self,
        member: usize,
        rows: &[f32],
        logits: &mut [f32],
    ) -> Result<(), CudaError> {
        let (width, classes) = (self.layout.layers[0].inputs, self.classes);
        let rows = rows.chunks(self.pass.rows * width);
        for (rows, logits) in rows.zip(logits.chunks_mut(self.pass.rows * classes)) {
            self.network(member, rows)?;
            self.pass.logits.read(self.gpu, 0, logits)?;
        }
        Ok(())
    }

    /// The coherent margins of encoded rows under a single network, and with `delegates` who decided
    /// each; for a plain network its margins. A class is predicted iff its margin is above 0.
    ///
    /// # Errors
    /// [`CudaError::NotANumber`] if a logit is NaN; also if the GPU fails.
    pub fn margins(
        &mut self,
        rows: &[f32],
        margins: &mut [f32],
        mut delegates: Option<&mut [Delegate]>,
    ) -> Result<(), CudaError> {
        let (width, classes) = (self.layout.layers[0].inputs, self.classes);
        let size = self.pass.rows * classes;
        let mut codes = Vec::new();
        for (index, rows) in rows.chunks(self.pass.rows * width).enumerate() {
            let count = rows.len() / width;
            self.network(0, rows)?;
            self.shift(count)?;
            let at = index * size..index * size + count * classes;
            let Some((rules, launch)) = &self.rules else {
                self.margins.read(self.gpu, 0, &mut margins[at])?;
                continue;
            };
            let who = delegates.is_some().then_some(&self.delegates);
            launch.run(self.gpu, rules, count, [&self.margins, &self.coherent], who)?;
            self.coherent.read(self.gpu, 0, &mut margins[at.clone()])?;
            if let Some(delegates) = &mut delegates {
                codes.resize(at.len(), 0);
                self.delegates.read(self.gpu, 0, &mut codes)?;
                let to = delegates[at].iter_mut();
                to.zip(&codes).for_each(|(to, &code)| *to = Delegate::from_code(code));
            }
        }
        match &self.rules {
            Some((_, launch)) => launch.check(self.gpu),
            None => Ok(()),
        }
    }

    /// Launches the forward pass of a member; its logits become those of the pass.
    fn network(&mut self, member: usize, rows: &[f32]) -> Result<(), CudaError> {
        let place = self.layout.layers[0];
        let count = rows.len() / place.inputs;
        self.pass.inputs.write(self.gpu, 0, &padded(rows, place.inputs, place.stride))?;
        let (inputs, logits) = (self.pass.inputs.address(), self.pass.logits.address());
        let pass = MemberPass { slot: member, count, inputs, logits };
        self.pass.run(self.gpu, &self.layout, &self.weights, pass)
    }

    /// Launches the conversion of logits to margins.
    fn shift(&self, count: usize) -> Result<(), CudaError> {
        let (logits, shift) = (self.pass.logits.address(), self.shift.address());
        let (classes, margins) = (self.classes as u32, self.margins.address());
        let n = (count * self.classes) as u64;
        let mut launch = self.gpu.stream.launch_builder(&self.gpu.kernels.rules.margins_of);
        launch.arg(&logits).arg(&shift).arg(&classes).arg(&margins).arg(&n);
        // SAFETY: arguments as in rules/kernels/layer.cu; the buffers hold `n` numbers.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block((n.div_ceil(u64::from(THREADS)) as u32, 1, 1), THREADS, 0))?;
        }
        Ok(())
    }
}

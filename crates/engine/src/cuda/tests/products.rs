//! Every product of a step on tensor cores against the same sums in double precision.

use rulebound_core::{Labels, Program};

use super::gpu;
use super::steps::examples;
use crate::configuration::Precision;
use crate::cuda::Gpu;
use crate::cuda::training::batch_kernel::Part;
use crate::cuda::training::fleet::{Fleet, FleetTask};
use crate::network::RowOrder;
use crate::network::{Activation, Adam, Dropout, Linear, Network, Shape, Trainee};
use crate::train::{Configuration, Examples, Method};

/// A step whose products are looked at: its second, of the second of two members.
pub(super) struct Looked {
    pub widths: Vec<usize>,
    pub batch: usize,
    pub activation: Activation,
    pub precision: Precision,
}

const SLOT: usize = 1;
const STEP: usize = 1;
const SEEDS: [u64; 2] = [5, 6];

/// Numbers, and what they should be.
#[derive(Default)]
struct Pairs {
    difference: f64,
    size: f64,
    count: usize,
}

impl Pairs {
    fn push(&mut self, ours: f32, exact: f64) {
        assert!(!ours.is_nan(), "a number was not written");
        self.difference += (f64::from(ours) - exact).powi(2);
        self.size += exact * exact;
        self.count += 1;
    }

    fn relative(&self) -> f64 {
        assert!(self.count > 0 && self.size > 0.0);
        (self.difference / self.size).sqrt()
    }
}

/// Some of the numbers below `count`, the first and the last among them.
fn some(count: usize) -> Vec<usize> {
    let step = count.div_ceil(40);
    (0..count).step_by(step).chain([count - 1]).collect()
}

impl Looked {
    /// The largest relative error of the forward pass, the gradients below, and the weights' own.
    pub fn errors(&self, gpu: &Gpu) -> [f64; 3] {
        let (inputs, classes) = (self.widths[0], *self.widths.last().unwrap());
        let hidden = self.widths[1..self.widths.len() - 1].to_vec();
        let shape = Shape { inputs, hidden: hidden.clone(), outputs: classes };
        let configuration = Configuration {
            method: Method::None,
            hidden,
            activation: self.activation,
            dropout: 0.3,
            weight_decay: 0.0,
            batch: self.batch,
            precision: self.precision,
            ..Configuration::default()
        };
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        let program = Program::new(labels, Vec::new()).unwrap();
        let examples = examples(3 * self.batch, inputs, classes);
        let task = FleetTask {
            shape: &shape,
            configuration: &configuration,
            program: &program,
            evaluated: &vec![true; classes],
            weights: None,
            examples: &examples,
            seeds: &SEEDS,
            keeps_best: false,
        };
        let mut fleet = Fleet::new(gpu, &task).unwrap();
        let network = Network::random(shape, self.activation, SEEDS[SLOT]);
        for slot in 0..SEEDS.len() {
            fleet.put(slot, &Trainee::new(network.clone()), None).unwrap();
        }
        fleet.begin_epoch(&[SLOT], 0, 0).unwrap();
        fleet.go_to(&[SLOT], 0, STEP).unwrap();
        let dropout =
            Dropout { rate: configuration.dropout, seed: SEEDS[SLOT], epoch: 0, step: STEP as u32 };
        let step = Step { fleet, network, examples: &examples, dropout, looked: self };
        step.errors(&configuration)
    }
}

/// A step on a GPU, part by part.
struct Step<'a> {
    fleet: Fleet<'a>,
    network: Network,
    examples: &'a Examples,
    dropout: Dropout,
    looked: &'a Looked,
}

impl Step<'_> {
    fn errors(mut self, configuration: &Configuration) -> [f64; 3] {
        let mut worst = [0.0f64; 3];
        for (name, part) in self.fleet.parts() {
            if let Part::Forward(layer) | Part::Below(layer) = part {
                self.poison(part, layer);
            }
            self.fleet.part(part, 1, 0).unwrap();
            self.fleet.gpu.wait().unwrap();
            let (which, pairs) = match part {
                Part::Forward(layer) => (0, self.forward(layer)),
                Part::Below(layer) => (1, self.below(layer)),
                Part::Update(layer) => (2, self.update(layer, configuration)),
                _ => continue,
            };
            let error = pairs.relative();
            println!("  {name}: {error:.1e}");
            worst[which] = worst[which].max(error);
        }
        worst
    }

    fn batch(&self) -> usize {
        self.looked.batch
    }

    /// What a part must write becomes NaN.
    fn poison(&mut self, part: Part, layer: usize) {
        let (gpu, batch, hidden) = (self.fleet.gpu, self.batch(), self.fleet.hidden.len());
        let row = |layer: usize, end: f32| {
            let width = self.looked.widths[layer + 1];
            let stride = if end == 0.0 {
                self.fleet.gradient_stride(layer)
            } else {
                self.fleet.layout.layers[layer + 1].stride
            };
            let mut row = vec![f32::NAN; width];
            row.resize(stride, 0.0);
            if end != 0.0 {
                row[width] = end;
            }
            (row.repeat(batch), SLOT * batch * stride)
        };
        match part {
            Part::Forward(layer) if layer < hidden => {
                let (rows, at) = row(layer, 1.0);
                self.fleet.hidden[layer].inputs.write(gpu, at, &rows).unwrap();
            }
            Part::Forward(_) => {
                let (rows, at) = row(layer, 0.0);
                self.fleet.logits.write(gpu, at, &rows).unwrap();
            }
            _ => {
                let (rows, at) = row(layer - 1, 0.0);
                self.fleet.hidden[layer - 1].gradient.write(gpu, at, &rows).unwrap();
            }
        }
        gpu.wait().unwrap();
    }

    /// The rows of inputs to a layer, with the column of ones, as the GPU has them.
    fn inputs(&self, layer: usize) -> Vec<Vec<f32>> {
        let Some(below) = layer.checked_sub(1) else {
            let order = RowOrder { seed: self.dropout.seed, buffer: None };
            let order = order.in_epoch(0, self.examples.rows());
            let rows = &order[STEP * self.batch()..][..self.batch()];
            let row = |&row: &u32| {
                let mut cells = vec![0.0; self.looked.widths[0]];
                self.examples.row(row as usize).copy_to(&mut cells);
                cells.push(1.0);
                cells
            };
            return rows.iter().map(row).collect();
        };
        let stride = self.fleet.layout.layers[layer].stride;
        let rows = self.read(&self.fleet.hidden[below].inputs, stride);
        let width = self.looked.widths[layer];
        for row in &rows {
            assert_eq!(row[width], 1.0, "the column of ones");
            assert!(row[width + 1..].iter().all(|&cell| cell == 0.0), "the end of a row");
        }
        rows.into_iter().map(|row| row[..=width].to_vec()).collect()
    }

    fn read(&self, buffer: &crate::cuda::buffer::Buffer<f32>, stride: usize) -> Vec<Vec<f32>> {
        let mut cells = vec![0.0; self.batch() * stride];
        buffer.read(self.fleet.gpu, SLOT * cells.len(), &mut cells).unwrap();
        cells.chunks(stride).map(<[f32]>::to_vec).collect()
    }

    fn gradient(&self, layer: usize) -> Vec<Vec<f32>> {
        let stride = self.fleet.gradient_stride(layer);
        let rows = match self.fleet.hidden.get(layer) {
            None => self.read(&self.fleet.gradient, stride),
            Some(hidden) => self.read(&hidden.gradient, stride),
        };
        let width = self.looked.widths[layer + 1];
        assert!(rows.iter().all(|row| row[width..].iter().all(|&cell| cell == 0.0)));
        rows
    }

    /// What dropout multiplies a unit by.
    fn factor(&self, layer: usize, row: usize, unit: usize) -> f64 {
        f64::from(self.dropout.layer(layer as u8).factors(unit as u32 / 4, row as u32)[unit % 4])
    }

    fn layer(&self, layer: usize) -> &Linear {
        &self.network.layers()[layer]
    }

    fn weight(&self, layer: usize, output: usize, input: usize) -> f64 {
        let linear = self.layer(layer);
        f64::from(linear.numbers()[output * self.fleet.layout.layers[layer].stride + input])
    }

    fn forward(&self, layer: usize) -> Pairs {
        let inputs = self.inputs(layer);
        let (is_hidden, stride) =
            (layer < self.fleet.hidden.len(), self.fleet.gradient_stride(layer));
        let outputs = match self.fleet.hidden.get(layer) {
            Some(hidden) => self.read(&hidden.inputs, self.fleet.layout.layers[layer + 1].stride),
            None => self.read(&self.fleet.logits, stride),
        };
        let width = self.looked.widths[layer + 1];
        assert!(outputs.iter().flat_map(|row| &row[..width]).all(|cell| !cell.is_nan()));
        let mut pairs = Pairs::default();
        for row in some(self.batch()) {
            for output in some(width) {
                let terms = inputs[row].iter().enumerate();
                let sum: f64 =
                    terms.map(|(at, &x)| f64::from(x) * self.weight(layer, output, at)).sum();
                let exact = match (is_hidden, self.looked.activation) {
                    (false, _) => sum,
                    (true, Activation::Relu) => sum.max(0.0) * self.factor(layer, row, output),
                    (true, Activation::Tanh) => sum.tanh() * self.factor(layer, row, output),
                };
                pairs.push(outputs[row][output], exact);
            }
        }
        pairs
    }

    fn below(&self, layer: usize) -> Pairs {
        let (above, units) = (self.gradient(layer), self.inputs(layer));
        let below = self.gradient(layer - 1);
        let width = self.looked.widths[layer];
        assert!(below.iter().flat_map(|row| &row[..width]).all(|cell| !cell.is_nan()));
        let outputs = self.looked.widths[layer + 1];
        let mut pairs = Pairs::default();
        for row in some(self.batch()) {
            for unit in some(width) {
                let terms =
                    (0..outputs).map(|at| f64::from(above[row][at]) * self.weight(layer, at, unit));
                let sum: f64 = terms.sum();
                let (by, value) = (self.factor(layer - 1, row, unit), f64::from(units[row][unit]));
                let slope = match self.looked.activation {
                    _ if by == 0.0 => 0.0,
                    Activation::Relu => by * f64::from(u8::from(value > 0.0)),
                    Activation::Tanh => by * (1.0 - (value / by).powi(2)),
                };
                pairs.push(below[row][unit], sum * slope);
            }
        }
        pairs
    }

    /// The weights' gradient, from Adam's first moment, which was 0; also what Adam makes of it.
    fn update(&self, layer: usize, configuration: &Configuration) -> Pairs {
        let (inputs, gradient) = (self.inputs(layer), self.gradient(layer));
        let trainee = self.fleet.take(SLOT).unwrap();
        let stride = self.fleet.layout.layers[layer].stride;
        let [first, second] = &trainee.moments[layer];
        let adam = Adam::step(STEP as u64 + 1, configuration.learning_rate, 0.0);
        let [rate, root] = adam.rates().map(f64::from);
        let (mut pairs, mut steps) = (Pairs::default(), Pairs::default());
        for output in some(self.looked.widths[layer + 1]) {
            for input in some(self.looked.widths[layer] + 1) {
                let terms = inputs
                    .iter()
                    .zip(&gradient)
                    .map(|(x, g)| f64::from(x[input]) * f64::from(g[output]));
                let at = output * stride + input;
                let (m, v) = (first.numbers()[at], second.numbers()[at]);
                pairs.push(10.0 * m, terms.sum());
                let step = rate * f64::from(m) / (f64::from(v).sqrt() * root + 1e-8);
                let before = self.weight(layer, output, input);
                let after = f64::from(trainee.network.layers()[layer].numbers()[at]);
                steps.push((after - before) as f32, -step);
            }
        }
        assert!(steps.relative() < 1e-4, "Adam: {:.1e}", steps.relative());
        // What belongs to no weight stays 0.
        let ends = trainee.network.layers()[layer].numbers().chunks(stride);
        let width = self.looked.widths[layer] + 1;
        assert!(ends.flat_map(|row| &row[width..]).all(|&cell| cell == 0.0));
        pairs
    }
}

pub(super) fn assert_products(gpu: &Gpu, widths: &[usize], batch: usize, activation: Activation) {
    for (precision, most) in [(Precision::Fp32, 1e-6), (Precision::Tf32, 5e-4)] {
        println!("{widths:?} batch {batch} {activation} {precision}");
        let looked = Looked { widths: widths.to_vec(), batch, activation, precision };
        for error in looked.errors(gpu) {
            assert!(error < most, "{widths:?} batch {batch} {activation} {precision}: {error:.1e}");
        }
    }
}

/// Odd sizes, and the networks of the speed tables.
#[test]
#[ignore = "needs a GPU"]
fn every_product_is_that_of_double_precision() {
    let gpu = gpu();
    for activation in Activation::ALL {
        for widths in [&[13, 19, 33, 9][..], &[77, 500, 500, 499], &[5, 130, 7]] {
            for batch in [9, 32, 37, 64, 101, 128, 129, 300] {
                assert_products(&gpu, widths, batch, activation);
            }
        }
    }
    for batch in [32, 37, 128, 512, 2048] {
        assert_products(&gpu, &[77, 1000, 1000, 4126], batch, Activation::Relu);
    }
    for batch in [4, 32, 101, 512] {
        assert_products(&gpu, &[529, 9000, 9000, 4134], batch, Activation::Relu);
    }
    // Odd sizes that are large enough for groups of warps.
    for activation in Activation::ALL {
        for batch in [129, 301, 517] {
            assert_products(&gpu, &[33, 2101, 2102, 1033], batch, activation);
        }
        assert_products(&gpu, &[33, 1501, 1502, 3999], 1033, activation);
    }
}

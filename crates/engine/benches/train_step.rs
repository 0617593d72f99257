//! The full training step compared with its lower bounds.
//!
//! `cargo bench -p rulebound --bench train_step [-- SHAPE… --batch 4,32 --seconds 1]`. One line per
//! shape and batch size ends in `ms <x> cpu <c> floor <y> ratio <z> gflops <g> share <s>`:
//!
//! - the median time and CPU time of a `ccn` step (forward with dropout, constraint loss, backward,
//!   Adam);
//! - that of streaming 32 bytes per parameter in the same run: the weights read twice, weights and
//!   both moments read and written once, on one thread or all, whichever is faster;
//! - the operations of the step's products per second, and their share of what the cores do in the
//!   same run if they only multiply and add in registers. With `RAYON_NUM_THREADS=1` both are per CPU
//!   time, so that other programs do not count.
//!
//! Rules are those of the data sets if available (`RULEBOUND_DATA`); otherwise a hierarchy of the
//! same size.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use rulebound::dataset::{ReadOptions, Source};
use rulebound_core::{ConstraintLoss, LabelId, Labels, Literal, Program, Rule};
use rulebound_io::random::{Draws, Purpose, unit};
use rulebound_network::{Activation, Adam, Dropout, Network, Shape, Trainee, Workspace, awake};
use std::path::Path;

/// Inputs, hidden units, and the data set whose rules are used.
const SHAPES: [(usize, usize, &str, usize, usize); 4] = [
    (77, 500, "cellcycle_FUN", 500, 499),
    (77, 500, "cellcycle_GO", 4126, 5827),
    (77, 1000, "cellcycle_GO", 4126, 5827),
    (529, 2000, "seq_FUN", 500, 499),
];

fn main() {
    let Arguments { wanted, batches, seconds } = Arguments::read();
    println!("threads {}", rayon::current_num_threads());
    for (inputs, hidden, name, classes, rules) in SHAPES {
        let (program, origin) = program(name, classes, rules);
        let outputs = program.labels().len();
        let shape = Shape { inputs, hidden: vec![hidden, hidden], outputs };
        if wanted.is_empty() || wanted.contains(&shape.to_string()) {
            for &batch in &batches {
                measure(&shape, &program, &format!("{name} {origin}"), batch, seconds);
            }
        }
    }
}

struct Arguments {
    /// Shapes; all if there are none.
    wanted: Vec<String>,
    batches: Vec<usize>,
    /// Measured time per line.
    seconds: f64,
}

impl Arguments {
    fn read() -> Self {
        let mut all = Self { wanted: vec![], batches: vec![4], seconds: 1.0 };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            match argument.as_str() {
                "--batch" => {
                    let parts = value();
                    all.batches = parts.split(',').map(number).collect();
                }
                "--seconds" => all.seconds = number(&value()),
                // Cargo adds `--bench`.
                option if option.starts_with("--") => {}
                shape => all.wanted.push(shape.to_owned()),
            }
        }
        all
    }
}

fn number<N: std::str::FromStr>(text: &str) -> N {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a valid number"))
}

fn measure(shape: &Shape, program: &Program, rules: &str, batch: usize, seconds: f64) {
    let outputs = shape.outputs;
    let mut trainee = Trainee::new(Network::random(shape.clone(), Activation::Relu, 1));
    let draws = Draws::new(2, Purpose::Points);
    let inputs: Vec<f32> =
        (0..batch * shape.inputs).map(|i| unit(draws.four(i as u32, 0, 0)[0]) - 0.5).collect();
    let labels = labels(program, batch);
    let loss = ConstraintLoss::new(program);
    let mut loss_space = loss.workspace();
    let (mut logits, mut gradient) = (vec![0.0; batch * outputs], vec![0.0; batch * outputs]);
    let mut space = Workspace::default();
    let mut floor = Floor::new(shape.parameters());
    let [mut steps, mut cpus, mut losses, mut floors] = [const { Vec::new() }; 4];
    let each = (160_000_000 / (shape.parameters() * batch)).clamp(1, 60);
    let mut number = 0;
    let floor = &mut floor;
    // The first round warms up.
    let mut round = 0;
    let mut end = None;
    while round < 4 || end.is_none_or(|end| Instant::now() < end) {
        // As in a run: on a thread of the pool.
        awake(|| {
            for _ in 0..each {
                let (start, cpu) = (Instant::now(), cpu_seconds());
                let dropout = Dropout { rate: 0.7, seed: 1, epoch: 0, step: number };
                let rows = inputs.chunks_exact(shape.inputs);
                space.forward(&trainee.network, rows, Some(dropout), &mut logits);
                let before = Instant::now();
                let value = loss
                    .forward_backward(&logits, &labels, &mut gradient, &mut loss_space)
                    .unwrap_or_else(|error| panic!("{error}"));
                let loss_time = before.elapsed();
                black_box(value);
                number += 1;
                space.backward(&mut trainee, &gradient, Adam::step(number.into(), 1e-4, 1e-5));
                if round > 0 {
                    steps.push(start.elapsed().as_secs_f64());
                    cpus.push(cpu_seconds() - cpu);
                    losses.push(loss_time.as_secs_f64());
                }
            }
        });
        for _ in 0..each {
            floors.push(floor.stream());
        }
        round += 1;
        end.get_or_insert_with(|| Instant::now() + Duration::from_secs_f64(seconds));
    }
    let threads = rayon::current_num_threads();
    let peak = threads as f64 * peak();
    let [step, cpu, loss, floor] = [steps, cpus, losses, floors].map(median);
    let measured = if threads == 1 { cpu } else { step };
    let speed = operations(shape) * batch as f64 / measured;
    println!("loss {shape} batch {batch} rules {rules} milliseconds {:.3}", loss * 1e3);
    println!(
        "train_step {shape} batch {batch} rules {rules} ms {:.3} cpu {:.3} floor {:.3} ratio {:.2} gflops {:.1} share {:.2}",
        step * 1e3,
        cpu * 1e3,
        floor * 1e3,
        step / floor,
        speed / 1e9,
        speed / peak
    );
}

/// Operations that one core does per second of CPU time at most: the best of several.
fn peak() -> f64 {
    const TURNS: usize = 100_000;
    const SUMS: usize = 16;
    struct Register;
    impl WithSimd for Register {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> usize {
            let [a, b] = [0.5, 0.25].map(|number| simd.splat_f32s(black_box(number)));
            let mut sums = [a; SUMS];
            for _ in 0..TURNS {
                sums.iter_mut().for_each(|sum| *sum = simd.mul_add_f32s(*sum, a, b));
            }
            black_box(sums.map(|sum| simd.reduce_sum_f32s(sum)));
            2 * TURNS * SUMS * S::F32_LANES
        }
    }
    let speed = |_| {
        let start = cpu_seconds();
        let operations = Arch::new().dispatch(Register);
        operations as f64 / (cpu_seconds() - start)
    };
    (0..20).map(speed).fold(0.0, f64::max)
}

/// CPU time of all threads so far: unlike wall time, it does not count other programs. Threads that
/// wait for each other also use it, so it is best compared with `RAYON_NUM_THREADS=1`.
#[cfg(target_os = "linux")]
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call, which writes a time there.
    #[allow(unsafe_code)]
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
    }
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(target_os = "linux"))]
fn cpu_seconds() -> f64 {
    f64::NAN
}

/// Operations of the products per row: sums, and gradients of weights and of all inputs but those of
/// the network.
fn operations(shape: &Shape) -> f64 {
    let layers = shape.layers().enumerate();
    layers
        .map(|(layer, (inputs, outputs))| {
            let products = if layer == 0 { 2 } else { 3 };
            (2 * products * inputs * outputs) as f64
        })
        .sum()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Weights and moments to stream through.
struct Floor {
    arrays: [Vec<f32>; 3],
}

impl Floor {
    fn new(parameters: usize) -> Self {
        Self { arrays: [0.0, 1.0, 2.0].map(|value| vec![value; parameters]) }
    }

    /// Seconds of streaming, on one thread or all, whichever is faster.
    fn stream(&mut self) -> f64 {
        let threads = rayon::current_num_threads();
        [1, threads].map(|threads| self.stream_on(threads)).into_iter().fold(f64::MAX, f64::min)
    }

    fn stream_on(&mut self, threads: usize) -> f64 {
        let [weights, first, second] = &mut self.arrays;
        let share = weights.len().div_ceil(threads);
        let start = Instant::now();
        for _ in 0..2 {
            let sums = weights.par_chunks(share).map(|part| {
                let mut sums = [0.0f32; 32];
                for chunk in part.chunks_exact(32) {
                    sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
                }
                sums[0]
            });
            black_box(sums.sum::<f32>());
        }
        weights
            .par_chunks_mut(share)
            .zip(first.par_chunks_mut(share))
            .zip(second.par_chunks_mut(share))
            .for_each(|((weights, first), second)| {
                for ((weight, first), second) in weights.iter_mut().zip(first).zip(second) {
                    *first += 1.0;
                    *second += 2.0;
                    *weight += 3.0;
                }
            });
        start.elapsed().as_secs_f64()
    }
}

fn program(name: &str, classes: usize, rules: usize) -> (Program, &'static str) {
    let folder = std::env::var_os("RULEBOUND_DATA").map(|it| Path::new(&it).join("hmc").join(name));
    match folder.map(|folder| Source::Path(folder).read(&ReadOptions::default())) {
        Some(Ok(data)) => (data.program().clone(), "real"),
        _ => (hierarchy(classes, rules), "generated"),
    }
}

/// Every class but the first has a parent before it; some have a second one.
fn hierarchy(classes: usize, rules: usize) -> Program {
    let draws = Draws::new(3, Purpose::Points);
    let parent = |child: usize, row| draws.four(child as u32, row, 0)[0] as usize % child;
    let rule = |child: usize, row| {
        let body = Literal::positive(LabelId::new(child));
        Rule::new(LabelId::new(parent(child, row)), [body])
    };
    let first = (1..classes).map(|child| rule(child, 0));
    let second = (1..classes).rev().map(|child| rule(child, 1));
    let labels = Labels::new((0..classes).map(|class| format!("c{class}")).collect::<Vec<_>>());
    let labels = labels.unwrap_or_else(|error| panic!("{error}"));
    Program::new(labels, first.chain(second).take(rules).collect())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Labels that break no rule: a few classes per row, and the classes they imply.
fn labels(program: &Program, rows: usize) -> Vec<bool> {
    let classes = program.labels().len();
    let draws = Draws::new(4, Purpose::Points);
    let mut labels = vec![false; rows * classes];
    for (row, labels) in labels.chunks_exact_mut(classes).enumerate() {
        for pick in 0..4 {
            labels[draws.four(pick, row as u32, 0)[0] as usize % classes] = true;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for rule in program.rules() {
                let holds = rule.body().iter().all(|l| labels[l.label().index()] != l.is_negated());
                changed |= holds && !std::mem::replace(&mut labels[rule.head().index()], true);
            }
        }
    }
    labels
}

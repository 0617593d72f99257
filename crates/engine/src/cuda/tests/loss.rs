//! The loss of training on random programs: however it is divided among blocks, gradients and losses have the
//! same bits, and are those of the CPU up to rounding.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rulebound_core::{
    ConstraintLayer, LabelId, Literal, Program, Rule, Thresholds, logical_violations,
};

use super::gpu;
use super::steps::Scene;
use super::strategy::{hierarchy, labels, program, tangle};
use crate::cuda::Gpu;
use crate::cuda::rules::Plan;
use crate::cuda::training::fleet::Fleet;
use crate::dataset::LabelMatrix;
use crate::network::{Network, Shape, Trainee};
use crate::random::{Draws, Purpose, unit};
use crate::train::{Configuration, Examples, Method, Objective, Stopping};

/// A step of two members, the second of three in a fleet and the first, on random logits.
const SLOTS: [usize; 2] = [1, 0];

/// What a loss is compared on.
struct Case {
    program: Program,
    method: Method,
    rows: usize,
    batch: usize,
    step: usize,
    seed: u64,
}

/// One number from a seed and its place.
fn draw(seed: u64, at: usize, purpose: u32) -> f32 {
    unit(Draws::new(seed, Purpose::Points).four(at as u32, purpose, 0)[0])
}

/// Labels of which every second row obeys the rules.
fn examples(program: &Program, rows: usize, seed: u64) -> Examples {
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(program, Thresholds::uniform(classes, 0.5).unwrap());
    let mut matrix = LabelMatrix::new(classes);
    for row in 0..rows {
        let share = [0.05, 0.4][row / 2 % 2];
        let mut margins: Vec<f32> = (0..classes)
            .map(|class| if draw(seed, row * classes + class, 1) < share { 1.0 } else { -1.0 })
            .collect();
        if row % 2 == 0 {
            let given = margins.clone();
            layer.forward(&given, &mut margins, &mut layer.workspace()).unwrap();
        }
        matrix.push_row();
        for class in (0..classes).filter(|&class| margins[class] > 0.0) {
            matrix.insert(row, LabelId::new(class));
        }
    }
    let inputs = (0..rows * 3).map(|at| draw(seed, at, 2)).collect();
    Examples::from_parts(inputs, 3, matrix)
}

/// What a launch leaves behind, in bits.
#[derive(PartialEq, Eq)]
struct Outcome {
    gradient: Vec<u32>,
    losses: Vec<u64>,
}

/// A fleet before its loss.
struct Launched<'a> {
    fleet: Fleet<'a>,
    /// From one row of logits to the next, and how many rows a member has.
    stride: usize,
    height: usize,
    first: usize,
    count: usize,
}

impl Launched<'_> {
    fn run(&mut self, gpu: &Gpu, plan: &Plan) -> Outcome {
        let members = SLOTS.len() + 1;
        let size = members * self.height * self.stride;
        // Padding stays what it is, everything else is written.
        self.fleet.gradient.write(gpu, 0, &vec![0.0; size]).unwrap();
        self.fleet.loss_by(plan, SLOTS.len(), 0).unwrap();
        let mut gradient = vec![0.0f32; size];
        self.fleet.gradient.read(gpu, 0, &mut gradient).unwrap();
        let losses = SLOTS.map(|slot| self.fleet.losses(slot, self.first, 1).unwrap());
        Outcome {
            gradient: gradient.into_iter().map(f32::to_bits).collect(),
            losses: losses.concat().into_iter().map(f64::to_bits).collect(),
        }
    }
}

impl Case {
    fn assert_same(&self, gpu: &Gpu) {
        let classes = self.program.labels().len();
        let configuration = Configuration {
            method: self.method,
            hidden: vec![4],
            batch: self.batch,
            stopping: Stopping::Epochs(1),
            ..Configuration::default()
        };
        let scene = Scene {
            shape: Shape { inputs: 3, hidden: vec![4], outputs: classes },
            configuration,
            program: &self.program,
            evaluated: (0..classes).map(|class| class == 0 || class % 5 != 3).collect(),
            examples: examples(&self.program, self.rows, self.seed),
            seeds: vec![self.seed, self.seed + 1, self.seed + 2],
        };
        let mut fleet = Fleet::new(gpu, &scene.task()).unwrap();
        fleet.begin_epoch(&[0, 1, 2], 0, 0).unwrap();
        fleet.go_to(&SLOTS, 0, self.step).unwrap();
        let (height, stride) = (fleet.way.rows(fleet.batch), fleet.way.gradient_stride(classes));
        // Whole numbers, so that ties are common, and some that are not.
        let logit = |at: usize| {
            let x = 9.0 * draw(self.seed, at, 3) - 6.0;
            [x, x.round(), x.round()][at % 3]
        };
        let logits: Vec<f32> = (0..3 * height * stride).map(logit).collect();
        fleet.logits.write(gpu, 0, &logits).unwrap();
        let batch = fleet.batch;
        let count = batch.min(self.rows - self.step * batch);
        let mut launched = Launched { fleet, stride, height, first: self.step, count };

        let planned = launched.fleet.objective.plan(gpu, height, SLOTS.len());
        let first = launched.run(gpu, &planned);
        self.assert_as_on_host(&scene, &launched, &logits, &first);
        let (limits, outline) = (gpu.limits.of_plans(), *launched.fleet.objective.rules.outline());
        let may_break = launched.fleet.objective.may_break;
        let mut plans = Plan::losses(limits, &outline, height, SLOTS.len(), may_break);
        let outside = Plan::loss_outside(&outline, height, SLOTS.len());
        launched.fleet.objective.reserve(gpu, outside.outside).unwrap();
        plans.push(outside);
        for plan in plans {
            let text = || format!("{plan:?}, {} rows of {}", self.batch, self.program.to_text());
            let same = launched.run(gpu, &plan) == first;
            assert!(same, "bits depend on the launch: {}", text());
        }
    }

    /// The same step on the CPU.
    fn assert_as_on_host(
        &self,
        scene: &Scene<'_>,
        launched: &Launched<'_>,
        logits: &[f32],
        ours: &Outcome,
    ) {
        let classes = self.program.labels().len();
        let objective = Objective::new(self.method, &self.program, &scene.evaluated);
        let mut space = objective.workspace();
        let terms = scene.evaluated.iter().filter(|&&is| is).count();
        let member = launched.height * launched.stride;
        for (index, slot) in SLOTS.into_iter().enumerate() {
            let seed = scene.seeds[slot];
            let order = Draws::in_epoch(seed, Purpose::Shuffle, 0).shuffle(self.rows);
            let rows = &order[self.step * launched.fleet.batch..][..launched.count];
            let mut labels = vec![false; rows.len() * classes];
            for (&row, labels) in rows.iter().zip(labels.chunks_exact_mut(classes)) {
                scene.examples.labels().unpack(row as usize, labels);
            }
            let start = |row: usize| slot * member + row * launched.stride;
            let given: Vec<f32> =
                (0..rows.len()).flat_map(|row| &logits[start(row)..][..classes]).copied().collect();
            let mut gradient = vec![0.0; given.len()];
            let loss = objective.loss(&given, &labels, &mut gradient, &mut space).unwrap();
            let losses = &ours.losses[index * launched.count..][..launched.count];
            let sum: f64 = losses.iter().map(|&bits| f64::from_bits(bits)).sum();
            let mean = sum / (terms * rows.len()) as f64;
            // A loss may be infinite: of a class that a fact derives and a row lacks.
            let is_near = (mean - loss.mean).abs() <= 1e-6 * loss.mean.abs();
            assert!(mean == loss.mean || is_near, "{mean} {}", loss.mean);
            let largest = 1.0 / (terms * rows.len()) as f32;
            for (row, gradient) in gradient.chunks_exact(classes).enumerate() {
                let bits = &ours.gradient[start(row)..][..classes];
                for (class, (&bits, &exact)) in bits.iter().zip(gradient).enumerate() {
                    let close =
                        (f32::from_bits(bits) - exact).abs() <= 1e-5 * largest.max(exact.abs());
                    assert!(close, "row {row} class {class} of {}", self.program.to_text());
                }
            }
            for row in rows.len()..launched.height {
                let rest = &ours.gradient[start(row)..][..classes];
                assert!(rest.iter().all(|&bits| bits == 0), "row {row} does not exist");
            }
        }
        // Not asked for.
        let other = &ours.gradient[2 * member..];
        assert!(other.iter().all(|&bits| bits == 0));
    }
}

pub(super) fn assert_same_losses(gpu: &Gpu, count: usize) {
    let mut runner = TestRunner::deterministic();
    let programs = prop_oneof![
        3 => program(9, 14),
        2 => program(60, 90),
        1 => program(400, 700),
        2 => tangle(),
        2 => hierarchy(80),
        2 => hierarchy(1500),
    ];
    for at in 0..count {
        let program = programs.new_tree(&mut runner).unwrap().current();
        let method = [Method::Ccn, Method::Ccn, Method::Cm][at % 3];
        let rows: usize = [21, 9, 70][at % 3];
        let batch = [1, 3, 4, 7, 8, 9, 13, 32][at % 8];
        let step = [0, rows.div_ceil(batch.min(rows)) - 1][at / 2 % 2];
        Case { program, method, rows, batch, step, seed: at as u64 }.assert_same(gpu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn the_bits_of_a_loss_do_not_depend_on_its_launch() {
    let gpu = gpu();
    assert_same_losses(&gpu, 150);
}

/// A class with more rules than the lines of a warp hold, negation of single literals, and as many classes as
/// lines can name.
#[test]
#[ignore = "needs a GPU"]
fn the_loss_of_wide_hierarchies() {
    let gpu = gpu();
    for classes in [900, 1 << 14] {
        let mut rules: Vec<Rule> = (3..classes)
            .map(|class| {
                Rule::new(LabelId::new(class % 3), [Literal::positive(LabelId::new(class))])
            })
            .collect();
        rules.push(Rule::new(LabelId::new(4), [Literal::negative(LabelId::new(classes - 1))]));
        let program = Program::new(labels(classes), rules).unwrap();
        Case { program, method: Method::Ccn, rows: 12, batch: 9, step: 0, seed: 5 }
            .assert_same(&gpu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn logits_that_are_no_numbers_are_noticed_and_leave_the_others_alone() {
    let gpu = gpu();
    let program: Program = super::steps::RULES.parse().unwrap();
    for program in [program, "a -> b\nb -> c\nd -> c".parse().unwrap()] {
        let classes = program.labels().len();
        let scene = Scene {
            shape: Shape { inputs: 3, hidden: vec![4], outputs: classes },
            configuration: Configuration { hidden: vec![4], batch: 8, ..Configuration::default() },
            program: &program,
            evaluated: vec![true; classes],
            examples: examples(&program, 8, 1),
            seeds: vec![1, 2, 3],
        };
        let outcome = |row: Option<usize>, plan: Option<&Plan>| {
            let mut fleet = Fleet::new(&gpu, &scene.task()).unwrap();
            fleet.begin_epoch(&[0, 1, 2], 0, 0).unwrap();
            fleet.go_to(&SLOTS, 0, 0).unwrap();
            let (height, stride) = (fleet.way.rows(8), fleet.way.gradient_stride(classes));
            let mut logits: Vec<f32> =
                (0..3 * height * stride).map(|at| draw(4, at, 3) - 0.5).collect();
            if let Some(row) = row {
                logits[(height + row) * stride + 1] = f32::NAN;
            }
            fleet.logits.write(&gpu, 0, &logits).unwrap();
            let mut launched = Launched { fleet, stride, height, first: 0, count: 8 };
            let planned = launched.fleet.objective.plan(&gpu, height, SLOTS.len());
            let outcome = launched.run(&gpu, plan.unwrap_or(&planned));
            let (limits, rules) =
                (gpu.limits.of_plans(), *launched.fleet.objective.rules.outline());
            let may_break = launched.fleet.objective.may_break;
            let plans = Plan::losses(limits, &rules, height, SLOTS.len(), may_break);
            (outcome, launched.fleet.diverged().unwrap(), plans, height * stride, stride)
        };
        let (good, diverged, plans, member, stride) = outcome(None, None);
        assert_eq!(diverged, None);
        for row in [0, 5] {
            for plan in plans.iter().filter(|plan| plan.threads == 64) {
                let (bad, diverged, ..) = outcome(Some(row), Some(plan));
                assert_eq!(diverged, Some(1));
                let at = member + row * stride;
                let mut expected = good.gradient.clone();
                expected[at..at + stride].fill(0);
                assert!(bad.gradient == expected, "{plan:?}");
            }
        }
    }
}

/// A hierarchy of the size and depth of the Gene Ontology: classes level by level, and as many edges; a few
/// classes have very many children.
fn ontology() -> Program {
    const LEVELS: [usize; 15] = [2041, 965, 509, 272, 141, 81, 43, 30, 18, 9, 6, 5, 3, 2, 1];
    const EDGES: usize = 5827;
    let level = |class: usize| {
        let mut end = 0;
        LEVELS.iter().position(|count| {
            end += count;
            class < end
        })
    };
    let classes: usize = LEVELS.iter().sum();
    let mut edges = std::collections::BTreeSet::new();
    let first = |level: usize| LEVELS[..level].iter().sum::<usize>();
    for at in 0.. {
        if edges.len() == EDGES {
            break;
        }
        let class = at % (classes - 1);
        let own = level(class).unwrap();
        // The first parent is one level above; others are anywhere higher.
        let above = if at < classes { 1 } else { 1 + (draw(1, at, 4) * 3.0) as usize };
        let above = (own + above).min(LEVELS.len() - 1);
        let place = draw(1, at, 5).powi(2) * LEVELS[above] as f32;
        edges.insert((class, first(above) + place as usize));
    }
    let rule =
        |(child, parent)| Rule::new(LabelId::new(parent), [Literal::positive(LabelId::new(child))]);
    Program::new(labels(classes), edges.into_iter().map(rule).collect()).unwrap()
}

/// Prints how long the loss takes for each number of rows, of rows per block, and of threads.
#[test]
#[ignore = "needs a GPU"]
fn times() {
    let gpu = gpu();
    let flat: String =
        (1..500).map(|class| format!("c{class} -> c{}\n", (class - 1) / 5)).collect();
    for (name, program) in [("Gene Ontology", ontology()), ("FunCat", flat.parse().unwrap())] {
        let classes = program.labels().len();
        let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
        for rows in [4usize, 32, 128, 512, 2048] {
            let mut matrix = LabelMatrix::new(classes);
            for row in 0..rows {
                let mut margins = vec![-1.0f32; classes];
                for at in 0..3 {
                    margins[(draw(2, 3 * row + at, 6) * classes as f32) as usize] = 1.0;
                }
                let given = margins.clone();
                layer.forward(&given, &mut margins, &mut layer.workspace()).unwrap();
                matrix.push_row();
                for class in (0..classes).filter(|&class| margins[class] > 0.0) {
                    matrix.insert(row, LabelId::new(class));
                }
                let truth: Vec<bool> = margins.iter().map(|&margin| margin > 0.0).collect();
                assert!(logical_violations(&program, &truth).next().is_none());
            }
            let scene = Scene {
                shape: Shape { inputs: 3, hidden: vec![8], outputs: classes },
                configuration: Configuration {
                    hidden: vec![8],
                    batch: rows,
                    ..Configuration::default()
                },
                program: &program,
                evaluated: vec![true; classes],
                examples: Examples::from_parts(vec![0.5; 3 * rows], 3, matrix),
                seeds: vec![0],
            };
            let mut fleet = Fleet::new(&gpu, &scene.task()).unwrap();
            let network = Network::random(scene.shape.clone(), scene.configuration.activation, 0);
            fleet.put(0, &Trainee::new(network), None).unwrap();
            fleet.begin_epoch(&[0], 0, 0).unwrap();
            fleet.go_to(&[0], 0, 0).unwrap();
            let (height, stride) = (fleet.way.rows(rows), fleet.way.gradient_stride(classes));
            let logits: Vec<f32> = (0..height * stride)
                .map(|at| 8.0 * (draw(3, at, 7) + draw(3, at, 8) - 1.0) - 3.0)
                .collect();
            fleet.logits.write(&gpu, 0, &logits).unwrap();
            let outline = *fleet.objective.rules.outline();
            let planned = fleet.objective.plan(&gpu, height, 1);
            let seconds =
                |plan: &Plan| 1e6 * fleet.seconds_of(|| fleet.loss_by(plan, 1, 0)).unwrap();
            println!("{name}, {rows} rows: {:.1} us as planned: {planned:?}", seconds(&planned));
            let least = (classes / 16).min(256);
            let mut plans = Plan::losses(gpu.limits.of_plans(), &outline, height, 1, false);
            plans.retain(|plan| plan.threads >= least);
            for same in
                plans.chunk_by(|a, b| (a.form, a.lanes, a.copied) == (b.form, b.lanes, b.copied))
            {
                let Plan { form, lanes, copied, shared, .. } = same[0];
                let copied = if copied { " copied" } else { "" };
                print!(
                    "    {form:?}{copied}, {lanes} rows per block, {shared} bytes; threads: us "
                );
                for plan in same {
                    print!(" {}: {:.1}", plan.threads, seconds(plan));
                }
                println!();
            }
        }
    }
}

//! The two ways to take a step against each other, and what must not change their bits.

use rulebound_core::{ConstraintLoss, Labels, Program};

use super::step::{Workspace, kernels};
use super::trainee::Trainee;
use super::{Activation, Adam, Dropout, Network, Shape};
use rulebound_io::random::{Draws, Purpose, unit};

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let draws = Draws::new(seed, Purpose::Points);
    (0..count).map(|at| unit(draws.four(at as u32, 0, 0)[0]) - 0.5).collect()
}

fn program(classes: usize) -> Program {
    let labels = Labels::new((0..classes).map(|class| format!("c{class}")).collect::<Vec<_>>());
    let rules = "c1 -> c0\nc2 -> c1\nc3, not c1 -> c4\n";
    rulebound_core::RuleText::new(rules).labels(labels.unwrap()).parse().unwrap().program
}

/// The losses of some steps, and the network after them.
fn train(
    mut space: Workspace,
    shape: &Shape,
    activation: Activation,
    rows: usize,
    steps: u64,
) -> (Vec<f64>, Trainee) {
    let program = program(shape.outputs);
    let loss = ConstraintLoss::new(&program);
    let mut loss_space = loss.workspace();
    let mut trainee = Trainee::new(Network::random(shape.clone(), activation, 3));
    let inputs = numbers(4 * rows * shape.inputs, 1);
    let labels: Vec<bool> =
        numbers(4 * rows * shape.outputs, 2).iter().map(|number| *number > 0.3).collect();
    let size = rows * shape.outputs;
    let (mut logits, mut gradient) = (vec![0.0; size], vec![0.0; size]);
    let losses = (0..steps).map(|step| {
        let part = step as usize % 4;
        let rows = inputs[part * rows * shape.inputs..].chunks(shape.inputs).take(rows);
        let dropout = Dropout { rate: 0.4, seed: 9, epoch: 0, step: step as u32 };
        space.forward(
            &trainee.network,
            rows.collect::<Vec<_>>().into_iter(),
            Some(dropout),
            &mut logits,
        );
        let labels = &labels[part * size..][..size];
        let value =
            loss.forward_backward(&logits, labels, &mut gradient, &mut loss_space).unwrap().value;
        space.backward(&mut trainee, &gradient, Adam::step(step + 1, 1e-3, 1e-5));
        value
    });
    (losses.collect(), trainee)
}

/// Small and large batches take 200 steps to the same losses, up to rounding.
#[test]
fn blocked_steps_follow_fused_ones() {
    let shape = Shape { inputs: 21, hidden: vec![40, 33], outputs: 19 };
    for activation in Activation::ALL {
        for rows in [1, 5, 23, 24, 32, 33, 100, 257] {
            let (fused, _) =
                train(Workspace::blocked_from(usize::MAX), &shape, activation, rows, 200);
            let (blocked, _) = train(Workspace::blocked_from(1), &shape, activation, rows, 200);
            for (step, (fused, blocked)) in fused.iter().zip(&blocked).enumerate() {
                let difference = (fused - blocked).abs() / fused;
                assert!(difference < 1e-4, "{activation} {rows} rows, step {step}: {difference}");
            }
            assert!(fused.last() < fused.first());
        }
    }
}

/// Which of them a batch gets, and that the name says so.
#[test]
fn the_batch_size_decides() {
    let shape = Shape { inputs: 6, hidden: vec![30], outputs: 9 };
    for rows in [1, 4, 23, 24, 25, 64] {
        let of = |space| train(space, &shape, Activation::Relu, rows, 3).1;
        let from = if kernels(rows).is_some() { 1 } else { usize::MAX };
        assert_eq!(of(Workspace::default()), of(Workspace::blocked_from(from)));
        assert_eq!(kernels(rows).is_some(), rows >= 24);
    }
    // They do not have the same bits, or the test above would say nothing.
    let of = |from| train(Workspace::blocked_from(from), &shape, Activation::Tanh, 64, 3).1;
    assert_ne!(of(1), of(usize::MAX));
}

#[test]
fn threads_do_not_change_a_bit_of_blocked_steps() {
    let shape = Shape { inputs: 130, hidden: vec![310, 290], outputs: 150 };
    for rows in [24, 130] {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(Workspace::default(), &shape, Activation::Relu, rows, 4))
        };
        let one = with(1);
        for threads in [2, 3, 8] {
            assert!(with(threads) == one, "{threads} threads, {rows} rows");
        }
    }
}

/// Memory that was used for larger and smaller batches before gives the same bits.
#[test]
fn what_was_there_before_changes_nothing() {
    let shape = Shape { inputs: 11, hidden: vec![35], outputs: 8 };
    let network = Network::random(shape, Activation::Relu, 4);
    let inputs = numbers(90 * 11, 3);
    let dropout = Dropout { rate: 0.5, seed: 2, epoch: 1, step: 1 };
    let logits = |space: &mut Workspace, rows: usize| {
        let mut logits = vec![0.0; rows * 8];
        space.forward(&network, inputs.chunks(11).take(rows), Some(dropout), &mut logits);
        let mut trainee = Trainee::new(network.clone());
        space.backward(&mut trainee, &logits, Adam::step(1, 1e-2, 0.0));
        (logits, trainee)
    };
    let mut used = Workspace::default();
    for rows in [90, 24, 70, 3, 33, 90] {
        assert!(logits(&mut used, rows) == logits(&mut Workspace::default(), rows), "{rows}");
    }
    // The logits of a row do not depend on the rows after it.
    let (few, _) = logits(&mut used, 24);
    assert_eq!(logits(&mut used, 90).0[..few.len()], few);
}

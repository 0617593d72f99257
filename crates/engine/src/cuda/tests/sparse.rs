//! Sparse rows: the bits of the same rows dense, and lazy updates as on the CPU.

use rulebound_core::{LabelId, Program};

use super::gpu;
use super::steps::{RULES, Scene, apart, largest_difference};
use crate::cuda::Gpu;
use crate::cuda::training::fleet::Fleet;
use crate::dataset::LabelMatrix;
use crate::network::{Network, Shape, SparseUpdate, Trainee};
use crate::random::{Draws, Purpose, unit};
use crate::train::{Configuration, Examples, Method};

/// Rows of which every third lists one cell in eight, and the others one in forty: some batches
/// list more than one cell in sixteen, some fewer. The first lists none; some of the cells are −0.
fn examples(rows: usize, width: usize, classes: usize) -> Examples {
    let draws = Draws::new(5, Purpose::Points);
    let number = |at: usize, row: usize, which| unit(draws.four(at as u32, row as u32, 0)[which]);
    let mut inputs = vec![0.0; rows * width];
    let mut labels = LabelMatrix::new(classes);
    for row in 0..rows {
        let most = if row % 3 == 0 { 1.0 / 8.0 } else { 1.0 / 40.0 };
        for column in (0..width).filter(|&at| row > 0 && number(at, row, 0) < most) {
            let value = number(column, row, 1);
            let is_nothing = value < 0.1;
            inputs[row * width + column] = if is_nothing { -0.0 } else { 2.0 * value - 1.0 };
        }
        labels.push_row();
        for class in (0..classes).filter(|&class| number(class, row, 2) < 0.4) {
            labels.insert(row, LabelId::new(class));
        }
    }
    Examples::from_parts(inputs, width, labels)
}

fn scene(program: &Program, batch: usize, width: usize, update: SparseUpdate) -> Scene<'_> {
    let (hidden, classes) = (vec![70, 9], program.labels().len());
    Scene {
        shape: Shape { inputs: width, hidden: hidden.clone(), outputs: classes },
        configuration: Configuration {
            method: Method::Ccn,
            hidden,
            batch,
            dropout: 0.3,
            learning_rate: 1e-3,
            weight_decay: 1e-3,
            sparse_update: update,
            ..Configuration::default()
        },
        program,
        evaluated: vec![true; classes],
        examples: examples(101, width, classes),
        seeds: vec![1, 2, 3],
    }
}

/// Exact updates have the bits of dense rows, lazy ones the weights of the CPU's, up to rounding.
pub(super) fn assert_sparse_alike(gpu: &Gpu, batch: usize, width: usize, steps: usize) {
    let program: Program = RULES.parse().unwrap();
    let mut exact = scene(&program, batch, width, SparseUpdate::Exact);
    let dense = exact.on_gpu(gpu, steps);
    let rows = exact.examples.stored_sparse();
    exact.examples = rows.clone();
    let sparse = exact.on_gpu(gpu, steps);
    assert_eq!(sparse, dense, "batch {batch}, {width} columns");
    let lazy = Scene { examples: rows, ..scene(&program, batch, width, SparseUpdate::Lazy) };
    for (slot, (losses, trainee)) in lazy.on_gpu(gpu, steps).iter().enumerate() {
        let (host_losses, host) = lazy.on_host(lazy.seeds[slot], steps);
        let difference = largest_difference(losses, &host_losses);
        let case = format!("batch {batch}, {width} columns, member {slot}");
        assert!(difference < 1e-3, "{case}: {difference}");
        // Steps of 0.001; exact updates are at least one of them away, wherever columns wait.
        assert!(apart(trainee, &host) < 5e-4, "{case}: {}", apart(trainee, &host));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn sparse_rows_are_the_dense_ones_and_lazy_updates_those_of_the_cpu() {
    let gpu = gpu();
    for width in [15, 130, 700, 2500] {
        for batch in [1, 3, 4, 7, 8, 9, 32, 70, 101] {
            assert_sparse_alike(&gpu, batch, width, 20);
        }
    }
}

/// More columns than one block marks.
#[test]
#[ignore = "needs a GPU"]
fn columns_of_several_markers() {
    let gpu = gpu();
    let program: Program = RULES.parse().unwrap();
    let (width, hidden, classes) = (270_000, vec![8], program.labels().len());
    for batch in [4, 16] {
        let lazy = Scene {
            shape: Shape { inputs: width, hidden: hidden.clone(), outputs: classes },
            configuration: Configuration {
                hidden: hidden.clone(),
                batch,
                learning_rate: 1e-3,
                weight_decay: 1e-3,
                sparse_update: SparseUpdate::Lazy,
                ..Configuration::default()
            },
            program: &program,
            evaluated: vec![true; classes],
            examples: examples(34, width, classes).stored_sparse(),
            seeds: vec![1, 2],
        };
        let ours = lazy.on_gpu(&gpu, 9);
        let (losses, host) = lazy.on_host(2, 9);
        let difference = largest_difference(&ours[1].0, &losses);
        assert!(difference < 1e-3, "batch {batch}: {difference}");
        assert!(apart(&ours[1].1, &host) < 5e-4, "batch {batch}: {}", apart(&ours[1].1, &host));
    }
}

/// To the last bit: weights and moments of the columns that no row of any batch lists.
#[test]
#[ignore = "needs a GPU"]
fn lazy_steps_leave_columns_alone_that_no_row_lists() {
    let gpu = gpu();
    let program: Program = RULES.parse().unwrap();
    for batch in [2, 8, 20] {
        let mut lazy = scene(&program, batch, 2500, SparseUpdate::Lazy);
        // Rows 1 and 2 of each three: one cell in forty.
        let (width, classes) = (2500, program.labels().len());
        let all = examples(30, width, classes);
        let kept: Vec<usize> = (0..30).filter(|row| row % 3 != 0).collect();
        let inputs: Vec<f32> = kept.iter().flat_map(|&row| all.row(row).to_vec()).collect();
        let listed: Vec<bool> = (0..width)
            .map(|column| (0..kept.len()).any(|row| inputs[row * width + column].to_bits() != 0))
            .collect();
        let labels = all.labels().selected(&kept);
        lazy.examples = Examples::from_parts(inputs, width, labels).stored_sparse();
        let mut fleet = Fleet::new(&gpu, &lazy.task()).unwrap();
        let fresh = |seed| Network::random(lazy.shape.clone(), lazy.configuration.activation, seed);
        for (slot, &seed) in lazy.seeds.iter().enumerate() {
            fleet.put(slot, &Trainee::new(fresh(seed)), None).unwrap();
        }
        // Not all of the members, and not in order.
        let slots = [2, 0];
        for epoch in 0..3 {
            fleet.begin_epoch(&slots, epoch, (epoch * fleet.steps()) as u64).unwrap();
            fleet.run(&slots, epoch, 0, fleet.steps()).unwrap();
        }
        for (slot, &seed) in lazy.seeds.iter().enumerate() {
            let (before, after) = (fresh(seed), fleet.take(slot).unwrap());
            let before = before.layers()[0].weights();
            let [first, _] = &after.moments[0];
            let after = after.network.layers()[0].weights().zip(first.weights());
            let mut changed = 0;
            for (at, (before, (after, moment))) in before.zip(after).enumerate() {
                if slot == 1 || !listed[at % width] {
                    assert!(before == after && moment == 0.0, "batch {batch}, weight {at}");
                }
                changed += usize::from(before != after);
            }
            assert_eq!(changed > 0, slot != 1, "batch {batch}");
        }
    }
}

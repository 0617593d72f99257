//! The engine's gradients against finite differences of a slow network in double precision.

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, Labels, Program, RuleText, Thresholds,
};

use super::labels::complement;
use super::objective::Objective;
use crate::configuration::Method;
use crate::network::{Activation, Dropout, Network, Record, Shape, Trainee, Workspace};
use crate::random::{Draws, Purpose, unit};

const RULES: &str = "b -> a\nc, not b -> d\nd -> e\nnot a, not e -> f\ng -> h\nh -> g\n";
const ROWS: usize = 6;

/// A textbook network in double precision; weights layer by layer, output by output, the bias
/// last.
struct Slow {
    shape: Shape,
    activation: Activation,
    dropout: Option<Dropout>,
}

impl Slow {
    fn logits(&self, weights: &[Vec<f64>], row: usize, input: &[f32]) -> Vec<f64> {
        let mut values: Vec<f64> = input.iter().map(|&x| x.into()).collect();
        let last = self.shape.hidden.len();
        for (index, (inputs, outputs)) in self.shape.layers().enumerate() {
            let sums = (0..outputs).map(|output| {
                let weights = &weights[index][output * (inputs + 1)..][..inputs + 1];
                let products = weights.iter().zip(&values).map(|(w, x)| w * x);
                products.sum::<f64>() + weights[inputs]
            });
            values = sums.collect();
            if index < last {
                for (unit, value) in values.iter_mut().enumerate() {
                    let factor = self.dropout.map_or(1.0, |dropout| {
                        let quad = (unit / 4) as u32;
                        dropout.layer(index as u8).factors(quad, row as u32)[unit % 4]
                    });
                    *value = f64::from(factor)
                        * match self.activation {
                            Activation::Relu => value.max(0.0),
                            Activation::Tanh => value.tanh(),
                        };
                }
            }
        }
        values
    }
}

/// The loss of a method, from its definition.
fn slow_loss(method: Method, program: &Program, logits: &[f64], labels: &[bool]) -> f64 {
    let classes = program.labels().len();
    let plain = ConstraintLoss::new(&program.without_rules());
    let mut none = vec![0.0; logits.len()];
    match method {
        Method::Ccn => {
            let loss = ConstraintLoss::new(program);
            loss.forward_backward(logits, labels, &mut none, &mut loss.workspace()).unwrap().value
        }
        Method::Cm => {
            let layer = ConstraintLayer::new(program, Thresholds::half(classes));
            let mut coherent = vec![0.0; logits.len()];
            let mut who = vec![Delegate::default(); logits.len()];
            let mut space = layer.workspace();
            layer.forward_with_delegates(logits, &mut coherent, &mut who, &mut space).unwrap();
            let mut space = plain.workspace();
            plain.forward_backward(&coherent, labels, &mut none, &mut space).unwrap().value
        }
        _ => {
            let mut space = plain.workspace();
            plain.forward_backward(logits, labels, &mut none, &mut space).unwrap().value
        }
    }
}

fn program() -> Program {
    let labels = Labels::new(["a", "b", "c", "d", "e", "f", "g", "h"]).unwrap();
    RuleText::new(RULES).labels(labels).parse().unwrap().program
}

/// Labels that break no rule, different in every row.
fn labels(program: &Program, method: Method) -> Vec<bool> {
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(program, Thresholds::half(classes));
    let draws = Draws::new(5, Purpose::Points);
    let mut all = Vec::new();
    for row in 0..ROWS {
        let margins: Vec<f32> = (0..classes)
            .map(|class| unit(draws.four(class as u32, row as u32, 0)[0]) - 0.6)
            .collect();
        let mut coherent = vec![0.0; classes];
        layer.forward(&margins, &mut coherent, &mut layer.workspace()).unwrap();
        let truth: Vec<bool> = coherent.iter().map(|&m| m > 0.0).collect();
        all.extend(if method == Method::Complement { complement(program, &truth) } else { truth });
    }
    all
}

fn check(method: Method, activation: Activation, hidden: &[usize], rate: f64) {
    for from in [usize::MAX, 1] {
        check_step(Workspace::blocked_from(from), method, activation, hidden, rate);
    }
}

/// With the steps of small batches or of large ones.
fn check_step(
    mut space: Workspace,
    method: Method,
    activation: Activation,
    hidden: &[usize],
    rate: f64,
) {
    let program = program();
    let classes = program.labels().len();
    let shape = Shape { inputs: 5, hidden: hidden.to_vec(), outputs: classes };
    let network = Network::random(shape.clone(), activation, 11);
    let draws = Draws::new(9, Purpose::Points);
    let inputs: Vec<f32> =
        (0..ROWS * 5).map(|i| 4.0 * unit(draws.four(i as u32, 0, 0)[0]) - 2.0).collect();
    let labels = labels(&program, method);
    let dropout = (rate > 0.0).then_some(Dropout { rate, seed: 4, epoch: 1, step: 2 });

    let mut weights: Vec<Vec<f64>> = Vec::new();
    for layer in network.layers() {
        let own: Vec<f32> = layer.weights().collect();
        let rows = own.chunks(layer.inputs()).zip(layer.biases());
        weights.push(
            rows.flat_map(|(row, bias)| row.iter().copied().chain([bias]).map(f64::from)).collect(),
        );
    }

    let objective = Objective::new(method, &program, &vec![true; classes]);
    let mut trainee = Trainee::new(network);
    let (mut logits, mut gradient) = (vec![0.0; ROWS * classes], vec![0.0; ROWS * classes]);
    space.forward(&trainee.network, inputs.chunks(5), dropout, &mut logits);
    let value =
        objective.loss(&logits, &labels, &mut gradient, &mut objective.workspace()).unwrap();
    space.backward(&mut trainee, &gradient, Record);

    let slow = Slow { shape, activation, dropout };
    let loss = |weights: &[Vec<f64>]| {
        let rows = inputs.chunks(5).enumerate();
        let logits: Vec<f64> =
            rows.flat_map(|(row, input)| slow.logits(weights, row, input)).collect();
        slow_loss(method, &program, &logits, &labels)
    };
    assert!((loss(&weights) - value.mean).abs() < 1e-6);
    let mut nonzero = 0;
    for layer in 0..weights.len() {
        let moments = &trainee.moments[layer][0];
        let (own, biases): (Vec<f32>, Vec<f32>) =
            (moments.weights().collect(), moments.biases().collect());
        let wide = moments.inputs() + 1;
        for at in 0..weights[layer].len() {
            let (output, input) = (at / wide, at % wide);
            let found = match input + 1 == wide {
                true => biases[output],
                false => own[output * moments.inputs() + input],
            };
            const STEP: f64 = 1e-5;
            let before = weights[layer][at];
            weights[layer][at] = before + STEP;
            let above = loss(&weights);
            weights[layer][at] = before - STEP;
            let below = loss(&weights);
            weights[layer][at] = before;
            let expected = (above - below) / (2.0 * STEP);
            let near = 1e-6 + 1e-4 * expected.abs();
            assert!(
                (f64::from(found) - expected).abs() < near,
                "{method} {activation} {hidden:?} layer {layer} weight {at}: {found} instead of {expected}"
            );
            nonzero += usize::from(expected.abs() > 1e-4);
        }
    }
    assert!(nonzero > 20, "only {nonzero} gradients are nonzero");
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for method in Method::NETWORKS {
        for activation in Activation::ALL {
            for hidden in [&[][..], &[7], &[9, 6], &[5, 40, 3]] {
                check(method, activation, hidden, 0.0);
            }
            check(method, activation, &[16, 12], 0.4);
        }
    }
}

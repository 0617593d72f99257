//! The network, its initial weights and Adam against PyTorch's own numbers
//! (`benches/peers/make_adam_fixture.py` makes them).

use rulebound_core::{ConstraintLoss, Labels, Program};
use rulebound_network::{Activation, Adam, Linear, Network, Trainee, Workspace};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn singles(value: &Value) -> Vec<f32> {
    numbers(value).into_iter().map(|number| number as f32).collect()
}

fn fixture() -> Value {
    serde_json::from_str(include_str!("../fixtures/adam.json")).unwrap()
}

#[test]
fn twenty_steps_are_those_of_pytorch() {
    let fixture = fixture();
    let shape: Vec<usize> = numbers(&fixture["shape"]).iter().map(|&n| n as usize).collect();
    let start = &fixture["start"];
    let (inputs, targets) = (singles(&start["inputs"]), numbers(&start["targets"]));
    let labels: Vec<bool> = targets.iter().map(|&target| target == 1.0).collect();
    let names: Vec<String> = (0..shape[3]).map(|class| format!("c{class}")).collect();
    let program = Program::new(Labels::new(names).unwrap(), vec![]).unwrap();
    let loss = ConstraintLoss::new(&program);
    let mut cases = 0;
    for case in fixture["cases"].as_array().unwrap() {
        let layers = start["layers"].as_array().unwrap().iter().zip(shape.windows(2));
        let layers = layers.map(|(layer, sizes)| {
            let (weight, bias) = (singles(&layer["weight"]), singles(&layer["bias"]));
            Linear::from_parts(sizes[0], sizes[1], &weight, &bias)
        });
        let activation: Activation = case["activation"].as_str().unwrap().parse().unwrap();
        let mut trainee = Trainee::new(Network::from_layers(activation, layers.collect()));
        let mut space = Workspace::default();
        let mut loss_space = loss.workspace();
        let (mut logits, mut gradient) = (vec![0.0f32; labels.len()], vec![0.0f32; labels.len()]);
        let decay = case["weight_decay"].as_f64().unwrap();
        let rate = fixture["learning_rate"].as_f64().unwrap();
        for (step, expected) in numbers(&case["loss_before_step"]).into_iter().enumerate() {
            space.forward(&trainee.network, inputs.chunks(shape[0]), None, &mut logits);
            let value =
                loss.forward_backward(&logits, &labels, &mut gradient, &mut loss_space).unwrap();
            assert!((value.value - expected).abs() < 2e-6, "step {step}: {}", value.value);
            space.backward(&mut trainee, &gradient, Adam::step(step as u64 + 1, rate, decay));
        }
        let layers = case["final_layers"].as_array().unwrap().iter();
        for (layer, found) in layers.zip(trainee.network.layers()) {
            let pairs = found.weights().zip(singles(&layer["weight"]));
            for (found, expected) in pairs.chain(found.biases().zip(singles(&layer["bias"]))) {
                assert!((found - expected).abs() < 5e-6, "{found} for {expected}");
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 8);
}

#[test]
fn first_weights_lie_where_pytorch_puts_them() {
    for case in fixture()["linear_initial_bounds"].as_array().unwrap() {
        let inputs = case["fan_in"].as_u64().unwrap() as usize;
        let outputs = case["outputs"].as_u64().unwrap() as usize;
        let bound = case["bound"].as_f64().unwrap();
        let layer = Linear::random(inputs, outputs, 1, 0);
        for numbers in [layer.weights().collect::<Vec<_>>(), layer.biases().collect()] {
            let most = numbers.iter().map(|w| f64::from(w.abs())).fold(0.0, f64::max);
            let mean = numbers.iter().map(|&w| f64::from(w)).sum::<f64>() / numbers.len() as f64;
            let deviation = bound / (3.0 * numbers.len() as f64).sqrt();
            assert!(most <= bound && most > 0.98 * bound, "{most} of {bound}");
            assert!(mean.abs() < 4.0 * deviation, "{mean}");
        }
    }
}

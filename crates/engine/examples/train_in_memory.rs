//! Rows in memory and rules to a model, and its predictions for new rows.
//!
//!     cargo run --release -p rulebound --example train_in_memory

use rulebound::core::Program;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::{Dataset, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules: Program = "cat -> animal\ndog -> animal".parse()?;
    // Weight and fur; then cat, animal, dog: the classes in the order of the rules.
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for n in 0..60u8 {
        let step = f32::from(n);
        let (weight, fur, cat, dog) = match n % 3 {
            0 => (3.0 + step / 40.0, 1.0, true, false),
            1 => (20.0 + step / 5.0, 1.0, false, true),
            _ => (50.0 + step, 0.0, false, false),
        };
        x.push([weight, fur]);
        y.push([cat, cat || dog, dog]);
    }
    let data = Dataset::from_rows(&x, &y, rules)?.with_column_names(["weight", "fur"])?;
    let model = Trainer::new().hidden([16]).epochs(20).fit(&data)?;

    let mut predictor = model.predictor(data.columns())?;
    let mut out = Predictions::default();
    predictor.predict(FeatureRows::dense(&[3.5, 1.0, 80.0, 0.0], 2)?, &mut out)?;
    for (row, decisions) in out.decisions().chunks(3).enumerate() {
        println!("row {row}: cat {}, animal {}, dog {}", decisions[0], decisions[1], decisions[2]);
        // Whatever the network says: a cat is an animal, and so is a dog.
        assert!(decisions[1] || !(decisions[0] || decisions[2]));
    }
    Ok(())
}

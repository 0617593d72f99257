//! The scores of any model, made to obey rules.
//!
//!     cargo run --release -p rulebound --example apply

use rulebound::core::{ConstraintLayer, Program, Thresholds, Violations};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program: Program = "stomach -> abdomen\nabdomen, not upper -> lower".parse()?;
    let labels = program.labels();
    // The logits of two images, one per class: stomach, abdomen, upper, lower.
    let logits = [1.5f32, -0.5, -2.0, -1.0, -3.0, -0.2, 0.4, -0.1];
    let thresholds = Thresholds::half(labels.len());
    let layer = ConstraintLayer::new(&program, thresholds);
    let mut coherent = [0.0; 8];
    layer.forward(&logits, &mut coherent, &mut layer.workspace())?;
    for (raw, coherent) in logits.chunks(4).zip(coherent.chunks(4)) {
        println!("{raw:?} becomes {coherent:?}");
    }
    let predicted = coherent.map(|margin| margin > 0.0);
    assert_eq!(Violations::logical(&program, &predicted).rows(), 0);
    Ok(())
}

//! Why classes are predicted: the rules and scores behind a prediction.
//!
//!     cargo run --release -p rulebound --example explain

use rulebound::core::{Program, Thresholds};
use rulebound::explain::{Explanation, ScoreKind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program: Program = "stomach -> abdomen\nabdomen, not upper -> lower".parse()?;
    let thresholds = Thresholds::half(program.labels().len());
    // The network's probabilities: stomach, abdomen, upper, lower.
    let scores = vec![0.8, 0.3, 0.1, 0.2];
    let row = Explanation::new(&program, thresholds, ScoreKind::Probability, scores, false)?;
    print!("{}", row.tree(&row.changed(), 20));
    let lower = program.labels().find("lower").ok_or("no such class")?;
    assert!(row.is_predicted(lower) && row.network_score(lower) < 0.5);
    Ok(())
}

//! A table and rules to a model, and predictions for rows of the same columns.
//!
//!     cargo run --release -p rulebound --example train

use rulebound::{Source, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("rulebound-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (table, rules) = (folder.join("pets.csv"), folder.join("pets.rules"));
    let rows = (0..60).map(|n| match n % 3 {
        0 => format!("{},yes,1,0,1\n", 3.0 + f64::from(n) / 40.0),
        1 => format!("{},yes,0,1,1\n", 20.0 + f64::from(n) / 5.0),
        _ => format!("{},no,0,0,0\n", 50.0 + f64::from(n)),
    });
    std::fs::write(&table, "weight,fur,cat,dog,animal\n".to_owned() + &rows.collect::<String>())?;
    std::fs::write(&rules, "cat -> animal\ndog -> animal\n")?;

    let data = Source::open(&table).labels("cat,dog,animal").rules(&rules).read()?;
    let model = Trainer::new().hidden([16]).epochs(20).members(2).fit(&data)?;
    let predictions = model.predict(&data, 0..3)?;
    for (row, decisions) in predictions.decisions().chunks(3).enumerate() {
        println!("row {row}: cat {}, dog {}, animal {}", decisions[0], decisions[1], decisions[2]);
        // Whatever the network says: a cat is an animal.
        assert!(decisions[2] || !(decisions[0] || decisions[1]));
    }
    model.save(folder.join("pets.rulebound"))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

//! Rules that hold among the labels of a data set.
//!
//!     cargo run --release -p rulebound --example mine

use rulebound::dataset::{Builtin, Step};
use rulebound::mine::{Options, mine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    let options = Options { negation: true, ..Options::default() };
    let mined = mine(data.labels(), 0..data.rows(), &options)?;
    for found in &mined.rules {
        let rule = found.rule.display(data.classes());
        println!("{rule}  ({} of {} rows)", found.hits, found.body_rows);
    }
    assert!(!mined.rules.is_empty());
    Ok(())
}

//! How long mining takes.
//!
//! `cargo bench -p rulebound-data --bench mine -- [SOURCE] [negation] [key=value ...]`
//!
//! Without a source: 101 labels and 6,000 rows of generated topics. Keys: `support` (0.005),
//! `confidence` (1), `body` (4), `rules` and `bodies` (the limits), `threads`.
#![allow(clippy::print_stdout)]

#[path = "../tests/mine/scene.rs"]
mod scene;

use std::time::Instant;

use rulebound_data::dataset::{ReadOptions, Source};
use rulebound_data::mine::{Options, mine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options { min_support: 0.005, max_body: 4, ..Options::default() };
    let mut source = None;
    // Cargo adds `--bench` of its own accord.
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        match argument.split_once('=') {
            Some(("support", value)) => options.min_support = value.parse()?,
            Some(("confidence", value)) => options.min_confidence = value.parse()?,
            Some(("body", value)) => options.max_body = value.parse()?,
            Some(("rules", value)) => options.max_rules = value.parse()?,
            Some(("bodies", value)) => options.max_bodies = value.parse()?,
            Some(("threads", value)) => {
                rayon::ThreadPoolBuilder::new().num_threads(value.parse()?).build_global()?;
            }
            _ if argument == "negation" => options.negation = true,
            _ => source = Some(argument),
        }
    }
    let labels = match &source {
        None => scene::topics(6000, 1),
        Some(source) => source.parse::<Source>()?.read(&ReadOptions::default())?.labels().clone(),
    };
    let positives: usize = (0..labels.rows()).map(|row| labels.positives(row).count()).sum();
    println!(
        "{}: {} labels, {} rows, {:.2} labels a row",
        source.as_deref().unwrap_or("topics"),
        labels.classes(),
        labels.rows(),
        positives as f64 / labels.rows() as f64
    );
    println!("{options:?}");
    let start = Instant::now();
    match mine(&labels, 0..labels.rows(), &options) {
        Ok(mined) => println!(
            "{} rules, {} left out, {:.2?}",
            mined.rules.len(),
            mined.unstratified,
            start.elapsed()
        ),
        Err(error) => println!("{error} ({:.2?})", start.elapsed()),
    }
    Ok(())
}

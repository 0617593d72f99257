//! What wide data with few values takes: memory and time from the file to the trained model.
//!
//! `cargo bench -p rulebound --bench sparse [-- ROWS COLUMNS VALUES HIDDEN BATCH]`, by default 20,000
//! rows of 50,000 columns with 80 values each, 500 hidden units and batches of 256. The data is generated;
//! the peak of resident memory is what the system reports (Linux). `benches/peers/sparse_training.py` trains
//! the same network in PyTorch.

use std::fmt::Write;
use std::time::Instant;

use rulebound::train::{Configuration, EpochRecord, Observer, Stopping};
use rulebound::{Source, Trainer};
use rulebound_network::SparseUpdate;
use rulebound_testing::{Random, process_memory};

/// Tags; each brings words of its own.
const TAGS: usize = 300;

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let number = |place: usize, usual| numbers.get(place).copied().unwrap_or(usual);
    let (rows, columns, values) = (number(0, 20_000), number(1, 50_000), number(2, 80));
    let (hidden, batch) = (number(3, 500), number(4, 256));
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("words.svm");
    let text = generate(rows, columns, values);
    std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "file {:.1} MB, dense rows would be {:.1} MB",
        mega(text.len()),
        mega(4 * rows * columns)
    );
    drop(text);
    let start = Instant::now();
    let data = Source::open(&path).read().unwrap_or_else(|error| panic!("{error}"));
    println!("read in {:.2} s, peak {}", start.elapsed().as_secs_f64(), peak());
    for sparse_update in SparseUpdate::ALL {
        let stopping = Stopping::Epochs(3);
        let hidden = vec![hidden];
        let configuration =
            Configuration { hidden, batch, stopping, sparse_update, ..Configuration::default() };
        let start = Instant::now();
        let trainer = Trainer::new().configuration(configuration).observer(&Epochs);
        trainer.fit(&data).unwrap_or_else(|error| panic!("{error}"));
        let seconds = start.elapsed().as_secs_f64();
        println!("{sparse_update}: three epochs in {seconds:.2} s, peak {}", peak());
    }
}

/// Prints the time of each epoch.
struct Epochs;

impl Observer for Epochs {
    fn epoch(&self, record: &EpochRecord) {
        println!("  epoch {}: loss {:.5}, {:.2} s", record.epoch, record.loss, record.seconds);
    }
}

fn generate(rows: usize, columns: usize, values: usize) -> String {
    let mut random = Random::new(1);
    let mut text = String::new();
    for _ in 0..rows {
        let tag = random.below(TAGS);
        let place = |random: &mut Random| match random.below(2) {
            0 => (tag * columns / TAGS + random.below(columns / TAGS + 1)) % columns,
            _ => random.below(columns),
        };
        let mut places: Vec<usize> = (0..values).map(|_| place(&mut random)).collect();
        places.sort_unstable();
        places.dedup();
        // Writing to a string cannot fail.
        let _ = write!(text, "{tag}");
        for place in places {
            let _ = write!(text, " {}:0.{:03}", place + 1, 1 + random.below(999));
        }
        text.push('\n');
    }
    text
}

fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The peak of resident memory so far.
fn peak() -> String {
    let peak = process_memory("VmHWM");
    peak.map_or("unknown".to_owned(), |bytes| format!("{} kB", bytes / 1024))
}

//! Rows on a disk beside rows in memory: time per epoch, and memory.
//!
//! `cargo bench -p rulebound --bench stream [-- ROWS COLUMNS BATCH BUFFER]`, by default 2,000,000 rows of 256 columns (2 GB), batches of 512
//! and a shuffle buffer of 250,000 rows. Two hidden layers of 256 units, 20 classes. The data is generated in the folder of temporary files
//! (`TMPDIR`), which should be on the disk that is measured. Rows on a disk come first, because the peak of resident memory (Linux) only
//! grows. Add `memory` or `disk` to train on only one of them, and `text` to read CSV instead of a NumPy array.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use rulebound::Trainer;
use rulebound::dataset::{LabelColumns, ReadOptions, Source};
use rulebound::storage::Storage;
use rulebound::train::{Configuration, EpochRecord, Observer, Stopping};
use rulebound_testing::{Random, process_memory, write_array};

const CLASSES: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let number = |place: usize, usual| numbers.get(place).copied().unwrap_or(usual);
    let (rows, columns) = (number(0, 2_000_000), number(1, 256));
    let (batch, buffer) = (number(2, 512), number(3, 250_000));
    let is_asked = |word: &str| words.iter().any(|asked| asked == word);
    let folder = tempfile::tempdir()?;
    let (table, array) = (folder.path().join("x.csv"), folder.path().join("x.npy"));
    let labels = folder.path().join("y.npy");
    let mut options = ReadOptions::default();
    let path = if is_asked("text") {
        write_table(&table, rows, columns)?;
        options.labels = Some(LabelColumns::Last(CLASSES));
        table
    } else {
        let mut random = Random::new(1);
        write_array(&array, "<f4", (rows, columns), |_, bytes| {
            (0..columns).for_each(|_| bytes.extend(cell(&mut random).to_le_bytes()));
        })?;
        write_array(&labels, "|u1", (rows, CLASSES), |row, bytes| bytes.extend(marks(row)))?;
        options.label_array = Some(labels);
        array
    };
    let size = std::fs::metadata(&path)?.len();
    println!("{rows} rows of {columns} columns, {:.0} MB in {}", size as f64 / 1e6, kind(&path));
    for (name, storage) in
        [("disk", Storage::Disk(folder.path().to_owned())), ("memory", Storage::Memory)]
    {
        let others = ["disk", "memory"].into_iter().filter(|other| *other != name);
        if !is_asked(name) && others.into_iter().any(is_asked) {
            continue;
        }
        let start = Instant::now();
        let data = Source::Path(path.clone()).read(&ReadOptions { storage, ..options.clone() })?;
        println!("{name}: read in {:.1} s, peak {}", start.elapsed().as_secs_f64(), peak());
        let configuration = Configuration {
            hidden: vec![256, 256],
            batch,
            shuffle_buffer: Some(buffer),
            stopping: Stopping::Epochs(3),
            ..Configuration::default()
        };
        Trainer::new().configuration(configuration).observer(&Epochs).fit(&data)?;
        println!("{name}: {:.1} s in all, peak {}", start.elapsed().as_secs_f64(), peak());
    }
    Ok(())
}

/// Prints the time of each epoch.
struct Epochs;

impl Observer for Epochs {
    fn epoch(&self, record: &EpochRecord) {
        println!("  epoch {}: loss {:.6}, {:.2} s", record.epoch, record.loss, record.seconds);
    }
}

fn cell(random: &mut Random) -> f32 {
    random.below(1 << 16) as f32 / 4096.0
}

fn marks(row: usize) -> impl Iterator<Item = u8> {
    (0..CLASSES).map(move |class| u8::from((row * 7 + class * 3).is_multiple_of(class + 2)))
}

fn write_table(path: &Path, rows: usize, columns: usize) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let names = (0..columns).map(|at| format!("x{at}"));
    let names: Vec<String> = names.chain((0..CLASSES).map(|at| format!("y{at}"))).collect();
    writeln!(file, "{}", names.join(","))?;
    let mut random = Random::new(1);
    for row in 0..rows {
        let cells = (0..columns).map(|_| cell(&mut random).to_string());
        let cells: Vec<String> = cells.chain(marks(row).map(|mark| mark.to_string())).collect();
        writeln!(file, "{}", cells.join(","))?;
    }
    file.flush()
}

fn kind(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().into_owned()
}

fn peak() -> String {
    match process_memory("VmHWM") {
        Some(bytes) => format!("{:.0} MiB", bytes as f64 / (1 << 20) as f64),
        None => "unknown".to_owned(),
    }
}

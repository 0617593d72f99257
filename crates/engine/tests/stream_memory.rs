//! What rows on a disk take, from the file to the trained model. Alone in its process, because memory is counted in
//! all threads.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use std::io::Write;

use rulebound::Trainer;
use rulebound::dataset::{ReadOptions, Source};
use rulebound::storage::{RESIDENT, Storage};
use rulebound_testing::Scene;

const ROWS: usize = 1_600_000;
const COLUMNS: usize = 64;

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let report = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = report.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches([':', '\t', ' ']).split(' ').next().unwrap().parse::<usize>().unwrap() * 1024
}

fn write_array(path: &std::path::Path, kind: &str, columns: usize, row: impl Fn(usize) -> Vec<u8>) {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({ROWS}, {columns}), }}");
    let padding = (64 - (header.len() + 11) % 64) % 64;
    header += &" ".repeat(padding);
    header += "\n";
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(b"\x93NUMPY\x01\x00").unwrap();
    file.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    (0..ROWS).for_each(|at| file.write_all(&row(at)).unwrap());
    file.flush().unwrap();
}

#[test]
fn rows_on_a_disk_take_little_memory() {
    let scene = Scene::new();
    write_array(&scene.path("x.npy"), "<f4", COLUMNS, |row| {
        (0..COLUMNS).flat_map(|at| (((row * 31 + at * 7) % 101) as f32).to_le_bytes()).collect()
    });
    write_array(&scene.path("y.npy"), "|u1", 2, |row| {
        vec![u8::from(row % 101 > 50), (row % 2) as u8]
    });
    let before = status("VmRSS");
    let options = ReadOptions {
        label_array: Some(scene.path("y.npy")),
        storage: Storage::Disk(scene.path("")),
        // Far less than the rows take: it does not count what is on the disk.
        memory_limit: Some(300 << 20),
        ..ReadOptions::default()
    };
    let data = Source::Path(scene.path("x.npy")).read(&options).unwrap();
    let trainer = Trainer::new().hidden([4]).batch_size(4096).epochs(1).memory_limit(300 << 20);
    trainer.shuffle_buffer(100_000).fit(&data).unwrap();
    let most = status("VmHWM") - before;
    let features = 4 * ROWS * COLUMNS;
    // The rows as they were read and encoded ones; labels, orders and batches are the rest.
    let allowed = 2 * RESIDENT + (96 << 20);
    assert!(most < allowed, "{most} bytes, and {features} are the features alone, twice");
    assert!(allowed < features, "the test says something");
}

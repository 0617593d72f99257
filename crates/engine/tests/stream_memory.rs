//! What rows on a disk take, from the file to the trained model. Alone in its process, because memory is counted in
//! all threads.
#![cfg(target_os = "linux")]

use rulebound::Trainer;
use rulebound::dataset::{ReadOptions, Source};
use rulebound::storage::{RESIDENT, Storage};
use rulebound_testing::{Scene, process_memory, write_array};

const ROWS: usize = 1_600_000;
const COLUMNS: usize = 64;

#[test]
fn rows_on_a_disk_take_little_memory() {
    let scene = Scene::new();
    write_array(&scene.path("x.npy"), "<f4", (ROWS, COLUMNS), |row, bytes| {
        let cells = (0..COLUMNS).map(|at| ((row * 31 + at * 7) % 101) as f32);
        bytes.extend(cells.flat_map(f32::to_le_bytes));
    })
    .unwrap();
    write_array(&scene.path("y.npy"), "|u1", (ROWS, 2), |row, bytes| {
        bytes.extend([u8::from(row % 101 > 50), (row % 2) as u8]);
    })
    .unwrap();
    let before = process_memory("VmRSS").unwrap();
    let options = ReadOptions {
        label_array: Some(scene.path("y.npy")),
        storage: Storage::Disk(scene.path("")),
        // Far less than the rows take: it does not count what is on the disk.
        memory_limit: Some(300 << 20),
        // Cells are moved within the file.
        ignored: vec!["f7".to_owned()],
        ..ReadOptions::default()
    };
    let data = Source::Path(scene.path("x.npy")).read(&options).unwrap();
    let trainer = Trainer::new().hidden([4]).batch_size(4096).epochs(1).memory_limit(300 << 20);
    trainer.shuffle_buffer(100_000).fit(&data).unwrap();
    let most = process_memory("VmHWM").unwrap() - before;
    let features = 4 * (ROWS * COLUMNS) as u64;
    // The rows as they were read and encoded ones; labels, orders and batches are the rest.
    let allowed = 2 * RESIDENT as u64 + (96 << 20);
    assert!(most < allowed, "{most} bytes, and {features} are the features alone, twice");
    assert!(allowed < features, "the test says something");
}

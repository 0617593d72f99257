//! What sparse data takes, from the file to the evaluated model. Alone in its process, because
//! memory is counted in all threads.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rulebound::{Source, Trainer};
use rulebound_testing::{Random, Scene};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is delegated to the system allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn sparse_data_is_never_dense_as_a_whole() {
    const ROWS: usize = 1500;
    const COLUMNS: usize = 20_000;
    let mut random = Random::new(1);
    let mut text = String::new();
    for row in 0..ROWS {
        write!(text, "{},{}", row % 5, 5 + row % 3).unwrap();
        let mut columns: Vec<usize> = (0..30).map(|_| 1 + random.below(COLUMNS)).collect();
        columns.sort_unstable();
        columns.dedup();
        for column in columns {
            write!(text, " {column}:{}", 1 + random.below(9)).unwrap();
        }
        writeln!(text).unwrap();
    }
    let scene = Scene::new();
    for split in ["train", "valid", "test"] {
        scene.write(&format!("{split}.svm"), &text);
    }
    drop(text);
    let dense = 3 * ROWS * COLUMNS * 4;
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let data = Source::open(scene.path("")).read().unwrap();
    assert!(data.feature_matrix().is_sparse());
    let model = Trainer::new().hidden([4]).epochs(1).fit(&data).unwrap();
    let rows = data.split(rulebound::dataset::Split::Test).unwrap();
    model.evaluate(&data, rows, Default::default()).unwrap();
    let most = MOST.load(Relaxed) - before;
    assert!(most < dense / 10, "{most} bytes, and {dense} would be dense");
}

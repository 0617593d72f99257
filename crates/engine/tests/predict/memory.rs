//! Memory does not grow with the number of rows.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;

use rulebound::dataset::{RowOptions, RowReader};
use rulebound::predict::{PredictionPaths, Predictor};
use rulebound_core::{Labels, Thresholds};

use crate::scene::{Function, Scene};

struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: everything is delegated to the system allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.with(|held| held.set(held.get() + layout.size() as isize));
        MOST.with(|most| most.set(most.get().max(HELD.with(Cell::get))));
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.with(|held| held.set(held.get() - layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CLASSES: usize = 64;

/// The peak memory of predicting this many rows, in bytes, and the largest batch.
fn memory(rows: usize, name: &str) -> (isize, usize) {
    let scene = Scene::new();
    let pipeline = scene.fit("x,fur,label\n1,yes,0\n-1,no,1\n");
    let mut text = String::from("id,x,fur\n");
    for row in 0..rows {
        writeln!(text, "row{row:07},{}.5,{}", row % 9, ["yes", "no", "blue"][row % 3]).unwrap();
    }
    let path = scene.write("in.csv.gz", &text);
    drop(text);
    let labels = Labels::new((0..CLASSES).map(|class| format!("c{class}"))).unwrap();
    let halves = Thresholds::uniform(CLASSES, 0.5).unwrap();
    let (mut most_rows, mut seen) = (0, 0);
    let network = |features: &[f32], logits: &mut [f32]| {
        most_rows = most_rows.max(features.len() / 3);
        seen += features.len() / 3;
        logits.fill(features[0]);
    };
    let reader = RowReader::open(&path, &pipeline, &RowOptions::default()).unwrap();
    let paths = PredictionPaths { top: Some(1), ..PredictionPaths::new(scene.path(name)) };
    let scorer = Function::new(&pipeline, &reader, network);
    let mut predictor = Predictor::of_scorer(scorer, None, &labels, &halves);
    let before = HELD.with(Cell::get);
    MOST.with(|most| most.set(before));
    let summary = predictor.write(reader, &paths, |_| true).unwrap();
    drop(predictor);
    assert_eq!((summary.rows, seen), (rows as u64, rows));
    assert_eq!(summary.unusual.unseen[0].cells, (rows / 3) as u64);
    (MOST.with(Cell::get) - before, most_rows)
}

#[test]
fn two_hundred_thousand_rows_take_no_more_memory_than_twenty_thousand() {
    let (few, batch) = memory(20_000, "out.csv");
    let (many, same_batch) = memory(200_000, "out.csv");
    assert_eq!(batch, same_batch);
    assert!(batch * CLASSES <= 1 << 18, "{batch}");
    assert!(few > 0 && many < few + few / 10, "{few} bytes, then {many}");
}

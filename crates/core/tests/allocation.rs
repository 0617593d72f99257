//! After the first batch, the layer, the sparse layer and the loss allocate nothing.
#![allow(unsafe_code)]

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, LabelId, Labels, Literal, Program, Requirement,
    Rule, SparseLayer, Thresholds,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is the system allocator's; counting touches no memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_steady_state_allocates_nothing() {
    // Strata, a cycle, negation and a fact; rows whose labels break rules.
    let text = "a -> b\nb -> a\nb, not c -> d\nd -> e\n-> f\ne, a, not g -> h";
    let program: Program = text.parse().unwrap();
    let classes = program.labels().len();
    let size = 37 * classes;
    let margins: Vec<f32> = (0..size).map(|i| ((i * 37) % 11) as f32 - 5.0).collect();
    let labels: Vec<bool> = (0..size).map(|i| (i * 7) % 3 == 0).collect();
    let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
    let loss = ConstraintLoss::new(&program);
    let (mut values, mut gradient) = (vec![0.0; size], vec![0.0; size]);
    let mut delegates = vec![Delegate::default(); size];
    let (mut workspace, mut loss_workspace) = (layer.workspace(), loss.workspace());
    let mut counts = Vec::new();
    let mut broken = 0;
    for _ in 0..4 {
        let before = ALLOCATIONS.with(Cell::get);
        layer.forward(&margins, &mut values, &mut workspace).unwrap();
        layer
            .forward_with_delegates(&margins, &mut values, &mut delegates, &mut workspace)
            .unwrap();
        layer.backward(&delegates, &values, &mut gradient).unwrap();
        let value =
            loss.forward_backward(&margins, &labels, &mut gradient, &mut loss_workspace).unwrap();
        broken += value.broken_rows;
        counts.push(ALLOCATIONS.with(Cell::get) - before);
    }
    assert!(counts[0] > 0 && broken > 0, "the first batch makes room, and rows are broken");
    assert_eq!(counts[1..], [0, 0, 0]);
}

#[test]
fn settling_allocates_nothing_either() {
    let labels = Labels::new((0..6).map(|class| class.to_string())).unwrap();
    let literals: Vec<Literal> = labels.ids().map(Literal::positive).collect();
    let rule = Rule::new(labels.ids().next().unwrap(), [literals[1], literals[2]]);
    let requirements = vec![
        Requirement::count([], 1, 2, literals[..5].iter().copied()),
        Requirement::any([literals[0]], [literals[3], !literals[4], literals[5]]),
        Requirement::any([literals[5]], [!literals[2]]),
    ];
    let program = Program::new(labels, vec![rule]).unwrap();
    let program = program.with_requirements(requirements, &[]).unwrap();
    let margins: Vec<f32> = (0..37 * 6).map(|i| ((i * 37) % 11) as f32 - 5.0).collect();
    let layer = ConstraintLayer::new(&program, Thresholds::uniform(6, 0.5).unwrap());
    let (mut values, mut workspace) = (vec![0.0; margins.len()], layer.workspace_for(1));
    let mut delegates = vec![Delegate::default(); margins.len()];
    let mut run = || {
        let before = ALLOCATIONS.with(Cell::get);
        let (values, delegates) = (&mut values, &mut delegates);
        layer.forward_with_delegates(&margins, values, delegates, &mut workspace).unwrap();
        ALLOCATIONS.with(Cell::get) - before
    };
    assert!(run() > 0);
    assert_eq!([run(), run()], [0, 0]);
}

#[test]
fn rows_of_listed_classes_allocate_nothing_either() {
    let text = "a -> b\nb -> a\nb, not c -> d\nd -> e\n-> f\ne, a, not g -> h\nnot a -> i";
    let program: Program = text.parse().unwrap();
    let layer = SparseLayer::new(&program).unwrap();
    let mut workspace = layer.workspace();
    let mut run = || {
        let before = ALLOCATIONS.with(Cell::get);
        for row in 0..50usize {
            let classes = (0..9).filter(|class| (row >> (class % 5)) & 1 == 0).map(LabelId::new);
            let margins = classes.map(|class| (class, (row * 37 % 11) as f32 - 5.0));
            assert!(!layer.forward(margins, &mut workspace).unwrap().is_empty());
        }
        ALLOCATIONS.with(Cell::get) - before
    };
    assert!(run() > 0);
    assert_eq!([run(), run()], [0, 0]);
}

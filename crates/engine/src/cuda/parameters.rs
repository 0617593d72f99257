//! Kernel parameters, laid out as in the CUDA sources.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            #[repr(C)]
            pub(super) struct $name {
                $(pub $field: $kind,)*
            }

            // SAFETY: plain numbers in the order and with the alignment of the C struct.
            #[allow(unsafe_code)]
            unsafe impl DeviceRepr for $name {}

            // SAFETY: plain numbers.
            #[allow(unsafe_code)]
            unsafe impl ValidAsZeroBits for $name {}
        )*
    };
}

/// A matrix as Hopper's copying unit sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Boxes(pub [u64; 16]);

impl Boxes {
    /// Nothing is copied.
    pub const NONE: Self = Self([0; 16]);
}

impl Matrix {
    /// Nobody asks for it.
    pub const NONE: Self = Self { cells: 0, member: 0, stride: 0 };
}

parameters! {
    /// The weights of a layer.
    Layer { outputs: u32, stride: u32, member: u64 }
    /// Rows of inputs to a layer.
    Rows { cells: u64, order: u64, member: u64, stride: u32 }
    /// Rows of the data that list their cells.
    SparseRows { starts: u64, columns: u64, values: u64, rows: u32, width: u32 }
    /// The rows of a batch, made dense.
    Gathered {
        rows: u64,
        held: u64,
        present: u64,
        member: u64,
        present_member: u64,
        stride: u32,
        batch: u32,
        markers: u32,
        words: u32,
    }
    /// Where a layer's sums go.
    Sums {
        values: u64,
        slopes: u64,
        member: u64,
        slope_member: u64,
        stride: u32,
        slope_stride: u32,
        activation: u32,
    }
    /// Which units are dropped.
    Mask { below: u64, scale: f32, purpose: u32 }
    /// What a loss is computed of, and where its results go.
    LossTask {
        weights: u64,
        lacking: u64,
        rows: u64,
        unknown: u64,
        scales: u64,
        scale_member: u64,
        logits: u64,
        gradient: u64,
        rests: u64,
        member: u64,
        losses: u64,
        loss_member: u64,
        bad: u64,
        slots: u64,
        step: u64,
        stride: u32,
        height: u32,
        how: u32,
    }
    /// The examples of an epoch.
    Batch {
        order: u64,
        order_member: u64,
        truth: u64,
        broken: u64,
        words: u32,
        rows: u32,
        size: u32,
    }
    /// A matrix of every member, row by row.
    Matrix { cells: u64, member: u64, stride: u32 }
    /// How the tiles of a product are divided among blocks.
    Division {
        tiles_m: u32,
        tiles_n: u32,
        steps: u32,
        workers: u32,
        sharers: u32,
        whole: u32,
        band: u32,
        in_turn: u32,
        shares: u64,
        arrived: u64,
    }
    /// A product of a layer on tensor cores.
    Product {
        a: Matrix,
        weights: Matrix,
        to: Matrix,
        rests: u64,
        turned: Matrix,
        turned_rests: u64,
        units: Matrix,
        rows: u32,
        columns: u32,
        k: u32,
        activation: u32,
        dropout: Mask,
        by: Division,
    }
    /// What a product on Hopper copies to shared memory.
    Operands { a: Boxes, b: Boxes, rest: Boxes }
    /// A product of a layer on Hopper.
    GroupProduct { operands: Operands, product: Product }
    /// The update of a layer on tensor cores.
    Update {
        inputs: Matrix,
        gradient: Matrix,
        weights: u64,
        first: u64,
        second: u64,
        member: u64,
        outputs: u32,
        stride: u32,
        rows: u32,
        decay: f32,
        rates: u64,
        present: u64,
        present_member: u64,
        by: Division,
    }
    /// The update of a layer on Hopper.
    GroupUpdate {
        operands: Operands,
        weights_in: Boxes,
        first_in: Boxes,
        second_in: Boxes,
        update: Update,
    }
    /// What is the same for all products of a step.
    Step { seeds: u64, slots: u64, position: u64, ahead: u32 }
    /// A position in a run.
    Position { epoch: u32, step: u32 }
    /// A step of Adam.
    AdamStep { decay: f32, rate: f32, root: f32 }
    /// A layer at one place of a level network.
    LayerUse {
        weights: u64,
        inputs: u64,
        sums: u64,
        values: u64,
        copy: u64,
        slopes: u64,
        below: u64,
        added: u64,
        factors: u64,
        outputs: u32,
        stride: u32,
        sum_stride: u32,
        value_stride: u32,
        copy_stride: u32,
        purpose: u32,
        units: u32,
        column: u32,
        rows: u32,
        unused: u32,
    }
    /// A tile of the product of a use.
    UseTile { layer_use: u32, m: u32, n: u32 }
    /// Level networks, and what they have to do.
    LevelMembers {
        uses: u64,
        tiles: u64,
        slots: u64,
        seeds: u64,
        weights: u64,
        weight_member: u64,
        memory: u64,
        memory_member: u64,
        rows: u32,
        units: u32,
    }
    /// The cell of a level.
    LevelCell {
        gates: u64,
        memory: u64,
        before: u64,
        states: u64,
        slopes: u64,
        next: u64,
        seen: u64,
        below: u64,
        pull: u64,
        state_stride: u32,
        next_stride: u32,
        purpose: u32,
        unused: u32,
    }
    /// The outputs of level networks.
    LevelOutputs {
        global: u64,
        local: u64,
        mixed: u64,
        place: u64,
        terms: u64,
        truth: u64,
        rule_starts: u64,
        rules: u64,
        classes: u32,
        places: u32,
        words: u32,
        evaluated: u32,
        rule_count: u32,
        share: f32,
        penalty: f32,
        unused: u32,
    }
}

impl Mask {
    /// Nothing is dropped.
    pub const NONE: Self = Self { below: 0, scale: 1.0, purpose: 0 };
}

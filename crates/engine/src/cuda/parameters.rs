//! Kernel parameters, laid out as in the CUDA sources.

use cudarc::driver::DeviceRepr;

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
        )*
    };
}

parameters! {
    /// The weights of a layer.
    Layer { outputs: u32, stride: u32, member: u64 }
    /// Rows of inputs to a layer.
    Rows { cells: u64, order: u64, member: u64, stride: u32 }
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
    /// A program.
    Rules {
        classes: u32,
        levels: u32,
        level: u64,
        heads: u64,
        bodies: u64,
        literals: u64,
        stratum: u64,
        head_count: u32,
        body_count: u32,
        literal_count: u32,
        room: u32,
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
}

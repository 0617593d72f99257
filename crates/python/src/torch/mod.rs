//! The layer and the loss on tensors of PyTorch, by address: what `rulebound.torch` stands on.
//!
//! ```text
//! Program ── packed ──> words in a tensor, and a key ── compiled ──> layer, loss, GPU rules (kept by key)
//! addresses ── numbers ──> slices ── layer, scatter, select, loss ──> written in place
//! addresses on a GPU ── cuda ──> launches on the caller's stream
//! ```
//!
//! Python checks shapes, types and devices, and owns all memory. No lock is waited for and no pool of
//! threads is used that a `fork` may have broken; see `crate::threads`.

mod compiled;
mod cuda;
mod error;
mod layer;
mod loss;
mod numbers;
mod packed;
mod scatter;
mod workspaces;

pub use compiled::{tensor_known, tensor_program, tensor_settles};
pub use cuda::{
    tensor_cuda_layer, tensor_cuda_loss, tensor_cuda_scatter, tensor_cuda_scatter_scratch,
    tensor_cuda_scratch, tensor_cuda_select,
};
pub use layer::tensor_layer;
pub use loss::{tensor_loss, tensor_select};
pub use packed::tensor_rules;
pub use scatter::tensor_scatter;

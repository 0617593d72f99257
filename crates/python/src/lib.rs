//! The Python module `rulebound._native`: a thin door to the engine.
//!
//! What users see is written in Python (`python/rulebound`); here are rules and numbers. Nothing is computed
//! while the interpreter is locked, and every error is an exception of `rulebound.errors`.

mod drawing;
mod failure;
mod program;
mod score_kind;
mod scores;

use pyo3::prelude::*;

/// Rules and numbers for `rulebound`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::program::PyProgram;
    #[pymodule_export]
    use crate::scores::{apply, delegate_names};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

//! The Python module `rulebound._native`: a thin door to the engine.
//!
//! What users see is written in Python (`python/rulebound`); here are rules and numbers. Nothing is computed
//! while the interpreter is locked, and every error is an exception of `rulebound.errors`.

mod dataset;
mod drawing;
mod evaluation;
mod explanation;
mod export;
mod failure;
mod label_marks;
mod label_rows;
mod mining;
mod model;
mod partial_metrics;
mod program;
mod score_kind;
mod scores;
mod sparse;
mod threads;
mod torch;
mod training;
mod tuning;

use pyo3::prelude::*;

/// Panics: what happens then is tested from Python.
#[pyfunction]
fn panic_on_purpose() {
    panic!("on purpose");
}

/// Rules and numbers for `rulebound`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::dataset::PyDataset;
    #[pymodule_export]
    use crate::evaluation::{evaluate, evaluate_model};
    #[pymodule_export]
    use crate::explanation::explain;
    #[pymodule_export]
    use crate::export::{export_model, export_rules, export_torch};
    #[pymodule_export]
    use crate::label_rows::{close, top_classes, violations};
    #[pymodule_export]
    use crate::mining::mine;
    #[pymodule_export]
    use crate::model::PyModel;
    #[pymodule_export]
    use crate::panic_on_purpose;
    #[pymodule_export]
    use crate::partial_metrics::{PyClassCounts, PyPartialMetrics};
    #[pymodule_export]
    use crate::program::PyProgram;
    #[pymodule_export]
    use crate::scores::{apply, delegate_names};
    #[pymodule_export]
    use crate::sparse::apply_sparse;
    #[pymodule_export]
    use crate::torch::{
        tensor_cuda_layer, tensor_cuda_loss, tensor_cuda_scatter, tensor_cuda_scatter_scratch,
        tensor_cuda_scratch, tensor_cuda_select, tensor_known, tensor_layer, tensor_loss,
        tensor_program, tensor_rules, tensor_scatter, tensor_select, tensor_settles,
    };
    #[pymodule_export]
    use crate::training::{default_early_stopping, default_settings, train};
    #[pymodule_export]
    use crate::tuning::{attribution, calibrate, importance, tune_thresholds};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    /// The text that means a missing cell.
    #[pymodule_export]
    const MISSING: [&str; 7] = rulebound::dataset::MISSING;
}

//! Files for ONNX, run by other programs. They need Python with onnx and onnxruntime; `scripts/ignored-tests` runs them.
#![allow(clippy::unwrap_used)]

#[path = "../../../core/tests/strategy/mod.rs"]
mod strategy;

#[path = "../../../core/tests/strategy/draft.rs"]
mod draft;

mod layer;
mod models;
mod splice;

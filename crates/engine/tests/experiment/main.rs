//! Comparisons of methods.
//!
//! What the paper prints belongs in `paper`, what another implementation computes in `scipy`; what
//! one function does is tested beside it.
#![allow(clippy::unwrap_used)]

mod paper;
#[path = "../../../core/tests/python/mod.rs"]
mod python;
mod reproduce;
mod scipy;

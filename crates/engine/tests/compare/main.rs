//! Comparisons of methods.
//!
//! What another implementation computes belongs in `scipy`; what one function does is tested beside
//! it.
#![allow(clippy::unwrap_used)]

mod scipy;

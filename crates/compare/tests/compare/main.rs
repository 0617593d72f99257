//! Comparisons of methods.
//!
//! Comparisons with another implementation belong in `scipy`; single functions are tested next to
//! their code.
#![allow(clippy::unwrap_used)]

mod scipy;

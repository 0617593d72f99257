//! Labels: which columns hold them, the matrix of them, hierarchies among them.

pub(super) mod columns;
pub(super) mod hierarchy;
pub(super) mod matrix;
pub(super) mod named;

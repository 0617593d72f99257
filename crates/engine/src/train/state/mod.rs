//! What a run remembers: its records, and the checkpoint that it resumes from.

pub(super) mod checkpoint;
pub(super) mod fingerprint;
pub(super) mod record;
mod resumable;

//! Rules and what they mean.

//! Mining: exactly the defined rules, within limits.
//!
//! A property of any table belongs in `properties`, the text that is written in
//! `text`, refusals and limits in `limits`, time in
//! `speed`.
#![allow(clippy::unwrap_used)]

mod limits;
mod properties;
mod scene;
mod speed;
mod text;

//! Mining: exactly the rules that are meant, and in time.
//!
//! A property of any table belongs in `properties`, what holds for the sets of the paper in
//! `published`, the text that is written in `text`, refusals and limits in `limits`, time in
//! `speed`.
#![allow(clippy::unwrap_used)]

mod limits;
mod properties;
mod published;
mod scene;
mod speed;
mod text;

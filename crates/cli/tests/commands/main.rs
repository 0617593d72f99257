//! The commands as users run them: output, files, exit codes.
//! A new command gets a file here.
#![allow(clippy::unwrap_used)]

mod apply;
mod arrays;
mod blend;
mod care;
mod check;
mod columns;
mod compare;
mod data;
mod demo;
mod devices;
mod evaluate;
mod existing;
mod explain;
mod export;
mod first_hour;
mod help;
mod hostile;
mod importance;
mod labels;
mod level_methods;
mod linear;
mod long;
mod measure;
mod merge;
mod mine;
mod model;
mod network;
mod readme;
mod report;
mod reproduce;
mod requirements;
mod rules;
mod scene;
mod sparse;
mod splits;
mod thresholds;
mod train;
mod trees;
mod trust;
mod tune;
mod unknown_label_cells;
mod unknown_labels;
mod weights;

//! The reproduction of the paper: its data sets, settings and experiments, and the report on them.
//!
//! ```text
//! DataSource (built-in, catalogue, path) ── read ──> Dataset
//! Target … ── Plan ── reproduce ──> Results, models, logs ── report ──> HTML, Markdown
//! preset, grid: the paper's settings ───────┘        └─ paper: its printed values
//! ```
//!
//! The paper is *Multi-Label Classification Neural Networks with Hard Logical Constraints*
//! (Giunchiglia and Lukasiewicz, Journal of Artificial Intelligence Research 72, 2021). Nothing here
//! is needed for training or prediction; it is not published as a library.

mod blend_preset;
mod catalogue;
mod data_folder;
mod grid;
mod level_preset;
pub mod methods;
pub mod paper;
pub mod picture;
mod preset;
mod report;
mod reproduce;
mod source;

pub use catalogue::{CATALOGUE, CatalogueEntry, Collection, Hyperparameters};
pub use data_folder::{DATA_VARIABLE, DataFolder};
pub use grid::{hierarchy_grid, paper_grid, rules_grid};
pub use paper::PrintedTable;
pub use preset::{paper_configuration, paper_learner};
pub use report::{
    Block, Cell, Circumstances, Column, Document, Figure, Mark, Markdown, Section, Table, report,
};
pub use reproduce::{
    Batch, ChosenOn, ENSEMBLE, Failed, Folder, Known, Observer, Pace, ParseSeedsError, Plan,
    PlanError, PlanRequest, ReproduceError, Reproduction, Results, Row, Seeds, Subject, System,
    SystemFacts, Target, reproduce,
};
pub use source::{DataSource, SourceError};

//! `rulebound data`: lists, describes, converts and splits data sets.

mod column_arguments;
mod convert;
mod doubts;
mod for_model;
mod info;
mod label_rules;
mod list;
mod row_source;
mod rules;
mod source;
mod split;
mod split_arguments;
mod tuning_rows;

pub use doubts::{note_unknown_labels, print_notes, warn_of_doubts};
pub use for_model::{ForModel, ModelRequest, RowsUsed, describe};
pub use label_rules::LabelRules;
pub use row_source::RowSource;
pub use rules::write_text;
pub use source::{SourceArguments, SourceDetails, rows_of, source};
pub use tuning_rows::TuningRowArguments;

use crate::failure::Failure;
use clap::{Args, Subcommand};

/// List, describe, convert and split data sets
///
/// A source is a data set of the paper by name (`rulebound data list`), a built-in
/// problem, or a path: ARFF (Clus, MULAN or MEKA), svmlight, CSV, TSV, Parquet, or
/// a folder of such files, one per split; any of them may be gzipped (.gz).
#[derive(Args)]
pub struct Data {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(list::List),
    Info(info::Info),
    Convert(convert::Convert),
    Split(split::Split),
    Rules(rules::Rules),
}

impl Data {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::List(action) => action.run(),
            Action::Info(action) => action.run(),
            Action::Convert(action) => action.run(),
            Action::Split(action) => action.run(),
            Action::Rules(action) => action.run(),
        }
    }

    pub fn json(&self) -> bool {
        match &self.action {
            Action::List(action) => action.json,
            Action::Info(action) => action.json,
            Action::Convert(action) => action.json,
            Action::Split(action) => action.json,
            Action::Rules(action) => action.json,
        }
    }
}

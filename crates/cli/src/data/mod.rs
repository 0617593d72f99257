//! `rulebound data`: what data there is, what is in it, and the same in neutral
//! files.

mod convert;
mod info;
mod list;
mod rules;
mod source;

pub use rules::write_text;
pub use source::{SourceArguments, SourceDetails, rows_of, source};

use crate::failure::Failure;
use clap::{Args, Subcommand};

/// Look at data sets and convert them
///
/// A source is a set of the paper by name (`rulebound data list`), a built-in
/// problem, or a path: ARFF of Clus, MULAN or MEKA, svmlight, CSV, TSV, Parquet,
/// or a folder of such files, one a split; all of them also with .gz.
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
    Rules(rules::Rules),
}

impl Data {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::List(action) => action.run(),
            Action::Info(action) => action.run(),
            Action::Convert(action) => action.run(),
            Action::Rules(action) => action.run(),
        }
    }

    pub fn json(&self) -> bool {
        match &self.action {
            Action::List(action) => action.json,
            Action::Info(action) => action.json,
            Action::Convert(action) => action.json,
            Action::Rules(_) => false,
        }
    }
}

//! The rules that labels written by their names take what they imply from, where a model is measured.

use clap::Args;
use std::path::{Path, PathBuf};

/// What labels imply.
#[derive(Args)]
pub struct LabelRules {
    /// Rule file or ontology: what labels imply that are written by their names [default: the rule file of
    /// training, if it is there and unchanged]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
}

impl LabelRules {
    pub fn path(&self) -> Option<&Path> {
        self.rules.as_deref()
    }
}

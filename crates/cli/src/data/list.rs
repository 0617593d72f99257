//! `rulebound data list`: the sources that have a name.

use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::dataset::{Builtin, CATALOGUE, CatalogueEntry, Collection};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// List the built-in problems and the sets of the paper, and which are here
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data list --data-dir /where/the/sets/are")]
pub struct List {
    /// Folder with the sets of the paper [default: $RULEBOUND_DATA, else ../shared/data]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl List {
    pub fn run(&self) -> Result<(), Failure> {
        let here = |entry: &CatalogueEntry| entry.folder(self.data_dir.as_deref()).is_ok();
        if self.json {
            let builtin: Vec<&str> = Builtin::ALL.iter().map(|problem| problem.name()).collect();
            let catalogue: Vec<_> = CATALOGUE
                .iter()
                .map(|entry| {
                    json!({
                        "name": entry.name,
                        "collection": entry.collection,
                        "present": here(entry),
                        "hyperparameters": entry.hyperparameters,
                    })
                })
                .collect();
            screen::json(&json!({ "builtin": builtin, "catalogue": catalogue }))?;
            return Ok(());
        }
        screen::print(&to_text(&here, self.data_dir.as_deref()))?;
        Ok(())
    }
}

fn to_text(here: &dyn Fn(&CatalogueEntry) -> bool, data_dir: Option<&Path>) -> String {
    let mut text = String::from("Built in (generated from a seed):\n");
    for problem in Builtin::ALL {
        let steps = if problem.has_steps() { "  --step 1..9, --arrangement" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}{steps}", problem.name());
    }
    for (collection, title) in [
        (Collection::Hmc, "Hierarchies of the paper"),
        (Collection::Lcmc, "Sets of the paper with logical rules"),
    ] {
        let _ = writeln!(text, "\n{title}:");
        for entry in CATALOGUE.iter().filter(|entry| entry.collection == collection) {
            let mark = if here(entry) { "here" } else { "absent" };
            let _ = writeln!(text, "  {:16} {mark}", entry.name);
        }
    }
    if !CATALOGUE.iter().any(here) {
        let looked = data_dir.map_or("$RULEBOUND_DATA or ../shared/data".to_owned(), |dir| {
            dir.display().to_string()
        });
        let _ =
            writeln!(text, "\nNone of the paper's sets is at {looked}; say where with --data-dir.");
    }
    text
}

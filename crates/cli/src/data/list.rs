//! `rulebound data list`: the sources that have a name.

use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::dataset::Builtin;
use rulebound_reproduction::{CATALOGUE, CatalogueEntry, Collection, DataFolder};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// List the built-in problems and the data sets of the paper, and which are present
///
/// For a data set that is absent, it shows what it is, where it was published, and
/// which files go where. Nothing is downloaded.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data list --data-dir /path/to/data")]
pub struct List {
    /// Folder with the data sets of the paper [default: $RULEBOUND_DATA, else the user's data folder]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

impl List {
    pub fn run(&self) -> Result<(), Failure> {
        let data = DataFolder::resolve(self.data_dir.as_deref());
        if self.json {
            let builtin: Vec<&str> = Builtin::ALL.iter().map(|problem| problem.name()).collect();
            let catalogue: Vec<_> = CATALOGUE
                .iter()
                .map(|entry| {
                    let folder = entry.expected_folder(&data);
                    json!({
                        "name": entry.name,
                        "collection": entry.collection,
                        "present": folder.is_dir(),
                        "hyperparameters": entry.hyperparameters,
                        "about": entry.about(),
                        "published": entry.published(),
                        "folder": folder.display().to_string(),
                        "files": entry.files(),
                    })
                })
                .collect();
            screen::json(&json!({ "builtin": builtin, "catalogue": catalogue }))?;
            return Ok(());
        }
        screen::print(&to_text(&data))?;
        Ok(())
    }
}

fn to_text(data: &DataFolder) -> String {
    let mut text = String::from("Built in (generated from a seed):\n");
    for problem in Builtin::ALL {
        let steps = if problem.has_steps() { "  --step 1..9, --arrangement" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}{steps}", problem.name());
    }
    for (collection, title) in [
        (Collection::Hmc, "Hierarchies of the paper"),
        (Collection::Lcmc, "Data sets of the paper with logical rules"),
    ] {
        let _ = writeln!(text, "\n{title}:");
        for entry in CATALOGUE.iter().filter(|entry| entry.collection == collection) {
            let mark = if is_present(entry, data) { "present" } else { "absent" };
            let _ = writeln!(text, "  {:16} {mark:7} {}", entry.name, entry.about());
        }
    }
    write_absent(&mut text, data);
    text
}

fn is_present(entry: &CatalogueEntry, data: &DataFolder) -> bool {
    entry.expected_folder(data).is_dir()
}

/// Where absent data sets were published and which files belong where, those of one origin together.
fn write_absent(text: &mut String, data: &DataFolder) {
    let absent: Vec<&CatalogueEntry> =
        CATALOGUE.iter().filter(|entry| !is_present(entry, data)).collect();
    if absent.is_empty() {
        return;
    }
    let folder = data.path().display();
    let _ = write!(
        text,
        "\n{} of {} data sets are not in {folder}.\n\
         To use one, get it from where it was published and put its files there (or elsewhere, with\n\
         --data-dir or RULEBOUND_DATA). Names may end in .gz.\n",
        absent.len(),
        CATALOGUE.len(),
    );
    let mut listed: Vec<&str> = Vec::new();
    for entry in &absent {
        if listed.contains(&entry.published()) {
            continue;
        }
        listed.push(entry.published());
        let names: Vec<&str> = absent
            .iter()
            .filter(|other| other.published() == entry.published())
            .map(|other| other.name)
            .collect();
        let _ = writeln!(text, "\n  {}\n    published in {}", names.join(", "), entry.published());
        let place = format!("{}/{}", entry.collection.folder(), entry.name);
        let _ = writeln!(text, "    files: {place}/{{{}}}", entry.files().join(","));
    }
    if absent.iter().any(|entry| entry.collection == Collection::Lcmc) {
        text.push_str(
            "\nThe ARFF and XML files are those of the MULAN collection (Tsoumakas, Spyromitros-Xioufis,\n\
             Vilcek and Vlahavas, Journal of Machine Learning Research 12, 2011); the _constraints.txt\n\
             files come with the paper's own code.\n",
        );
    }
}

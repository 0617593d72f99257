//! The arguments about columns of a table, shared by every command that reads one.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(next_help_heading = "Reading the source")]
pub struct ColumnArguments {
    /// Column to treat as categorical, although it holds numbers, dates or text (repeatable)
    #[arg(long = "nominal", value_name = "NAME")]
    pub nominal: Vec<String>,
    /// Column to read as numbers, whatever it holds; other cells are errors (repeatable)
    #[arg(long = "numeric", value_name = "NAME")]
    pub numeric: Vec<String>,
    /// Column to leave out; `x_*` is every column that starts with `x_` (repeatable)
    #[arg(long = "ignore", value_name = "NAME")]
    pub ignored: Vec<String>,
    /// Table of ids and labels (TSV or CSV, one pair per line), joined by the first --id-column [default: as in training]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["label_columns", "label_column"])]
    pub label_table: Option<PathBuf>,
    /// Rows without any label, in a label table or --label-column: `keep` (no class is true) or `drop`
    /// [default: keep]
    #[arg(long, value_name = "WHAT", value_parser = ["keep", "drop"])]
    pub unlabelled: Option<String>,
    /// Leave out classes that fewer than N training rows have, once --rules have said what labels imply [default: 0]
    #[arg(long, value_name = "N")]
    pub min_count: Option<usize>,
}

impl ColumnArguments {
    /// The given options by name, to be written on a command line.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let lists =
            [("nominal", &self.nominal), ("numeric", &self.numeric), ("ignore", &self.ignored)];
        let lists = lists.into_iter();
        let lists =
            lists.flat_map(|(option, names)| names.iter().map(move |name| (option, name.clone())));
        let table = self.label_table.iter().map(|path| path.display().to_string());
        let unlabelled = self.unlabelled.iter().map(|what| ("unlabelled", what.clone()));
        let least = self.min_count.map(|least| ("min-count", least.to_string()));
        lists.chain(table.map(|path| ("label-table", path))).chain(unlabelled).chain(least)
    }
}

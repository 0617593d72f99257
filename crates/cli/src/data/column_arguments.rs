//! The arguments about columns of a table, shared by every command that reads one.

use clap::Args;

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
}

impl ColumnArguments {
    /// The given options by name, to be written on a command line.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let lists =
            [("nominal", &self.nominal), ("numeric", &self.numeric), ("ignore", &self.ignored)];
        let lists = lists.into_iter();
        lists.flat_map(|(option, names)| names.iter().map(move |name| (option, name.clone())))
    }
}

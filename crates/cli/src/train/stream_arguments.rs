//! Options for data that does not fit into memory.

use clap::Args;
use rulebound::storage::Storage;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(next_help_heading = "Data larger than memory")]
pub struct StreamArguments {
    /// Keep the rows on disk instead of in memory; they are read in shuffled chunks
    #[arg(long)]
    stream: bool,
    /// Number of rows to shuffle among [default: all; with --stream, as many as fit into 1 GiB]
    #[arg(long, value_name = "ROWS")]
    pub shuffle_buffer: Option<usize>,
    /// Folder for the rows of --stream, in temporary files without a name [default: that of --out]
    #[arg(long, value_name = "DIR", requires = "stream")]
    stream_folder: Option<PathBuf>,
}

impl StreamArguments {
    /// Where rows are kept in a run that writes to `out`.
    pub fn storage(&self, out: &Path) -> Storage {
        if !self.stream {
            return Storage::Memory;
        }
        let beside = || match out.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Storage::Disk(self.stream_folder.clone().unwrap_or_else(beside))
    }
}

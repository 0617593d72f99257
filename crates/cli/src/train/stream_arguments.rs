//! Options for data that does not fit into memory.

use crate::failure::Failure;
use clap::Args;
use rulebound::dataset::Source;
use rulebound::storage::Storage;
use rulebound::train::Configuration;
use rulebound_reproduction::DataSource;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(next_help_heading = "Data larger than memory")]
pub struct StreamArguments {
    /// Keep the rows on disk instead of in memory; they are read in shuffled chunks
    #[arg(long)]
    stream: bool,
    /// Number of rows to shuffle among [default: all; with --stream, as many as fit into 1 GiB]
    #[arg(long, value_name = "ROWS")]
    pub(super) shuffle_buffer: Option<usize>,
    /// Folder for the rows of --stream, in temporary files without a name [default: that of --out]
    #[arg(long, value_name = "DIR", requires = "stream")]
    stream_folder: Option<PathBuf>,
}

impl StreamArguments {
    /// Returns an error if a learner cannot be trained as asked for, before a large file is read.
    pub fn expect_networks<'a>(
        &self,
        mut configurations: impl Iterator<Item = &'a Configuration>,
    ) -> Result<(), Failure> {
        let option = match (self.stream, self.shuffle_buffer) {
            (true, _) => "--stream",
            (false, Some(_)) => "--shuffle-buffer",
            (false, None) => return Ok(()),
        };
        match configurations.find(|configuration| !configuration.method.is_network()) {
            None => Ok(()),
            Some(Configuration { method, .. }) => {
                Err(Failure::Usage(format!("{option}: for networks only, not for {method}")))
            }
        }
    }

    /// Returns an error if rows cannot be kept on disk, because they are generated.
    pub fn expect_files(&self, source: &DataSource) -> Result<(), Failure> {
        match source {
            DataSource::Other(Source::Builtin(problem)) if self.stream => {
                Err(Failure::Usage(format!("--stream: {problem} is generated in memory")))
            }
            _ => Ok(()),
        }
    }

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

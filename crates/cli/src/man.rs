//! `rulebound man`: manual pages.

use crate::data::write_text;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use clap::{Args, Command};
use clap_mangen::Man as ManualPage;
use std::io;
use std::path::PathBuf;

/// Write manual pages: of one command to standard output, or of all commands to a folder
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound man > rulebound.1
  rulebound man data convert > rulebound-data-convert.1
  rulebound man --out ~/.local/share/man/man1")]
pub struct Man {
    /// Command, with its subcommand if it has one [default: rulebound itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Folder for the pages of all commands, created if it does not exist
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

impl Man {
    pub fn run(&self, root: &Command) -> Result<(), Failure> {
        let Some(folder) = &self.out else {
            let mut command = root;
            for name in &self.command {
                command = command.find_subcommand(name).ok_or_else(|| {
                    Failure::Usage(format!("`{name}` is not a command of {}", title(command)))
                })?;
            }
            screen::print(&page(command)?)?;
            return Ok(());
        };
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot create {}: {error}", folder.display());
            Failure::from(Diagnostic::plain("output", message).because_of(&error))
        })?;
        let mut commands = vec![root];
        let mut pages = 0;
        while let Some(command) = commands.pop() {
            write_text(&folder.join(format!("{}.1", title(command))), &page(command)?)?;
            pages += 1;
            commands.extend(command.get_subcommands().filter(|inner| inner.get_name() != "help"));
        }
        screen::summary(&format!("{} written to {}\n", count(pages, "page"), folder.display()))?;
        Ok(())
    }
}

/// `rulebound-data-convert`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: &Command) -> io::Result<String> {
    let mut page = Vec::new();
    ManualPage::new(command.clone().disable_help_subcommand(true)).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

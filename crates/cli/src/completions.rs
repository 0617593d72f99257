//! `rulebound completions`: what the Tab key knows.

use crate::failure::Failure;
use crate::screen;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// Print a script that completes commands, options and their values in a shell
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound completions bash > ~/.local/share/bash-completion/completions/rulebound
  rulebound completions zsh > \"${fpath[1]}/_rulebound\"
  rulebound completions fish > ~/.config/fish/completions/rulebound.fish")]
pub struct Completions {
    /// Shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub fn run(&self, mut root: Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut root, "rulebound", &mut script);
        screen::print(&String::from_utf8_lossy(&script))?;
        Ok(())
    }
}

//! The report of a reproduction, on disk.

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::text::quoted;
use rulebound_io::input::is_standard;
use rulebound_io::output::{OutputError, OutputFile};
use rulebound_reproduction::{Circumstances, Folder, PlanRequest, report};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the report goes.
pub struct ReportPaths<'a> {
    pub folder: &'a Folder,
    pub markdown: Option<&'a Path>,
}

impl ReportPaths<'_> {
    /// Refuses paths that cannot be written, before hours of work.
    pub fn check(&self) -> Result<(), Failure> {
        let Some(path) = self.markdown else { return Ok(()) };
        if path.file_stem().is_none() || is_standard(path) {
            let message = format!("--markdown: {} is not a file name", path.display());
            return Err(Failure::Usage(message));
        }
        if path.exists() && !path.is_file() {
            return Err(Failure::Usage(format!("--markdown: {} is not a file", path.display())));
        }
        if self.owns(path) {
            let message = "--markdown: that path belongs to the files of DIR; give another one";
            return Err(Failure::Usage(message.to_owned()));
        }
        // Dropped at once, so nothing is written.
        OutputFile::create(path).map(drop).map_err(write_failure)
    }

    /// Whether the path belongs to a file or folder that the results folder keeps.
    fn owns(&self, path: &Path) -> bool {
        let resolved = |path: &Path| {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(parent.join(path.file_name()?))
        };
        let (Some(path), Ok(own)) = (resolved(path), self.folder.path().canonicalize()) else {
            return false;
        };
        let Ok(inside) = path.strip_prefix(&own) else { return false };
        let first = inside.components().next().map(|part| part.as_os_str().to_string_lossy());
        let names = [
            "results.csv",
            "systems.csv",
            "report.html",
            "logs",
            "models",
            "checkpoints",
            "claims",
        ];
        first.is_some_and(|first| names.contains(&&*first))
    }

    /// Writes the report of the existing results.
    pub fn write(&self, request: &PlanRequest, device: &str) -> Result<(), Failure> {
        let circumstances = Circumstances {
            command: command(std::env::args_os()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: machine(device),
        };
        let document = report(self.folder, request, &circumstances)
            .map_err(|error| crate::failure::reproduce::from_run(error, self.folder))?;
        save(&self.folder.report(), &document.html())?;
        let Some(path) = self.markdown else { return Ok(()) };
        let pictures = pictures(path);
        let name = pictures.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let markdown = document.markdown(&name);
        std::fs::create_dir_all(&pictures).map_err(|source| {
            write_failure(OutputError::Create { path: pictures.clone(), source })
        })?;
        for (name, svg) in &markdown.pictures {
            save(&pictures.join(name), svg)?;
        }
        save(path, &markdown.text)
    }
}

/// The folder for the pictures of a Markdown file: `results-figures` next to `results.md`.
fn pictures(markdown: &Path) -> PathBuf {
    let stem = markdown.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    markdown.with_file_name(format!("{stem}-figures"))
}

fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes())
            .map_err(|source| OutputError::Write { path: path.to_owned(), source })?;
        file.commit()
    };
    write().map_err(write_failure)
}

fn write_failure(error: OutputError) -> Failure {
    Diagnostic::from_error("reproduce", &error).into()
}

/// The command as it would be typed.
fn command(arguments: impl Iterator<Item = OsString>) -> String {
    let words = arguments.skip(1).map(|argument| quoted(&argument.to_string_lossy()));
    format!("rulebound {}", words.collect::<Vec<_>>().join(" "))
}

/// A description of this machine.
fn machine(device: &str) -> Vec<(String, String)> {
    let found = |path: &str, key: &str| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned)?;
        let (_, value) = line.split_once(['=', ':'])?;
        Some(value.trim().trim_matches('"').to_owned())
    };
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let cpu = found("/proc/cpuinfo", "model name").unwrap_or_else(|| arch.to_owned());
    let system = found("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| os.to_owned());
    let facts = [
        ("processor", cpu),
        ("threads", rayon::current_num_threads().to_string()),
        ("system", format!("{system}, {arch}")),
        ("device", device.to_owned()),
    ];
    facts.map(|(what, which)| (what.to_owned(), which)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let typed = ["/usr/bin/rulebound", "reproduce", "--out", "my run", "it's", "a.b/c"];
        let command = command(typed.into_iter().map(OsString::from));
        assert_eq!(command, r"rulebound reproduce --out 'my run' 'it'\''s' a.b/c");
    }

    #[test]
    fn pictures_are_next_to_the_markdown() {
        assert_eq!(pictures(Path::new("docs/results.md")), Path::new("docs/results-figures"));
        assert_eq!(pictures(Path::new("it")), Path::new("it-figures"));
    }
}

//! The files of a command: no output is an input, and no two outputs are one file, by whatever names and
//! links. A source that is a folder stands for the files that are read from it.
//!
//! The check is one for all commands and comes before any of them opens a file. A test finds options with
//! paths that are in neither list.

use crate::failure::Failure;
use clap::{Arg, ArgMatches, Command};
use rulebound::dataset::{Source, source_files};
use rulebound_io::input::is_standard;
use rulebound_reproduction::DataSource;
use std::any::TypeId;
use std::path::{Path, PathBuf};

/// The arguments that name what is read.
const INPUTS: [&str; 25] = [
    "class_weights",
    "column_names",
    "columns",
    "config",
    "costs",
    "data_dir",
    "file",
    "from",
    "input",
    "label_array",
    "label_table",
    "labels",
    "labels_seen",
    "model",
    "models",
    "network",
    "onnxruntime",
    "positional_model",
    "results",
    "rules",
    "scores",
    "source",
    "stream_folder",
    "thresholds",
    "truth",
];

/// The inputs that may be folders, or have other files that belong to them.
const SOURCES: [&str; 2] = ["input", "source"];

/// The arguments that name what is written.
const OUTPUTS: [&str; 15] = [
    "curves",
    "decisions",
    "delegates",
    "diagram",
    "fold_raw",
    "fold_scores",
    "labels_out",
    "log",
    "markdown",
    "out",
    "out_model",
    "per_class",
    "picture",
    "raw",
    "thresholds_out",
];

/// Whether an argument names files, at least with some of its values.
pub fn names_files(argument: &Arg) -> bool {
    let id = argument.get_id().as_str();
    INPUTS.contains(&id) || OUTPUTS.contains(&id)
}

/// Whether a value of such an argument is a path, seen from a folder: `rectangles`, `balanced` and `-` are
/// none.
pub fn is_path(argument: &Arg, value: &str, folder: &Path) -> bool {
    let is_always = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    !is_standard(Path::new(value))
        && match SOURCES.contains(&argument.get_id().as_str()) {
            true => matches!(value.parse(), Ok(DataSource::Other(Source::Path(_)))),
            false => is_always || folder.join(value).exists(),
        }
}

/// A file that a command was given.
struct GivenFile {
    /// How the user named it: `--out`, `SOURCE`.
    argument: String,
    identity: Identity,
    is_output: bool,
}

/// What makes two names one file.
#[derive(PartialEq)]
enum Identity {
    /// The file system's own name for an existing file.
    #[cfg(unix)]
    Node(u64, u64),
    /// The path, without links as far as it exists.
    Path(PathBuf),
}

/// Refuses a command line whose outputs overwrite an input or each other.
pub fn expect_apart(root: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let (mut command, mut matches) = (root, matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { break };
        (command, matches) = (found, inner);
    }
    let files = given_files(command, matches);
    for (index, file) in files.iter().enumerate() {
        for other in &files[index + 1..] {
            let matters = file.is_output || other.is_output;
            if matters && file.identity == other.identity {
                let (first, second) = (&file.argument, &other.argument);
                return Err(Failure::Usage(format!("{first} and {second} are the same file")));
            }
        }
    }
    Ok(())
}

/// Refuses files of a run that are one file, although the command line names at most one of them.
pub fn expect_own(files: &[(&str, &Path)]) -> Result<(), Failure> {
    for (index, (first, path)) in files.iter().enumerate() {
        for (second, other) in &files[index + 1..] {
            if Identity::new(path) == Identity::new(other) {
                return Err(Failure::Usage(format!("{first} and {second} are the same file")));
            }
        }
    }
    Ok(())
}

/// Whether two paths are one file, by whatever names and links.
pub fn is_same(one: &Path, other: &Path) -> bool {
    Identity::new(one) == Identity::new(other)
}

/// Refuses to write files that are read.
pub fn expect_not_read(read: &[PathBuf], written: &[PathBuf]) -> Result<(), Failure> {
    let read: Vec<Identity> = read.iter().map(|path| Identity::new(path)).collect();
    match written.iter().find(|path| read.contains(&Identity::new(path))) {
        None => Ok(()),
        Some(path) => {
            let name = path.display();
            Err(Failure::Usage(format!("{name} is an input and would be overwritten")))
        }
    }
}

/// The files of a source; none if it is not one, which reading it reports.
pub fn files_of(source: &Path) -> Vec<PathBuf> {
    if source.exists() { source_files(source).unwrap_or_default() } else { Vec::new() }
}

fn given_files(command: &Command, matches: &ArgMatches) -> Vec<GivenFile> {
    let mut files = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_output = OUTPUTS.contains(&id);
        if !is_output && !INPUTS.contains(&id) {
            continue;
        }
        let shown = match (argument.get_long(), argument.get_value_names()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some([name, ..])) => name.to_string(),
            (None, _) => id.to_uppercase(),
        };
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        for path in values.map(Path::new) {
            if SOURCES.contains(&id) {
                // The name of a data set is no file.
                if !path.exists() && path.extension().is_none() {
                    continue;
                }
                for file in files_of(path).iter().filter(|file| *file != path) {
                    let argument = format!("{}, which belongs to {shown},", file.display());
                    let identity = Identity::new(file);
                    files.push(GivenFile { argument, identity, is_output });
                }
            }
            // Devices and pipes can take anything, and folders are not replaced; standard input is not
            // standard output, but the latter takes one table.
            if is_standard(path) && !is_output || path.exists() && !path.is_file() {
                continue;
            }
            let (argument, identity) = (shown.clone(), Identity::new(path));
            files.push(GivenFile { argument, identity, is_output });
        }
    }
    files
}

impl Identity {
    fn new(path: &Path) -> Self {
        if is_standard(path) {
            return Self::Path(path.to_path_buf());
        }
        #[cfg(unix)]
        if let Ok(known) = path.metadata() {
            use std::os::unix::fs::MetadataExt;
            return Self::Node(known.dev(), known.ino());
        }
        if let Ok(there) = path.canonicalize() {
            return Self::Path(there);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        Self::Path(match (folder, path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_path_buf(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::CommandFactory;

    fn unlisted(command: &Command, found: &mut Vec<String>) {
        for argument in command.get_arguments() {
            let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            let id = argument.get_id().as_str();
            if is_path && !INPUTS.contains(&id) && !OUTPUTS.contains(&id) {
                found.push(format!("{} {id}", command.get_name()));
            }
        }
        command.get_subcommands().for_each(|command| unlisted(command, found));
    }

    #[test]
    fn every_path_is_an_input_or_an_output() {
        let mut found = Vec::new();
        unlisted(&Cli::command(), &mut found);
        assert!(found.is_empty(), "add to INPUTS or OUTPUTS: {found:?}");
    }
}

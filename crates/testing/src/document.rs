//! The names in a Markdown document of the repository: files, folders, items of the code.
//!
//! Documents go stale silently; here every name can be looked up.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A document, and the repository it describes.
#[derive(Debug)]
pub struct Document {
    text: String,
    repository: PathBuf,
}

impl Document {
    /// Reads a document by its path in the repository.
    pub fn read(repository: &Path, name: &str) -> Self {
        let path = repository.join(name);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { text, repository: repository.to_path_buf() }
    }

    /// Words in backticks that look like paths and do not exist. A path may be short: `rows/mod.rs`
    /// is any file whose path ends that way. If the last part is a placeholder (`NAME.rs`, `*.cu`),
    /// the folder must exist.
    pub fn missing_paths(&self) -> Vec<String> {
        let known = self.known();
        let words = self.spans().flat_map(str::split_whitespace).filter(|word| is_path(word));
        let is_missing = |word: &&str| {
            let path = Path::new(word);
            let last = path.file_name().map_or("".into(), |name| name.to_string_lossy());
            let is_open = last.contains('*') || last.contains("NAME");
            let path = if is_open { path.parent().unwrap_or(path) } else { path };
            !known.iter().any(|known| known.ends_with(path))
        };
        words.filter(is_missing).map(str::to_owned).collect()
    }

    /// Names in backticks that look like types, constants or paths of items (`Layout`,
    /// `Dialect::detect`) and occur nowhere in the code.
    pub fn missing_items(&self) -> Vec<String> {
        let mut words = BTreeSet::new();
        for path in self.known().iter().filter(|path| path.extension().is_none_or(|e| e != "md")) {
            // Folders and binary files have no words.
            let text = std::fs::read_to_string(self.repository.join(path)).unwrap_or_default();
            let is_sign = |c: char| !(c.is_alphanumeric() || c == '_');
            words.extend(text.split(is_sign).map(str::to_owned));
        }
        let is_missing = |item: &&str| !item.split("::").all(|part| words.contains(part));
        self.spans().filter(|span| is_item(span)).filter(is_missing).map(str::to_owned).collect()
    }

    /// Modules that are not where the tree of folders says.
    ///
    /// The tree is the first indented block. A line with a path (`crates/core/`) begins a crate,
    /// whose modules are under its `src`; names separated by single spaces are modules, a line with
    /// more indentation is inside the folder above it, and a description follows after two spaces.
    pub fn missing_modules(&self) -> Vec<String> {
        let lines = self.text.lines().skip_while(|line| !line.starts_with("    "));
        let mut folders: Vec<(usize, PathBuf)> = Vec::new();
        let mut missing = Vec::new();
        for line in lines.take_while(|line| line.starts_with("    ")) {
            let names = line.trim_start();
            let indent = line.len() - names.len();
            let names = names.split("  ").next().unwrap_or("");
            folders.retain(|(outer, _)| *outer < indent);
            for name in names.split(' ') {
                let inside = folders.last().map_or(PathBuf::new(), |(_, folder)| folder.clone());
                let path = inside.join(name.trim_end_matches('/'));
                let found = self.repository.join(&path);
                if !found.is_dir() && !found.with_extension("rs").is_file() {
                    missing.push(path.display().to_string());
                }
            }
            // Only the last name of a line can have modules under it.
            if let Some(name) = names.split(' ').next_back().filter(|name| name.ends_with('/')) {
                let inside = folders.last().map_or(PathBuf::new(), |(_, folder)| folder.clone());
                let folder =
                    if name.starts_with("crates/") { format!("{name}src") } else { name.into() };
                folders.push((indent, inside.join(folder)));
            }
        }
        missing
    }

    /// The texts between backticks.
    fn spans(&self) -> impl Iterator<Item = &str> {
        self.text.split('`').skip(1).step_by(2)
    }

    /// All files and folders, except build outputs.
    fn known(&self) -> Vec<PathBuf> {
        let mut known = Vec::new();
        collect(&self.repository, &self.repository, &mut known);
        known
    }
}

fn collect(root: &Path, folder: &Path, known: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "corpus", "artifacts"].contains(&name.as_str()) {
            continue;
        }
        known.push(path.strip_prefix(root).unwrap().to_path_buf());
        if path.is_dir() {
            collect(root, &path, known);
        }
    }
}

fn is_path(word: &str) -> bool {
    let extension = Path::new(word).extension().map_or("".into(), |e| e.to_string_lossy());
    let is_file = ["rs", "md", "py", "cu", "toml", "css", "js"].contains(&&*extension);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-*".contains(c);
    (word.contains('/') || is_file)
        && word.chars().all(is_plain)
        // Options, and paths outside the repository or of build outputs.
        && !word.starts_with(['-', '.', '/'])
}

fn is_item(span: &str) -> bool {
    let is_word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    span.len() > 1
        && span.contains(|c: char| c.is_ascii_uppercase())
        && span.split("::").all(is_word)
}

#[cfg(test)]
mod tests {
    use super::Document;
    use crate::Scene;

    fn document(text: &str) -> (Scene, Document) {
        let scene = Scene::with(&[
            ("READ.md", text),
            ("crates/a/src/rows/mod.rs", "pub struct Row; impl Row { fn new() {} }"),
            ("crates/a/src/set.rs", ""),
            ("docs/data.md", "Column"),
            (".hidden/file.rs", ""),
        ]);
        let document = Document::read(scene.root(), "READ.md");
        (scene, document)
    }

    #[test]
    fn paths_that_lead_nowhere_are_found() {
        let text = "`crates/a/src/set.rs`, `rows/`, `docs/NAME.md`, `src/*.rs`, `set.rs`, `make it`, \
                    `../data`, `-D a/b`\n`crates/b/NAME.rs`, crates/c, `ows/mod.rs`, `file.rs`";
        let (_scene, document) = document(text);
        let expected = ["a/b", "crates/b/NAME.rs", "ows/mod.rs", "file.rs"];
        assert_eq!(document.missing_paths(), expected);
    }

    #[test]
    fn items_that_are_nowhere_are_found() {
        let (_scene, document) = document("`Row`, `Row::new`, `Row::old`, `Column`, `row`, `A b`");
        assert_eq!(document.missing_items(), ["Row::old", "Column"]);
    }

    #[test]
    fn modules_that_are_elsewhere_are_found() {
        let text = "A\n\n    crates/a/    the crate\n        set rows/   two\n            mod deep\n        \
                    more\n    docs/  text\n\n    not/the/tree\n";
        let (_scene, document) = document(text);
        assert_eq!(document.missing_modules(), ["crates/a/src/rows/deep", "crates/a/src/more"]);
    }
}

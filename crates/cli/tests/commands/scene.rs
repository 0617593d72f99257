//! A folder with files, and the program run in it.

use assert_cmd::Command;
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Scene {
    folder: TempDir,
}

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Scene {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            let path = scene.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        scene
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, input: &str) -> Run {
        let output = Command::cargo_bin("rulebound")
            .unwrap()
            .current_dir(self.folder.path())
            .args(arguments.split_whitespace())
            .write_stdin(input)
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn json(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_str(&self.run(arguments).out).unwrap()
    }
}

//! A folder with files, and the program run in it.

use assert_cmd::Command;
use std::ops::Deref;

pub struct Scene {
    folder: rulebound_testing::Scene,
    variables: Vec<(&'static str, &'static str)>,
}

impl Deref for Scene {
    type Target = rulebound_testing::Scene;

    fn deref(&self) -> &Self::Target {
        &self.folder
    }
}

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Scene {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self { folder: rulebound_testing::Scene::with(files), variables: Vec::new() }
    }

    /// The same on a machine whose GPUs, if there are any, are hidden.
    pub fn without_gpu() -> Self {
        Self { variables: vec![("CUDA_VISIBLE_DEVICES", "")], ..Self::new(&[]) }
    }

    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, input: &str) -> Run {
        let output = Command::cargo_bin("rulebound")
            .unwrap()
            .current_dir(self.root())
            .envs(self.variables.iter().copied())
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

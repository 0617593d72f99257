//! `rulebound export`: a model, rules, or rules behind a network of others, as a file that other programs run.

use crate::arguments::{Overwriting, RuleArguments, ThresholdArguments, expect_stdin_once};
use crate::choice::one_of;
use crate::failure::Failure;
use crate::screen;
use crate::text::{hidden_note, rules_of, thousands};
use clap::Args;
use rulebound::model::Model;
use rulebound::onnx::{GraphOptions, Loops, NetworkFile, NetworkOutput, OnnxFile, TorchFiles};
use rulebound_core::{Program, Thresholds};
use rulebound_io::input::is_standard;
use serde_json::json;
use std::path::{Path, PathBuf};

rulebound_core::named_enum! {
    /// What is written.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Target: "a format to export to" {
        /// One file for onnxruntime, TensorRT, browsers and others.
        Onnx = "onnx",
        /// A safetensors file, and a Python file beside it that loads it as a module of PyTorch.
        Torch = "torch",
    }
}

/// Write a model for other runtimes, with its rules inside
///
/// A file for ONNX has everything that a prediction needs: preprocessing, network, rules,
/// probabilities and decisions. Whatever runs it, no prediction breaks a rule.
///
/// With --network, the rules are put behind a network that another program wrote. With --rules alone,
/// the file is the rules: scores in, coherent ones out.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound export boxes.rulebound --to onnx --out boxes.onnx
  printf 'stomach -> abdomen\\n' > body.rules
  rulebound export --rules body.rules --out body.onnx
  rulebound export --network scores.onnx --rules body.rules --labels names.txt --out coherent.onnx

Outputs of the file: `probabilities`, `predicted`, and `margins` if asked for. Classes, thresholds, rules and
columns are in its metadata. docs/onnx.md has the details.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 4 the machine failed.")]
pub struct Export {
    /// Model file
    #[arg(value_name = "MODEL", conflicts_with_all = ["network", "rules"], required_unless_present = "rules")]
    model: Option<PathBuf>,
    /// Format of the file
    #[arg(long, value_name = "FORMAT", default_value = "onnx", value_parser = one_of::<Target>(Target::NAMES))]
    to: Target,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Network in an ONNX file to put the rules behind; its columns are the classes of --labels
    #[arg(long, value_name = "FILE.onnx", requires_all = ["rules", "labels"])]
    network: Option<PathBuf>,
    /// Rule file
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// The network's output with the scores [default: the only one that fits]
    #[arg(long, value_name = "NAME", requires = "network")]
    output: Option<String>,
    /// What the scores are that the rules are given
    #[arg(long, value_name = "KIND", default_value = "logits", requires = "rules", value_parser = one_of::<NetworkOutput>(NetworkOutput::NAMES))]
    output_kind: NetworkOutput,
    #[command(flatten)]
    thresholds: ThresholdArguments,
    /// Also return the coherent margins: how far each class is from its threshold
    #[arg(long)]
    margins: bool,
    /// One input for each column, by its name, with categories as text
    #[arg(long, conflicts_with = "rules")]
    named_inputs: bool,
    /// Write out long cycles of rules instead of using `Loop`, which some runtimes lack
    #[arg(long)]
    no_loop: bool,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// What was written.
struct Written {
    what: String,
    outputs: Vec<String>,
    nodes: Option<usize>,
}

impl Export {
    pub fn run(&self) -> Result<(), Failure> {
        self.overwriting.permits(&self.out)?;
        let written = match (&self.model, &self.rules) {
            (Some(model), _) => self.model(model)?,
            (None, Some(rules)) => self.rules(rules)?,
            (None, None) => return Err(Failure::Usage("give a model, or --rules".to_owned())),
        };
        // The file itself may be there.
        if is_standard(&self.out) {
            return Ok(());
        }
        if self.json {
            let value = json!({
                "out": self.out,
                "exported": written.what,
                "outputs": written.outputs,
                "nodes": written.nodes,
            });
            return Ok(screen::json(&value)?);
        }
        let nodes = written.nodes.map(|nodes| format!(", {} nodes", thousands(nodes as u64)));
        let outputs = written.outputs.join(", ");
        let out = self.out.display();
        let text = match self.to {
            Target::Onnx => {
                let nodes = nodes.unwrap_or_default();
                format!("{}: outputs {outputs}{nodes}\nwritten to {out}\n", written.what)
            }
            Target::Torch => format!("{}\nwritten to {out} and {outputs}\n", written.what),
        };
        Ok(screen::summary(&text)?)
    }

    fn options(&self) -> GraphOptions {
        GraphOptions {
            margins: self.margins,
            loops: if self.no_loop { Loops::WrittenOut } else { Loops::Allowed },
            named_inputs: self.named_inputs,
        }
    }

    fn model(&self, path: &Path) -> Result<Written, Failure> {
        if self.rule_arguments.labels.is_some() {
            return Err(Failure::Usage(
                "--labels belongs to --rules; a model has its classes".to_owned(),
            ));
        }
        let model = Model::load(path)?;
        let model = match self.thresholds.given(&model.class_names())? {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        };
        let what = match &model.parts() {
            [one] => one.learner().to_string(),
            several => format!("a blend of {} learners", several.len()),
        };
        let rules = match model.rules() {
            Some(program) => rules_of(program),
            None => "no rules: this model is a plain network and may break them".to_owned(),
        };
        let what = format!("{what} with {rules}");
        if self.to == Target::Torch {
            if self.margins || self.named_inputs || self.no_loop {
                let message = "--margins, --named-inputs and --no-loop are about ONNX".to_owned();
                return Err(Failure::Usage(message));
            }
            let files = TorchFiles::new(&model)?;
            self.overwriting.permits(&self.out.with_extension("py"))?;
            let script = files.write_as(&self.out, self.overwriting.existing())?;
            return Ok(Written { what, outputs: vec![script.display().to_string()], nodes: None });
        }
        let file = OnnxFile::of_model(&model, self.options())?;
        file.write_as(&self.out, self.overwriting.existing())?;
        Ok(self.written(what, &file))
    }

    fn rules(&self, path: &Path) -> Result<Written, Failure> {
        if self.to == Target::Torch {
            let message =
                "--to torch needs a model; `rulebound.torch.ConstraintLayer` is the layer of rules"
                    .to_owned();
            return Err(Failure::Usage(message));
        }
        let labels = self.rule_arguments.labels.as_deref();
        expect_stdin_once(&[("--rules", Some(path)), ("--labels", labels)])?;
        let file = self.rule_arguments.read(path)?;
        if let Some(note) = hidden_note(file.unknown.len(), "the label list").filter(|_| !self.json)
        {
            screen::note(note);
        }
        let program = &file.parsed.program;
        let thresholds = self.thresholds.thresholds(&file.class_names())?;
        let rules = rules_of(program);
        match &self.network {
            Some(network) => self.behind(network, program, &thresholds),
            None => {
                let file =
                    OnnxFile::of_rules(program, &thresholds, self.output_kind, self.options())?;
                file.write_as(&self.out, self.overwriting.existing())?;
                Ok(self.written(rules, &file))
            }
        }
    }

    fn behind(
        &self,
        network: &Path,
        program: &Program,
        thresholds: &Thresholds,
    ) -> Result<Written, Failure> {
        let classes = program.labels().len();
        let network = NetworkFile::read(network, self.output.as_deref(), classes)?;
        let file = network.with_rules(program, thresholds, self.output_kind, self.options())?;
        file.write_as(&self.out, self.overwriting.existing())?;
        let rules = rules_of(program);
        let what = format!("{rules} behind the output `{}`", network.output());
        Ok(Written { what, outputs: file.outputs().to_vec(), nodes: None })
    }

    fn written(&self, what: String, file: &OnnxFile) -> Written {
        let outputs = file.outputs().map(str::to_owned).collect();
        Written { what, outputs, nodes: Some(file.nodes()) }
    }
}

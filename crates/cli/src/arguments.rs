//! Arguments that several commands share.

use crate::choice::{self, one_of};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, some_names};
use clap::Args;
use rulebound::class_files::read_thresholds;
use rulebound::class_names::{ClassNames, NameHint, UnknownClass};
use rulebound::device::{Device, DeviceChoice};
use rulebound::predict::Unsettled;
use rulebound::rule_file::{RuleFile, read_labels};
use rulebound::unknown_labels::{UnknownLabels, UnmatchedClasses};
use rulebound_core::{Dialect, LabelId, RulesAs, SettleLimit, Thresholds, UnsettledRows};
use rulebound_io::input::is_standard;
use rulebound_io::output::{Existing, OutputError};
use rulebound_io::scores::ScoreKind;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How a rule file is read.
#[derive(Args)]
pub struct RuleArguments {
    /// File with one class name per line: fixes the classes and their order
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Format of the rule file [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Dialect>(Dialect::NAMES))]
    format: Option<Dialect>,
    /// What to do with classes of the rules that the label list or the table does not have
    #[arg(long, value_name = "WHAT", default_value = "hide-in-rules", value_parser = choice::unknown_labels())]
    pub unknown_labels: UnknownLabels,
    /// What a rule is: it raises its head, or is a requirement like any other
    #[arg(long, value_name = "READING", default_value = "rules", value_parser = one_of::<RulesAs>(RulesAs::NAMES))]
    rules_as: RulesAs,
    /// Conflicts that may be met in deciding whether requirements can be satisfied, and in settling a row
    #[arg(long, value_name = "N", default_value_t = SettleLimit::DEFAULT)]
    settle_limit: u64,
}

impl RuleArguments {
    /// Refuses to keep classes for which the command has nowhere to write a score.
    pub fn expect_columns(&self) -> Result<(), Failure> {
        match self.unknown_labels {
            UnknownLabels::Keep => Err(Failure::Usage(
                "--unknown-labels keep: a class needs a column in the table; add one with the \
                 probability 0"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// What may be spent on requirements.
    pub fn settle_limit(&self) -> SettleLimit {
        SettleLimit::new(self.settle_limit)
    }

    pub fn read(&self, rules: &Path) -> Result<RuleFile, Failure> {
        self.read_as(rules, self.unknown_labels)
    }

    /// Reads rules to be judged as they are written: classes that would be hidden are kept.
    pub fn read_as_written(&self, rules: &Path) -> Result<RuleFile, Failure> {
        let file = self.read_as(
            rules,
            match self.unknown_labels {
                UnknownLabels::Error => UnknownLabels::Error,
                _ => UnknownLabels::Keep,
            },
        )?;
        if file.unknown.is_empty() {
            return Ok(file);
        }
        let labels = file.parsed.program.labels();
        let unknown: HashSet<&str> = file.unknown.iter().map(String::as_str).collect();
        let listed = labels.names().filter(|name| !unknown.contains(name)).map(str::to_owned);
        let is_known = |id| !unknown.contains(labels.name(id));
        let listed: Vec<String> = listed.collect();
        let program = &file.parsed.program;
        match UnmatchedClasses::find(program, &listed, is_known, self.unknown_labels) {
            None => Ok(file),
            Some(unmatched) => {
                let message = format!("{}: {unmatched}", file.path.display());
                Err(Diagnostic::plain("unmatched-classes", message)
                    .with_hint(unmatched.hint())
                    .into())
            }
        }
    }

    fn read_as(&self, rules: &Path, unknown: UnknownLabels) -> Result<RuleFile, Failure> {
        expect_stdin_once(&[("the rules", Some(rules)), ("--labels", self.labels.as_deref())])?;
        let (labels, limit) = (self.labels.as_deref(), self.settle_limit());
        let file =
            RuleFile::read_within(rules, labels, self.format, unknown, self.rules_as, limit)?;
        let program = &file.parsed.program;
        screen::detail(|| {
            let (rules, classes) = (program.rules().len(), program.labels().len());
            let (rules, classes) = (count(rules, "rule"), count(classes, "class"));
            format!("read {}: {rules} over {classes}", file.path.display())
        });
        Ok(file)
    }

    /// The names of `--labels`, in order, which name the columns of a table without names; `file`
    /// was read with them.
    pub fn names(&self, file: &RuleFile) -> Result<Option<Vec<String>>, Failure> {
        let Some(list) = &self.labels else { return Ok(None) };
        // Standard input has been read, and the rules name no other classes.
        let labels = match is_standard(list) {
            true => file.parsed.program.labels().clone(),
            false => read_labels(list)?,
        };
        Ok(Some(labels.names().map(str::to_owned).collect()))
    }
}

/// What becomes of rows whose requirements cannot be settled.
#[derive(Args)]
pub struct UnsettledArguments {
    /// What becomes of a row whose requirements cannot be settled within --settle-limit: an error, a row
    /// without scores, or the scores it came with
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = one_of::<UnsettledRows>(UnsettledRows::NAMES))]
    pub unsettled: UnsettledRows,
}

/// Notes rows that were not settled: which, and what became of them.
pub fn note_unsettled(what: UnsettledRows, unsettled: &Unsettled) {
    if unsettled.rows > 0 {
        screen::note(unsettled_note(what, unsettled));
    }
}

fn unsettled_note(what: UnsettledRows, unsettled: &Unsettled) -> String {
    let first: Vec<String> = unsettled.first.iter().map(u64::to_string).collect();
    let more = unsettled.rows - unsettled.first.len() as u64;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let became = match (what, unsettled.rows) {
        (UnsettledRows::Raw, 1) => "keeps its scores and may break rules and requirements",
        (UnsettledRows::Raw, _) => "keep their scores and may break rules and requirements",
        (UnsettledRows::Mark | UnsettledRows::Error, 1) => "has no scores and no decisions",
        (UnsettledRows::Mark | UnsettledRows::Error, _) => "have no scores and no decisions",
    };
    let rows = count(unsettled.rows as usize, "row");
    format!(
        "warning: {rows} could not be settled within --settle-limit and {became}: row {}{more}",
        first.join(", ")
    )
}

/// The probability above which a class is predicted.
#[derive(Args, Default)]
pub struct ThresholdArguments {
    /// Probability above which a class is predicted [default: 0.5, or the model's own]
    #[arg(long, value_name = "T", conflicts_with = "thresholds")]
    threshold: Option<f64>,
    /// File with two columns, `class,threshold`; the class `*` stands for all others
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<PathBuf>,
}

impl ThresholdArguments {
    pub fn thresholds(&self, classes: &ClassNames<'_>) -> Result<Thresholds, Failure> {
        match &self.thresholds {
            Some(file) => Ok(read_thresholds(file, classes)?),
            None => Thresholds::uniform(classes.labels().len(), self.threshold.unwrap_or(0.5))
                .map_err(|error| Failure::Usage(format!("--threshold: {error}"))),
        }
    }

    /// The thresholds given on the command line, if any.
    pub fn given(&self, classes: &ClassNames<'_>) -> Result<Option<Thresholds>, Failure> {
        let any = self.threshold.is_some() || self.thresholds.is_some();
        any.then(|| self.thresholds(classes)).transpose()
    }
}

/// What the scores mean, and the probability above which a class is predicted.
#[derive(Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    pub thresholds: ThresholdArguments,
    /// The scores are logits, not probabilities
    #[arg(long)]
    logits: bool,
}

impl ScoreArguments {
    pub fn thresholds(&self, classes: &ClassNames<'_>) -> Result<Thresholds, Failure> {
        self.thresholds.thresholds(classes)
    }

    pub fn kind(&self) -> ScoreKind {
        if self.logits { ScoreKind::Logit } else { ScoreKind::Probability }
    }
}

/// Whether a finished model may be replaced.
#[derive(Args)]
pub struct Overwriting {
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
}

impl Overwriting {
    /// Refuses a target that exists, unless `--force` is given. Devices and pipes are not replaced.
    ///
    /// This only saves work: what counts is the moment in which the file gets its name, and what
    /// [`existing`](Self::existing) says then.
    pub fn permits(&self, target: &Path) -> Result<(), Failure> {
        match self.force || !target.is_file() {
            true => Ok(()),
            false => Err(OutputError::Exists { path: target.to_owned() }.into()),
        }
    }

    /// What becomes of a file that exists when a finished one gets its name.
    pub fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// The device to run on.
#[derive(Args)]
pub struct DeviceArguments {
    /// Device: `cpu`, `cuda`, `cuda:1`, or `auto` (a GPU if one is usable, otherwise the CPU)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceChoice,
}

impl DeviceArguments {
    /// Opens the device; prints a note if `auto` falls back to the CPU.
    pub fn open(&self) -> Result<Device, Failure> {
        let (device, reason) = self.device.open()?;
        if let Some(reason) = reason {
            screen::note(format_args!(
                "note: no usable GPU found, falling back to the CPU: {reason}"
            ));
        }
        Ok(device)
    }
}

/// Sets the number of threads, if one is given: at most four per core, because more only wait for each
/// other.
pub fn use_threads(threads: Option<u16>) {
    if let Some(threads) = threads {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = u16::try_from(4 * cores).unwrap_or(u16::MAX);
        if threads > most {
            screen::note(format_args!(
                "warning: --threads {threads} is more than four per core; using {most}"
            ));
        }
        let threads = threads.min(most);
        // It fails only if the thread pool already exists; no result depends on the number.
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().ok();
    }
}

/// Refuses to read standard input more than once.
pub fn expect_stdin_once(places: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let standard = places.iter().filter(|(_, path)| path.is_some_and(is_standard));
    match standard.map(|(name, _)| *name).collect::<Vec<_>>()[..] {
        [first, second, ..] => {
            let message = format!("{first} and {second} cannot both be standard input");
            Err(Failure::Usage(message))
        }
        _ => Ok(()),
    }
}

/// The class of that name, or an error with what is known about the name.
pub fn class_of(names: &ClassNames<'_>, name: &str) -> Result<LabelId, Failure> {
    names.expect(name).map_err(|UnknownClass { name, hint }| {
        let diagnostic = Diagnostic::plain("unknown-label", format!("unknown class `{name}`"));
        let hint = match hint {
            NameHint::None => return diagnostic.into(),
            NameHint::Nearest(nearest) => format!("did you mean `{nearest}`?"),
            NameHint::Obsolete(consider) if consider.is_empty() => {
                "it is an obsolete term".to_owned()
            }
            NameHint::Obsolete(consider) => {
                let consider = some_names(consider.iter().map(String::as_str), consider.len(), 20);
                format!("it is an obsolete term; consider {consider}")
            }
            NameHint::OtherTerm(term) => format!("the term `{term}` is none of the classes here"),
            NameHint::NoTerm => "the ontology has no such term".to_owned(),
        };
        diagnostic.with_hint(hint).into()
    })
}

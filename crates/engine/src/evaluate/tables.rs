//! A table of scores and a table of ground truth, with the same classes and the same rows.
//!
//! Classes are matched by name, in any order. Without a list of them they are the columns of the
//! ground truth except its id column, and the scores must have exactly the same: a class omitted by
//! mistake would silently change every metric.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{LabelId, Labels, NearNames, Program, Thresholds};

use super::columns::{classes_of, columns, expect_columns, names_in, others};
use super::error::{EvaluateError, NeededBy};
use super::evaluation::Evaluation;
use super::truth::{Known, Truth, read_truth};
use crate::array::is_array;
use crate::class_names::{ClassNames, called_as_terms, named_as_columns};
use crate::configuration::LabelPolicy;
use crate::dataset::Ontology;
use crate::input::{is_pipe, is_standard};
use crate::labelled_scores::{LabelledScores, ScoresOf, TruthUnderRules};
use crate::scores::{ScoreBatch, ScoreKind, ScoreReader};
use crate::unknown_labels::{UnknownLabels, UnmatchedClasses};

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// The table of scores.
    pub scores: PathBuf,
    /// The table of ground truth, 0 and 1; a label that is not known is empty.
    pub truth: PathBuf,
    /// What the scores are.
    pub kind: ScoreKind,
    /// The id column of both tables, by which rows are matched. Without one they are matched by
    /// their order.
    pub id_column: Option<String>,
    /// The classes; columns with other names are ignored. Without a list all columns are classes.
    pub classes: Option<Labels>,
    /// What to do with classes that rules know and the tables do not.
    pub unknown_labels: UnknownLabels,
    /// The ontology of the rules: columns may be called by any name that it knows for a term.
    pub ontology: Option<Arc<Ontology>>,
}

/// Two tables with the same classes, opened but not yet read.
#[derive(Debug)]
pub struct Tables {
    request: Request,
    labels: Labels,
    scores: ScoreReader,
    truth: ScoreReader,
}

impl Tables {
    /// Opens both tables and finds the classes in them.
    ///
    /// # Errors
    /// If a table cannot be opened, or a class or the id has no column or more than one.
    pub fn open(request: Request) -> Result<Self, EvaluateError> {
        if is_standard(&request.truth) {
            return Err(EvaluateError::TruthOnStandardInput);
        }
        let id = request.id_column.as_deref();
        let labels = match &request.classes {
            Some(classes) => classes.clone(),
            None if is_pipe(&request.truth) => {
                return Err(EvaluateError::TruthInPipe { path: request.truth });
            }
            None => classes_of(&request.truth, id)?,
        };
        if labels.is_empty() {
            return Err(EvaluateError::NoClasses { path: request.truth });
        }
        let listed = request.classes.is_some();
        let list: Vec<String> = labels.names().map(str::to_owned).collect();
        // The order of a list of classes is that of columns without names.
        let given = listed.then_some(&list[..]);
        let (labels, [names, score_names]) = called(&request, labels, given)?;
        // Any number is read here; those other than 0 and 1 are reported with their places later.
        let truth = ScoreReader::open_labels(&request.truth, &names, id, given)?;
        let scores =
            ScoreReader::open_named(&request.scores, request.kind, &score_names, id, given)?;
        let (in_truth, in_scores) = match listed {
            true => (NeededBy::Labels, NeededBy::Labels),
            false => {
                (NeededBy::Table(request.scores.clone()), NeededBy::Table(request.truth.clone()))
            }
        };
        expect_columns(&request.truth, &truth, &names, in_truth.clone())?;
        expect_columns(&request.scores, &scores, &score_names, in_scores)?;
        let surplus: Vec<String> = others(&scores).filter(|_| !listed).collect();
        if !surplus.is_empty() {
            return Err(EvaluateError::NoColumn {
                path: request.truth.clone(),
                classes: surplus,
                needed_by: in_truth,
                columns: columns(&truth),
            });
        }
        Ok(Self { request, labels, scores, truth })
    }

    /// The classes, in the order of the list or else of the ground truth; where there is an ontology and no list, terms
    /// as it calls them.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The names of the classes; other names of terms are none of them.
    pub fn class_names(&self) -> ClassNames<'_> {
        let ontology = self.request.ontology.as_deref();
        let terms = ontology.into_iter().flat_map(Ontology::ids);
        ClassNames::new(&self.labels).with_ontology(ontology).with_others(terms)
    }

    /// Reads both tables and evaluates the scores. The thresholds are in the order of
    /// [`labels`](Self::labels); the rules may use some of these, in any order.
    ///
    /// # Errors
    /// If a table cannot be read, a row of one is not in the other, a cell of the ground truth is
    /// neither 0 nor 1, or a rule uses a class that has no column.
    pub fn evaluate(
        self,
        program: Option<&Program>,
        thresholds: &Thresholds,
        labels_in_metrics: LabelsInMetrics,
        label_policy: LabelPolicy,
    ) -> Result<Evaluation, EvaluateError> {
        let rows = self.read(program, label_policy)?;
        rows.decided(rows.decisions(thresholds), labels_in_metrics).evaluate()
    }

    /// Reads both tables, and applies a policy to rows of the ground truth that break a rule.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn read(
        mut self,
        program: Option<&Program>,
        label_policy: LabelPolicy,
    ) -> Result<LabelledScores<'static>, EvaluateError> {
        let fitted = program.map(|program| self.fitted(program)).transpose()?;
        let hidden = fitted.as_ref().map_or(0, |(_, hidden)| *hidden);
        let program = fitted.map(|(program, _)| self.of_columns(&program)).transpose()?;
        let mut scores = Vec::new();
        let mut known = Known::new(&self.request.scores);
        let mut batch = ScoreBatch::new();
        while self.scores.read(&mut batch)? {
            scores.extend_from_slice(batch.values());
            known.add(&batch)?;
        }
        let Truth { labels: mut truth, known: mut known_labels } =
            read_truth(&mut self.truth, &self.request.truth, &self.labels, &known)?;
        let under_rules = match &program {
            Some(program) => {
                let known = known_labels.as_deref_mut();
                Some(TruthUnderRules::apply(program, &mut truth, known, label_policy)?)
            }
            None => None,
        };
        let evaluated = vec![true; self.labels.len()].into();
        Ok(LabelledScores {
            labels: Cow::Owned(self.labels),
            scores: scores.into(),
            of: ScoresOf::Table(self.request.kind),
            truth: truth.into(),
            known: known_labels.map(Cow::Owned),
            evaluated,
            program: program.map(Cow::Owned),
            under_rules,
            hidden,
            members: Vec::new(),
        })
    }

    /// The rules without the classes that have no column, and how many those are.
    fn fitted(&self, program: &Program) -> Result<(Program, usize), EvaluateError> {
        let names: Vec<String> = self.labels.names().map(str::to_owned).collect();
        let path = || self.request.truth.clone();
        let renamed = named_as_columns(program, self.request.ontology.as_deref(), &names)
            .map_err(|source| EvaluateError::Unmatched { path: path(), source })?;
        let program = renamed.as_ref().unwrap_or(program);
        let labels = program.labels();
        let is_known = |id: LabelId| self.labels.find(labels.name(id)).is_some();
        let unknown: Vec<LabelId> = labels.ids().filter(|&id| !is_known(id)).collect();
        let near = NearNames::new(self.labels.names());
        for &id in &unknown {
            if let Some(column) = near.find(labels.name(id)) {
                let (class, column) = (labels.name(id).to_owned(), column.to_owned());
                let path = self.request.truth.clone();
                return Err(EvaluateError::NearColumn { path, class, column });
            }
        }
        let asked = self.request.unknown_labels;
        if let Some(source) = UnmatchedClasses::find(program, &names, is_known, asked) {
            return Err(EvaluateError::Unmatched { path: path(), source });
        }
        let none_known = unknown.len() == labels.len();
        if asked == UnknownLabels::Error || none_known {
            return Ok((program.clone(), 0));
        }
        let hidden = program
            .hiding(is_known)
            .map_err(|source| EvaluateError::CannotHide { path: path(), source })?;
        Ok((hidden, unknown.len()))
    }

    /// The rules, renumbered to the classes of the tables.
    fn of_columns(&self, program: &Program) -> Result<Program, EvaluateError> {
        let find = |label: LabelId| self.labels.find(program.labels().name(label));
        let missing = program.mentioned().filter(|&label| find(label).is_none());
        let mut missing: Vec<String> =
            missing.map(|label| program.labels().name(label).to_owned()).collect();
        if missing.is_empty() {
            return Ok(
                program.renumbered(self.labels.clone(), |label| find(label).unwrap_or(label))
            );
        }
        missing.sort_unstable();
        missing.dedup();
        Err(EvaluateError::NoColumn {
            path: self.request.truth.clone(),
            classes: missing,
            needed_by: NeededBy::Rules,
            columns: columns(&self.truth),
        })
    }
}

/// The classes, and what the columns of the truth and of the scores call them: each table may use another name that an
/// ontology knows for a term. `given` names the columns of tables without names.
fn called(
    request: &Request,
    labels: Labels,
    given: Option<&[String]>,
) -> Result<(Labels, [Vec<String>; 2]), EvaluateError> {
    let own: Vec<String> = labels.names().map(str::to_owned).collect();
    let Some(ontology) = &request.ontology else { return Ok((labels, [own.clone(), own])) };
    let wrong = |path: &PathBuf| {
        let path = path.clone();
        move |source| EvaluateError::Unmatched { path, source }
    };
    let labels = match request.classes {
        // A list says how they are called.
        Some(_) => labels,
        None => called_as_terms(&labels, ontology).map_err(wrong(&request.truth))?,
    };
    let classes = ClassNames::new(&labels).with_ontology(Some(ontology));
    let columns = |path: &PathBuf| {
        // A stream is read only once, and its classes are called as those of the truth.
        if is_standard(path) || is_pipe(path) || is_array(path) {
            return Ok(own.clone());
        }
        let columns = names_in(path, &own, request.id_column.as_deref(), given)?;
        classes.columns(&columns).map_err(wrong(path))
    };
    let found = [columns(&request.truth)?, columns(&request.scores)?];
    Ok((labels, found))
}

//! A table of scores, opened and matched with the classes of rules.

use rulebound_core::{ConstraintLayer, LabelId, NearNames, Program, Thresholds, UnsettledRows};

use super::{ApplyError, ApplySummary, BrokenLines, ScoreSource, Step};
use crate::tables::{PredictionPaths, PredictionTables, ScoreChanges};
use rulebound_data::class_names::{ClassNames, named_as_columns};
use rulebound_data::dataset::looks_like_id;
use rulebound_data::unknown_labels::{UnknownLabels, UnmatchedClasses};
use rulebound_io::input::{is_pipe, is_standard};
use rulebound_io::scores::{ColumnRole, Scale, ScoreBatch, ScoreReader};
use rulebound_io::table::RowKey;

/// A table of scores, and rules about the classes that it has.
#[derive(Debug)]
pub struct OpenScores {
    reader: ScoreReader,
    source: ScoreSource,
    program: Program,
    thresholds: Thresholds,
    hidden: Vec<String>,
    /// The names that the rules know and the columns of the table, by which more than its classes are called.
    names: Vec<String>,
    unsettled: UnsettledRows,
}

impl OpenScores {
    /// Opens the table and finds the classes of the rules in it. Labels that occur in no rule need
    /// no column; others without one are an error, or hidden.
    ///
    /// # Errors
    /// If the table cannot be read, classes have no column although they need one, or a class has
    /// none but nearly one.
    pub fn open(
        program: &Program,
        thresholds: &Thresholds,
        source: &ScoreSource,
        unknown: UnknownLabels,
    ) -> Result<Self, ApplyError> {
        let names_of = |program: &Program| -> Vec<String> {
            program.labels().names().map(str::to_owned).collect()
        };
        let mut classes = names_of(program);
        let (id, names) = (source.id_column.as_deref(), source.names.as_deref());
        let mut reader = ScoreReader::open_named(&source.scores, source.kind, &classes, id, names)?;
        let columns: Vec<String> =
            reader.columns().iter().map(|column| column.name.trim().to_owned()).collect();
        // A stream is read only once, and its header has been.
        let can_return = !is_standard(&source.scores) && !is_pipe(&source.scores);
        let named = || named_as_columns(program, source.ontology.as_deref(), &columns);
        let unmatched =
            |source_| ApplyError::Unmatched { path: source.scores.clone(), source: source_ };
        let renamed = can_return.then(named).transpose().map_err(unmatched)?.flatten();
        if let Some(renamed) = &renamed {
            classes = names_of(renamed);
            reader = ScoreReader::open_named(&source.scores, source.kind, &classes, id, names)?;
        }
        let names: Vec<String> = program.labels().names().map(str::to_owned).collect();
        let names: Vec<String> = names.into_iter().chain(columns.iter().cloned()).collect();
        let program = renamed.as_ref().unwrap_or(program);
        let mut needed = vec![false; classes.len()];
        program.mentioned().for_each(|class| needed[class.index()] = true);
        let is_missing = |class: usize| needed[class] && reader.class_column(class).is_none();
        let missing: Vec<bool> = (0..classes.len()).map(is_missing).collect();
        let path = || source.scores.clone();
        let (source, thresholds) = (source.clone(), thresholds.clone());
        let near = NearNames::new(columns.iter().map(String::as_str));
        let without = || (0..classes.len()).filter(|&class| missing[class]);
        for class in without() {
            if let Some(column) = near.find(&classes[class]) {
                let (class, column) = (classes[class].clone(), column.to_owned());
                return Err(ApplyError::NearColumn { path: path(), class, column });
            }
        }
        let is_known = |id: LabelId| !missing[id.index()];
        if let Some(source) = UnmatchedClasses::find(program, &columns, is_known, unknown) {
            return Err(ApplyError::Unmatched { path: path(), source });
        }
        if !missing.contains(&true) {
            return Ok(Self {
                reader,
                source,
                program: program.clone(),
                thresholds,
                hidden: Vec::new(),
                names,
                unsettled: UnsettledRows::Error,
            });
        }
        let hidden: Vec<String> = without().map(|class| classes[class].clone()).collect();
        let all = needed.iter().filter(|&&needed| needed).count();
        if unknown == UnknownLabels::Error || hidden.len() == all {
            return Err(ApplyError::NoColumn { path: path(), classes: hidden, columns });
        }
        let kept: Vec<bool> = missing.iter().map(|missing| !missing).collect();
        let program = program
            .hiding(|id| kept[id.index()])
            .map_err(|source| ApplyError::CannotHide { path: path(), source })?;
        let values = (0..kept.len()).filter(|&class| kept[class]);
        let values = values.map(|class| thresholds.value(LabelId::new(class))).collect();
        let thresholds = match Thresholds::new(values) {
            Ok(thresholds) => thresholds,
            Err(error) => unreachable!("they were thresholds before: {error}"),
        };
        reader.keep_classes(&kept);
        let unsettled = UnsettledRows::Error;
        Ok(Self { reader, source, program, thresholds, hidden, names, unsettled })
    }

    /// The rules about the classes of the table.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The thresholds of its classes.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// The classes of the rules that have no column and are hidden.
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// The names of its classes; other names that the rules or the table know are none of them.
    pub fn class_names(&self) -> ClassNames<'_> {
        let names = ClassNames::new(self.program.labels());
        names.with_ontology(self.source.ontology.as_deref()).with_others(&self.names)
    }

    /// With other thresholds of its classes.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        assert_eq!(thresholds.len(), self.program.labels().len(), "one threshold per class");
        self.thresholds = thresholds;
        self
    }

    /// The columns that are no terms of the ontology of the rules, if they have one, with what it knows about them; not
    /// those that identify rows. They are copied as they are.
    pub fn columns_without_terms(&self) -> Vec<String> {
        let Some(ontology) = &self.source.ontology else { return Vec::new() };
        let id = self.source.id_column.as_deref();
        let columns = self.reader.columns().iter();
        let others = columns.filter(|column| column.role == ColumnRole::Other);
        let names = others.map(|column| column.name.trim());
        let others = names.filter(|name| Some(*name) != id && !looks_like_id(name));
        others
            .filter(|name| ontology.resolve(name).is_none())
            .map(|name| ontology.describe_unknown(name))
            .collect()
    }

    /// Says what becomes of rows whose requirements cannot be settled.
    #[must_use]
    pub fn with_unsettled(mut self, rows: UnsettledRows) -> Self {
        self.unsettled = rows;
        self
    }

    /// Applies the rules; see [`apply`](super::apply).
    ///
    /// # Errors
    /// As [`apply`](super::apply).
    pub fn apply(
        mut self,
        paths: &PredictionPaths,
        mut progress: impl FnMut(u64) -> bool,
    ) -> Result<ApplySummary, ApplyError> {
        let program = &self.program;
        let is_f32 = self.reader.is_f32();
        let scale =
            Scale::new(self.source.kind, self.thresholds.clone(), is_f32).of_program(program);
        let layer = ConstraintLayer::new(program, self.thresholds.clone());
        let layer = layer.with_unsettled(self.unsettled);
        let marks = self.unsettled == UnsettledRows::Mark;
        let mut tables = PredictionTables::like(&self.reader, paths, program.labels())?;
        let mut batch = ScoreBatch::new();
        let mut step = Step::new(&layer);
        let mut summary = ApplySummary {
            broken: BrokenLines::new(program),
            changes: program.has_requirements().then(ScoreChanges::default),
            ..ApplySummary::default()
        };
        while self.reader.read(&mut batch)? {
            step.run(program, &layer, &scale, &mut batch, marks, &mut summary)?;
            tables.write(&batch, &step.cells, &step.predicted, &step.delegates, |_| None)?;
            if !progress(summary.rows) {
                return Err(ApplyError::Stopped);
            }
        }
        tables.commit()?;
        Ok(summary)
    }

    /// Finds one row; an id is looked for in the id column of the source.
    ///
    /// # Errors
    /// If the table cannot be read up to that row, or has no such row.
    pub fn row(&mut self, key: &RowKey) -> Result<ScoredRow, ApplyError> {
        let mut batch = ScoreBatch::new();
        let mut rows = 0;
        while self.reader.read(&mut batch)? {
            rows = batch.first_row() + batch.rows() as u64 - 1;
            for row in 0..batch.rows() {
                let number = batch.first_row() + row as u64;
                if key.is_row(number, batch.id(row).as_deref()) {
                    let start = row * batch.classes();
                    let scores = batch.values()[start..start + batch.classes()].to_vec();
                    return Ok(ScoredRow { number, scores, is_f32: self.reader.is_f32() });
                }
            }
        }
        Err(ApplyError::NoRow { path: self.source.scores.clone(), row: key.clone(), rows })
    }
}

/// The scores of one row, in the order of the labels.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoredRow {
    /// Its number, from 1.
    pub number: u64,
    /// The scores.
    pub scores: Vec<f64>,
    /// Whether they are `f32`.
    pub is_f32: bool,
}

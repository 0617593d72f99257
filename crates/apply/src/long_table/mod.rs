//! Long tables: one line per id and class that has a score, in and out.
//!
//! ```text
//! id,class,score        the lines of an id are one after the other; what is not listed is impossible
//! p1,cat,0.9
//! p1,animal,0.2    ──>  p1,animal,0.9
//!                       p1,cat,0.9
//! ```
//!
//! One id is in memory at a time, and the cost is that of its lines and their ancestors ([`crate::sparse`]). An id
//! that comes back later is an error: [`IdOrder`] says how that is found. A score that the rules do not change, or
//! copy, is written as it was read.

mod error;
mod group;
mod ids;
mod writer;

pub use error::LongTableError;
pub use ids::IdOrder;

use std::collections::HashMap;
use std::path::PathBuf;

use rulebound_core::{Program, SparseLayer, Thresholds, UnsettledRows};

use crate::sparse::{Cut, SparseApplier};
use group::Group;
use ids::IdCheck;
use rulebound_data::dataset::Ontology;
use rulebound_io::output::publish_all;
use rulebound_io::scores::{ScoreBatch, ScoreKind, ScoreReader};
use rulebound_io::table::TableTarget;
use writer::LongWriter;

/// A long table to read.
#[derive(Debug, Clone)]
pub struct LongSource {
    /// The table.
    pub scores: PathBuf,
    /// What the scores are.
    pub kind: ScoreKind,
    /// The column of ids.
    pub id_column: String,
    /// The column of classes, by name.
    pub class_column: String,
    /// The column of scores.
    pub score_column: String,
    /// In which order ids are.
    pub ids: IdOrder,
    /// Which classes of each id are written.
    pub cut: Cut,
    /// What becomes of ids whose requirements cannot be settled.
    pub unsettled: UnsettledRows,
}

/// Counts of what was read and written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LongSummary {
    /// How many ids.
    pub ids: u64,
    /// How many lines were read.
    pub lines: u64,
    /// How many lines were written.
    pub written: u64,
    /// How many of those written have another score than the one read.
    pub changed: u64,
    /// How many of those written are of classes that were not listed.
    pub added: u64,
    /// How many ids had requirements that could not be settled.
    pub unsettled: u64,
    /// The first of them, at most twenty.
    pub unsettled_ids: Vec<String>,
}

/// The most unknown classes that are looked for.
const MOST_UNKNOWN: usize = 1 << 16;

/// Applies rules to a long table. Classes are called as the rules call them, or by any other name that the
/// `ontology` knows for a term; of several lines of one term the highest score counts. `progress` gets the number of lines after every batch and returns whether to
/// continue.
///
/// # Errors
/// If a table cannot be read or written, a class is unknown or listed twice for an id, an id comes back, the
/// requirements of an id cannot be settled, or `progress` returns false. No output is published then.
pub fn apply_long<'t>(
    program: &Program,
    ontology: Option<&Ontology>,
    thresholds: &Thresholds,
    source: &LongSource,
    target: impl Into<TableTarget<'t>>,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<LongSummary, LongTableError> {
    let layer = SparseLayer::new(program)?;
    let path = &source.scores;
    let names = [source.score_column.clone()];
    let mut reader = ScoreReader::open(path, source.kind, &names, Some(&source.id_column))?;
    let columns: Vec<String> =
        reader.columns().iter().map(|column| column.name.trim().to_owned()).collect();
    let missing = |name: &str| LongTableError::NoColumn {
        path: path.clone(),
        name: name.to_owned(),
        columns: columns.clone(),
    };
    let class_column = columns.iter().position(|name| *name == source.class_column);
    let class_column = class_column.ok_or_else(|| missing(&source.class_column))?;
    let score_column = reader.class_column(0).ok_or_else(|| missing(&source.score_column))?;
    let is_f32 = reader.is_f32();
    let applier = SparseApplier::new(program, &layer, thresholds.clone(), source.kind, is_f32);
    let applier = applier.cut(source.cut)?;
    let mut writer = LongWriter::create(
        target.into(),
        [&source.id_column, &source.class_column, &source.score_column],
        is_f32,
    )?;
    let labels = program.labels();
    let mut group = Group::new(path, &applier, labels, source.unsettled);
    let mut ids = IdCheck::new(path, source.ids);
    let mut batch = ScoreBatch::new();
    let mut summary = LongSummary::default();
    let mut unknown: HashMap<String, u64> = HashMap::new();
    while reader.read(&mut batch)? {
        for line in 0..batch.rows() {
            let row = batch.first_row() + line as u64;
            let id = batch.id(line).unwrap_or_default();
            if !group.is_of(&id) && unknown.is_empty() {
                group.write(&mut writer, &mut summary)?;
                ids.check(&id, row)?;
                group.start(&id, row);
            }
            let class = batch.text(line, class_column).unwrap_or_default();
            let resolved = |name: &str| ontology?.resolve(name).and_then(|term| labels.find(term));
            let found = labels.find(class.trim());
            let Some(label) = found.or_else(|| resolved(class.trim())) else {
                if unknown.len() < MOST_UNKNOWN && !unknown.contains_key(class.trim()) {
                    unknown.insert(class.trim().to_owned(), row);
                }
                continue;
            };
            if !unknown.is_empty() {
                // Nothing is written; the rest is read for the other unknown ones.
                continue;
            }
            let text = batch.is_text().then(|| batch.text(line, score_column)).flatten();
            let is_other_name = found.is_none();
            group.push(label, batch.values()[line], text.as_deref(), row, is_other_name)?;
        }
        summary.lines += batch.rows() as u64;
        if !progress(summary.lines) {
            return Err(LongTableError::Stopped);
        }
    }
    if !unknown.is_empty() {
        return Err(LongTableError::unknown(path.clone(), unknown, ontology, labels));
    }
    group.write(&mut writer, &mut summary)?;
    let finished = writer.finish()?;
    publish_all([finished]).map_err(rulebound_io::scores::ScoreError::from)?;
    Ok(summary)
}

//! Each column of a data set in a line: its kind, gaps, values and an example.

use std::collections::HashSet;

use serde::Serialize;

use super::complaint::DoubtKind;
use super::set::Dataset;

/// Different numbers of a column that are counted; there may be more.
const MOST_COUNTED: usize = 10_000;

rulebound_core::named_enum! {
    /// What a column holds.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SummaryKind: "a kind of column" {
        /// Numbers.
        Numeric = "numeric",
        /// One of some values.
        Nominal = "nominal",
        /// Text of many values.
        Text = "text",
        /// Dates.
        Date = "date",
        /// What identifies a row, or seems to.
        Id = "id",
        /// A class.
        Label = "label",
    }
}

/// A column in a line.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: SummaryKind,
    /// Whether a model learns from it.
    pub is_feature: bool,
    /// The share of its cells that are missing.
    pub missing_share: f64,
    /// How many different values it has; of numbers, 10,000 are counted.
    pub distinct: usize,
    /// The first value that is not missing.
    pub example: Option<String>,
}

impl ColumnSummary {
    /// All columns: identifiers, features, labels.
    pub fn all(data: &Dataset) -> Vec<Self> {
        let mut columns: Vec<Self> = identifiers(data).collect();
        columns.extend(features(data));
        columns.extend(labels(data));
        columns
    }
}

fn share(part: usize, data: &Dataset) -> f64 {
    part as f64 / data.rows().max(1) as f64
}

/// The kind that a doubt about a column tells.
fn doubted(data: &Dataset, name: &str) -> Option<SummaryKind> {
    let doubt = data.doubts().iter().find(|doubt| doubt.name == name)?;
    Some(match doubt.kind {
        DoubtKind::Text => SummaryKind::Text,
        DoubtKind::Date => SummaryKind::Date,
        DoubtKind::Id => SummaryKind::Id,
    })
}

fn identifiers(data: &Dataset) -> impl Iterator<Item = ColumnSummary> + '_ {
    data.identifiers().iter().map(|identifier| {
        let known = || identifier.values.iter().flatten();
        ColumnSummary {
            name: identifier.name.clone(),
            kind: doubted(data, &identifier.name).unwrap_or(SummaryKind::Id),
            is_feature: false,
            missing_share: share(data.rows() - known().count(), data),
            distinct: known().collect::<HashSet<_>>().len(),
            example: known().next().cloned(),
        }
    })
}

/// What is met in a column of features.
#[derive(Clone, Default)]
struct Met {
    stored: usize,
    missing: usize,
    bits: HashSet<u32>,
    first: Option<f32>,
}

fn features(data: &Dataset) -> impl Iterator<Item = ColumnSummary> + '_ {
    let mut met = vec![Met::default(); data.columns().len()];
    for row in 0..data.rows() {
        for (column, cell) in data.features(row).stored() {
            let met = &mut met[column];
            met.stored += 1;
            if cell.is_nan() {
                met.missing += 1;
                continue;
            }
            met.first.get_or_insert(cell);
            if met.bits.len() < MOST_COUNTED {
                // The two zeros are one value.
                met.bits.insert((cell + 0.0).to_bits());
            }
        }
    }
    data.columns().iter().zip(met).map(|(column, mut met)| {
        if met.stored < data.rows() {
            met.bits.insert(0.0f32.to_bits());
        }
        let kind = match column.values() {
            None => SummaryKind::Numeric,
            Some(_) => SummaryKind::Nominal,
        };
        ColumnSummary {
            name: column.name.clone(),
            kind: doubted(data, &column.name).unwrap_or(kind),
            is_feature: true,
            missing_share: share(met.missing, data),
            distinct: met.bits.len().min(MOST_COUNTED.max(column.values().map_or(0, <[_]>::len))),
            example: met.first.and_then(|cell| column.show(cell)),
        }
    })
}

fn labels(data: &Dataset) -> impl Iterator<Item = ColumnSummary> + '_ {
    let mut positives = vec![0; data.classes().len()];
    let mut unknown = positives.clone();
    for row in 0..data.rows() {
        data.labels().positives(row).for_each(|class| positives[class.index()] += 1);
        data.labels().unknown(row).for_each(|class| unknown[class.index()] += 1);
    }
    let counts = positives.into_iter().zip(unknown);
    data.classes().names().zip(counts).map(|(name, (positives, unknown))| ColumnSummary {
        name: name.to_owned(),
        kind: SummaryKind::Label,
        is_feature: false,
        missing_share: share(unknown, data),
        distinct: usize::from(positives > 0) + usize::from(positives + unknown < data.rows()),
        example: Some(u8::from(positives > 0).to_string()),
    })
}

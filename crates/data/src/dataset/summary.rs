//! Statistics of a data set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::set::Dataset;
use super::split::Split;
use crate::broken_lines::ProgramLine;
use rulebound_io::features::FeatureMatrix;

/// Statistics of a data set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Columns that are not labels, including identifiers: as in the file.
    pub features: usize,
    /// Numeric columns after encoding for a model, without identifiers.
    pub features_encoded: usize,
    /// All classes.
    pub classes: usize,
    /// Classes that count in the loss and the metrics: without the roots of a hierarchy.
    pub evaluated_classes: usize,
    /// Rows per split.
    pub rows: BTreeMap<Split, usize>,
    /// Rules among the classes.
    pub rules: usize,
    /// Requirements among the classes.
    #[serde(default, skip_serializing_if = "is_none")]
    pub requirements: usize,
    /// Average number of evaluated classes per row, over all splits.
    pub label_cardinality: f64,
    /// The share of feature cells that are missing.
    pub missing_share: f64,
    /// The evaluated classes without a positive row in the split.
    pub never_positive: BTreeMap<Split, Vec<String>>,
    /// The number of labels that are not known.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown_label_cells: usize,
    /// Rows of each split whose labels break a rule or a requirement, as far as they are known.
    pub incoherent_rows: BTreeMap<Split, usize>,
    /// Rows of all splits whose labels break a rule; `None` where there are no requirements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_breaking_rules: Option<usize>,
    /// Rows of all splits whose labels break a requirement; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_breaking_requirements: Option<usize>,
}

impl Summary {
    /// Summarizes a data set; reads every cell once.
    pub fn new(data: &Dataset) -> Self {
        let evaluated = data.evaluated();
        let mut positives = 0;
        let mut summary = Self {
            features: data.columns().len() + data.identifiers().len(),
            features_encoded: data.columns().iter().map(|column| column.encoded_width()).sum(),
            classes: data.classes().len(),
            evaluated_classes: evaluated.iter().filter(|is_evaluated| **is_evaluated).count(),
            rows: BTreeMap::new(),
            rules: data.program().rules().len(),
            requirements: data.program().requirements().len(),
            label_cardinality: 0.0,
            missing_share: missing_share(&data.features),
            never_positive: BTreeMap::new(),
            unknown_label_cells: data.labels().unknown_cells(),
            incoherent_rows: BTreeMap::new(),
            rows_breaking_rules: None,
            rows_breaking_requirements: None,
        };
        let (mut breaking_rules, mut breaking_requirements) = (0, 0);
        let mut known = vec![true; data.classes().len()];
        let mut row_labels = vec![false; data.classes().len()];
        for (split, rows) in data.splits() {
            let mut met = vec![false; data.classes().len()];
            let mut incoherent = 0;
            summary.rows.insert(split, rows.len());
            for row in rows {
                data.labels().unpack(row, &mut row_labels);
                data.labels().unpack_known(row, &mut known);
                let mut broken = ProgramLine::broken(data.program(), &row_labels, &known);
                // Rules come first.
                let first = broken.next();
                let breaks_rule = first.is_some_and(ProgramLine::is_rule);
                let breaks_requirement =
                    first.into_iter().chain(broken).any(|line| !line.is_rule());
                incoherent += usize::from(first.is_some());
                breaking_rules += usize::from(breaks_rule);
                breaking_requirements += usize::from(breaks_requirement);
                for class in data.labels().positives(row) {
                    met[class.index()] = true;
                    positives += usize::from(evaluated[class.index()]);
                }
            }
            let never = data.classes().ids().filter(|id| !met[id.index()] && evaluated[id.index()]);
            let never = never.map(|id| data.classes().name(id).to_owned()).collect();
            summary.never_positive.insert(split, never);
            summary.incoherent_rows.insert(split, incoherent);
        }
        if summary.requirements > 0 {
            summary.rows_breaking_rules = Some(breaking_rules);
            summary.rows_breaking_requirements = Some(breaking_requirements);
        }
        summary.label_cardinality = positives as f64 / data.rows().max(1) as f64;
        summary
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

fn missing_share(features: &FeatureMatrix) -> f64 {
    let missing = features.values().iter().filter(|cell| cell.is_nan()).count();
    missing as f64 / (features.rows() * features.width()).max(1) as f64
}

//! The metrics of each class as a table.

use std::path::Path;

use rulebound_core::metrics::ClassMetrics;
use rulebound_core::{LabelId, Labels};

use crate::output::OutputFile;
use crate::table::{Format, TableError, TextFile};

const HEADER: [&str; 8] =
    ["class", "support", "predicted", "precision", "recall", "f1", "average_precision", "auc"];

/// Writes one line for each class, `.csv` or `.tsv`; what is undefined is empty.
///
/// # Errors
/// If the name has another ending, or the file cannot be written.
pub fn write_class_table(
    path: &Path,
    labels: &Labels,
    classes: &[ClassMetrics],
) -> Result<(), TableError> {
    let delimiter = Format::text_delimiter(path)?;
    let mut file = TextFile::new(OutputFile::create(path)?, delimiter, false);
    file.row(HEADER)?;
    for metrics in classes {
        let counts = metrics.counts;
        let optional =
            |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        file.row([
            labels.name(LabelId::new(metrics.class)).to_owned(),
            counts.support().to_string(),
            counts.predicted().to_string(),
            counts.precision().to_string(),
            counts.recall().to_string(),
            counts.f1().to_string(),
            optional(metrics.average_precision),
            optional(metrics.auc),
        ])?;
    }
    Ok(file.finish()?.publish()?)
}

/// The classes with a positive, the worst average precision first; ties by F1, then in the order of
/// the classes.
pub fn ranked_classes(classes: &[ClassMetrics]) -> Vec<ClassMetrics> {
    let value = |metrics: &ClassMetrics| metrics.average_precision.unwrap_or(f64::NEG_INFINITY);
    let mut ranked: Vec<ClassMetrics> =
        classes.iter().filter(|metrics| metrics.counts.support() > 0).copied().collect();
    ranked.sort_by(|a, b| {
        value(a).total_cmp(&value(b)).then(a.counts.f1().total_cmp(&b.counts.f1()))
    });
    ranked
}

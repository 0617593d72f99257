//! Predicting: rows of features in, coherent probabilities out.
//!
//! One batch after the other: features → network → logits → margins → layer → probabilities,
//! decisions, delegates. The invariants:
//!
//! - **Predictions obey the rules**, and so do the probabilities that are written: one is above its
//!   threshold exactly where the class is predicted, in every format.
//! - **Memory does not grow with the number of rows.**
//! - **Nothing appears before everything is complete**; then all outputs do.

mod error;
mod head;
mod outputs;
mod request;
mod step;

pub use self::error::PredictError;
pub use self::head::Head;
pub use self::request::{Request, Summary};

use rulebound_core::Labels;

use self::outputs::Outputs;
use self::step::Step;
use crate::dataset::{RowBatch, RowReader};

/// Cells of logits in one batch, at most, unless a single row has more.
const BATCH_CELLS: usize = 1 << 18;

/// Predicts all rows. `network` is given encoded features, `rows × width`, and fills in the logits,
/// `rows × classes`, both row by row. `progress` is told the number of rows after every batch and
/// returns whether to go on.
///
/// ```
/// use rulebound::dataset::{Builtin, Pipeline, RowOptions, RowReader, Split, Step};
/// use rulebound::predict::{Head, Request, predict};
/// use rulebound_core::{ConstraintLayer, Thresholds};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let out = folder.path().join("out.csv");
/// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 1)?;
/// let pipeline = Pipeline::fit(&data, data.split(Split::Train).unwrap())?;
/// let layer = ConstraintLayer::new(data.program(), Thresholds::uniform(3, 0.5)?);
/// let test = data.split(Split::Test).unwrap();
/// let rows = RowReader::of_dataset(&data, test, &pipeline, &RowOptions::default())?;
/// // No network worth its name: each logit is the first feature.
/// let mut network = |features: &[f32], logits: &mut [f32]| {
///     for (features, logits) in features.chunks(2).zip(logits.chunks_mut(3)) {
///         logits.fill(features[0]);
///     }
/// };
/// let request = Request::new(&out);
/// let summary =
///     predict(rows, &mut network, Head::Rules(&layer), data.classes(), &request, |_| true)?;
/// assert_eq!(summary.rows, 2500);
/// assert!(std::fs::read_to_string(&out)?.lines().count() == 2501);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the rows cannot be read, an output cannot be written, a logit is no number, or
/// `progress` says stop. Then no output appears.
///
/// # Panics
/// If `head` has not as many classes as `labels`.
pub fn predict(
    rows: RowReader<'_>,
    network: &mut dyn FnMut(&[f32], &mut [f32]),
    head: Head<'_>,
    labels: &Labels,
    request: &Request,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Summary, PredictError> {
    assert_eq!(head.thresholds().len(), labels.len(), "one threshold for each class");
    let mut rows = rows.with_batch_rows(BATCH_CELLS / labels.len().max(1));
    let mut outputs = Outputs::create(request, rows.id_name(), labels)?;
    let mut step = Step::new(head);
    let mut batch = RowBatch::new();
    let mut summary = Summary::default();
    while rows.read(&mut batch)? {
        step.run(&batch, network, labels, &mut summary)?;
        outputs.write(&batch, &step)?;
        if !progress(summary.rows) {
            return Err(PredictError::Stopped);
        }
    }
    // Also where there was no row at all.
    if !progress(summary.rows) {
        return Err(PredictError::Stopped);
    }
    outputs.finish()?;
    summary.unseen_values = rows.unseen_values();
    Ok(summary)
}

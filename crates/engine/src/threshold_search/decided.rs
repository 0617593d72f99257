//! What the layer decides in all rows.

use rulebound_core::{ConstraintLayer, LabelId, LayerError, Margin, Program, Thresholds};

use crate::labelled_scores::{LabelledScores, ScoresOf};
use crate::scores::Scale;

/// What the layer decides with these thresholds, in all rows.
pub(super) fn decide(
    rows: &LabelledScores<'_>,
    program: &Program,
    thresholds: &Thresholds,
) -> Result<Vec<bool>, LayerError> {
    let layer = ConstraintLayer::new(program, thresholds.clone());
    let labels = (0..rows.labels.len()).cycle().map(LabelId::new);
    let scores = rows.scores.iter().zip(labels);
    match rows.of {
        ScoresOf::Model => {
            let margin = |(&score, label)| thresholds.margin_of_logit(label, score as f32);
            decisions(&layer, scores.map(margin).map(Margin::canonical).collect())
        }
        ScoresOf::Table(kind) => {
            let scale = Scale::new(kind, thresholds.clone(), false).of_program(program);
            decisions(&layer, scores.map(|(&score, label)| scale.margin(label, score)).collect())
        }
    }
}

fn decisions<F: Margin>(layer: &ConstraintLayer, margins: Vec<F>) -> Result<Vec<bool>, LayerError> {
    let mut coherent = vec![F::default(); margins.len()];
    layer.forward(&margins, &mut coherent, &mut layer.workspace_for(1))?;
    Ok(coherent.iter().map(|margin| margin.is_predicted()).collect())
}

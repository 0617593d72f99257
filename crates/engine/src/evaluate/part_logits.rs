//! The logits of the members of each part of a model, and what parts with other members would
//! predict together.

use std::ops::Range;

use rayon::prelude::*;

use super::error::EvaluateError;
use crate::dataset::Dataset;
use crate::learner::Learner;
use crate::model::{Model, Part};
use crate::network::Network;
use crate::predict::{BlendSum, Predictions, mean_logits};

/// The members of a part of a model for some rows; row-major logits each.
#[derive(Clone, PartialEq, Debug)]
pub struct PartLogits {
    /// The weight of the part.
    pub weight: f64,
    /// The logits of each member.
    pub members: Vec<Vec<f32>>,
}

impl Model {
    /// The logits of every member of every part for rows of a data set; features are matched by
    /// name.
    ///
    /// # Errors
    /// If the data lacks a feature of the model.
    pub fn part_logits(
        &self,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<Vec<PartLogits>, EvaluateError> {
        let classes = self.labels().len();
        let each = |part: &Part| {
            let members = member_logits(part, classes, data, rows.clone())?;
            Ok(PartLogits { weight: part.weight(), members })
        };
        self.parts().iter().map(each).collect()
    }

    /// The logits of parts together, each with its members: the same bits as those of
    /// [`predictor`](Self::predictor) if they are the parts of this model. Other members of the same
    /// classes may take their place.
    ///
    /// # Errors
    /// If a logit is NaN.
    pub fn blended<M: AsRef<[f32]>>(
        &self,
        parts: &[(f64, Vec<M>)],
    ) -> Result<Vec<f32>, EvaluateError> {
        if let [(_, members)] = parts {
            return Ok(mean_logits(members));
        }
        let (mut head, mut coherent) = (self.part_head(), Predictions::default());
        let cells = parts.iter().flat_map(|(_, members)| members.first());
        let cells = cells.map(|logits| logits.as_ref().len()).max().unwrap_or(0);
        let mut sum = BlendSum::new(cells);
        for (weight, members) in parts.iter().filter(|(weight, _)| *weight > 0.0) {
            head.predict(&mean_logits(members), &mut coherent)?;
            sum.add(*weight, &coherent.logits());
        }
        let mut logits = vec![0.0; cells];
        sum.write(&mut logits);
        Ok(logits)
    }
}

/// The logits of each member of a part.
fn member_logits(
    part: &Part,
    classes: usize,
    data: &Dataset,
    rows: Range<usize>,
) -> Result<Vec<Vec<f32>>, EvaluateError> {
    let inputs = part.pipeline().encoded(data, rows)?;
    Ok(match part.learner() {
        Learner::Networks(networks) => {
            let member = |network: &Network| {
                let mut logits = vec![0.0f32; inputs.rows() * classes];
                network.forward_pass().logits_of(&inputs, &mut logits);
                logits
            };
            networks.par_iter().map(member).collect()
        }
        other => other.member_logits(inputs.to_dense().values(), inputs.rows()),
    })
}

//! The logits of the members of each part of a model.

use std::ops::Range;

use rayon::prelude::*;

use super::error::EvaluateError;
use crate::dataset::Dataset;
use crate::learner::Learner;
use crate::model::{Model, Part};
use crate::network::Network;

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

//! The weight of every term of the loss: that of its row times that of its class.

use rulebound_core::LabelId;

use crate::configuration::ClassWeights;
use crate::dataset::{Dataset, LabelMatrix};

/// The weights of the terms of some rows.
#[derive(Clone, Debug)]
pub(super) struct TermWeights {
    rows: Option<Vec<f32>>,
    /// Of each class where a row has it, and where it does not.
    positive: Vec<f32>,
    negative: Vec<f32>,
}

impl TermWeights {
    /// The weights for the rows `fitted`, whose labels are balanced if that is asked for; none if
    /// all terms count the same.
    pub fn new(
        data: &Dataset,
        labels: &LabelMatrix,
        weights: &ClassWeights,
        fitted: &[usize],
    ) -> Option<Self> {
        let classes = labels.classes();
        let (positive, negative) = match weights {
            ClassWeights::Equal if data.row_weights().is_none() => return None,
            ClassWeights::Equal => (vec![1.0; classes], vec![1.0; classes]),
            ClassWeights::Each(weights) => {
                let weights: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
                (weights.clone(), weights)
            }
            ClassWeights::Balanced => balanced(labels, fitted),
        };
        let mut all = Self { rows: None, positive, negative };
        all.rows = all.of_rows(data, fitted);
        Some(all)
    }

    /// The same weights of classes for other rows.
    pub fn for_rows(&self, data: &Dataset, rows: &[usize]) -> Self {
        Self { rows: self.of_rows(data, rows), ..self.clone() }
    }

    fn of_rows(&self, data: &Dataset, rows: &[usize]) -> Option<Vec<f32>> {
        let weights = data.row_weights()?;
        Some(rows.iter().map(|&row| weights[row]).collect())
    }

    /// Writes the weights of a row with these labels.
    pub fn fill(&self, row: usize, labels: &[bool], weights: &mut [f32]) {
        let own = self.rows.as_ref().map_or(1.0, |rows| rows[row]);
        for (class, (&has, weight)) in labels.iter().zip(weights).enumerate() {
            *weight = own * if has { self.positive[class] } else { self.negative[class] };
        }
    }
}

fn balanced(labels: &LabelMatrix, rows: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let count = |class: usize| {
        rows.iter().filter(|&&row| labels.contains(row, LabelId::new(class))).count()
    };
    let weights = |class: usize| {
        let (all, having) = (rows.len() as f64, count(class) as f64);
        match having > 0.0 && having < all {
            true => ((all / (2.0 * having)) as f32, (all / (2.0 * (all - having))) as f32),
            false => (1.0, 1.0),
        }
    };
    (0..labels.classes()).map(weights).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_class_weigh_the_same() {
        let mut labels = LabelMatrix::new(3);
        for row in 0..4 {
            labels.push_row();
            labels.insert(row, LabelId::new(1));
        }
        labels.insert(2, LabelId::new(0));
        let (positive, negative) = balanced(&labels, &[0, 1, 2, 3]);
        assert_eq!(positive, [2.0, 1.0, 1.0]);
        assert_eq!(negative, [4.0 / 6.0, 1.0, 1.0]);
    }
}

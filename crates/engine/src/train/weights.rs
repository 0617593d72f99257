//! The weight of every term of the loss: that of its row times that of its class, and 0 where the
//! label is not known.

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
            ClassWeights::Equal if data.row_weights().is_none() && labels.unknown_cells() == 0 => {
                return None;
            }
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

    /// The weights of classes where a row has them and where it does not, and those of rows.
    #[cfg(feature = "cuda")]
    pub fn parts(&self) -> crate::cuda::FleetWeights<'_> {
        let Self { positive, negative, rows } = self;
        crate::cuda::FleetWeights { positive, negative, rows: rows.as_deref() }
    }

    /// Writes the weights of a row, given the labels of all rows and those of this one unpacked.
    pub fn fill(&self, all: &LabelMatrix, row: usize, labels: &[bool], weights: &mut [f32]) {
        let own = self.rows.as_ref().map_or(1.0, |rows| rows[row]);
        for (class, (&has, weight)) in labels.iter().zip(&mut *weights).enumerate() {
            *weight = own * if has { self.positive[class] } else { self.negative[class] };
        }
        all.unknown(row).for_each(|class| weights[class.index()] = 0.0);
    }
}

fn balanced(labels: &LabelMatrix, rows: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let weights = |class: usize| {
        let class = LabelId::new(class);
        let count = |is: &dyn Fn(usize) -> bool| rows.iter().filter(|&&row| is(row)).count() as f64;
        let all = count(&|row| labels.is_known(row, class));
        let having = count(&|row| labels.contains(row, class));
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
        // A row whose label is not known is on neither side.
        labels.set_unknown(0, LabelId::new(0));
        labels.set_unknown(1, LabelId::new(0));
        let (positive, negative) = balanced(&labels, &[0, 1, 2, 3]);
        assert_eq!((positive[0], negative[0]), (1.0, 1.0));
    }
}

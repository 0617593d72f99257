//! The alternation of CAMEL: the kernel machine, then the labels between its outputs and the truth.

use super::super::matrix::{Panels, invert_in_place, multiply, transposed};
use super::super::rows::FitError;
use super::super::watch::Watch;
use super::correlation::correlations;
use super::settings::CamelSettings;

/// `G`, row by row.
pub(super) fn collaboration(
    truth: &[f64],
    classes: usize,
    settings: &CamelSettings,
    watch: &Watch<'_>,
) -> Result<Vec<f64>, FitError> {
    let gram = multiply(&transposed(truth, classes), &Panels::from_rows(truth, classes));
    let mut matrix = correlations(&gram, classes, watch)?;
    if !settings.correlations_in_rows {
        matrix = transposed(&matrix, classes);
    }
    matrix.iter_mut().for_each(|value| *value *= settings.alpha);
    (0..classes).for_each(|class| matrix[class * classes + class] += 1.0 - settings.alpha);
    Ok(matrix)
}

/// What the alternation needs in every turn.
pub(super) struct Turns {
    classes: usize,
    /// `H⁻¹`, the sums of its rows, and of all its entries.
    inverse: Vec<f64>,
    sums: Vec<f64>,
    total: f64,
    /// `Y Gᵀ` and `(I + G Gᵀ)⁻¹`.
    towards: Vec<f64>,
    mixing: Panels,
}

impl Turns {
    pub fn new(
        truth: &[f64],
        inverse: Vec<f64>,
        collaboration: &[f64],
        classes: usize,
    ) -> Result<Self, FitError> {
        let sums: Vec<f64> =
            inverse.chunks(truth.len() / classes.max(1)).map(|row| row.iter().sum()).collect();
        let total = sums.iter().sum();
        let back = Panels::from_rows(&transposed(collaboration, classes), classes);
        let mut mixing = multiply(collaboration, &back);
        (0..classes).for_each(|class| mixing[class * classes + class] += 1.0);
        if !invert_in_place(&mut mixing, classes) {
            let what = "the collaboration of the classes".into();
            return Err(FitError::Diverged { method: "camel", what });
        }
        let mixing = Panels::from_rows(&mixing, classes);
        Ok(Self { classes, inverse, sums, total, towards: multiply(truth, &back), mixing })
    }

    /// `A` and `b` after so many turns from these labels.
    pub fn take(
        &self,
        mut labels: Vec<f64>,
        rounds: usize,
        watch: &Watch<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>), FitError> {
        let (mut dual, mut biases) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            biases = vec![0.0; self.classes];
            for (row, sum) in labels.chunks(self.classes).zip(&self.sums) {
                biases.iter_mut().zip(row).for_each(|(bias, label)| *bias += sum * label);
            }
            biases.iter_mut().for_each(|bias| *bias /= self.total);
            let mut centred = labels.clone();
            for row in centred.chunks_mut(self.classes) {
                row.iter_mut().zip(&biases).for_each(|(label, bias)| *label -= bias);
            }
            dual = multiply(&self.inverse, &Panels::from_rows(&centred, self.classes));
            let outputs: Vec<f64> = (labels.iter().zip(&dual).zip(&self.towards))
                .map(|((label, dual), towards)| label - dual + towards)
                .collect();
            labels = multiply(&outputs, &self.mixing);
            watch.done(round + 2, rounds + 1)?;
        }
        Ok((dual, biases))
    }
}

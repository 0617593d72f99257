//! How each class follows from the others: a sparse regression, by ADMM.
//!
//! For class `j` with labels ±1: min ½‖y_j − Y₋ⱼ s‖² + λⱼ‖s‖₁ with λⱼ = ‖Y₋ⱼᵀ y_j‖_∞ / 100. All classes
//! take their steps side by side. Each needs the inverse of the Gram matrix without its own row and
//! column, which is that of the whole matrix less a product of its column: one matrix serves all.

use super::super::matrix::{Panels, invert_in_place, multiply};
use super::super::rows::FitError;
use super::super::watch::Watch;

/// The weight of the augmented term.
const RHO: f64 = 1.0;
/// The relaxation of a step.
const RELAXATION: f64 = 0.5;
/// The absolute and the relative tolerance of Boyd's stopping rule.
const TOLERANCES: [f64; 2] = [1e-4, 1e-2];
const MOST_ROUNDS: usize = 1_000;

/// The coefficients of one class.
struct Search {
    class: usize,
    threshold: f64,
    /// The sparse coefficients, and the scaled dual variable.
    sparse: Vec<f64>,
    dual: Vec<f64>,
}

/// The coefficients of each class, row by row, from the products `YᵀY` of labels ±1.
pub(super) fn correlations(
    gram: &[f64],
    classes: usize,
    watch: &Watch<'_>,
) -> Result<Vec<f64>, FitError> {
    let mut inverse = gram.to_vec();
    (0..classes).for_each(|class| inverse[class * classes + class] += RHO);
    if !invert_in_place(&mut inverse, classes) {
        let what = "the correlations of the classes".into();
        return Err(FitError::Diverged { method: "camel", what });
    }
    let panels = Panels::from_rows(&inverse, classes);
    let mut active: Vec<Search> =
        (0..classes).map(|class| Search::new(gram, classes, class)).collect();
    let mut found = vec![0.0; classes * classes];
    for round in 0..MOST_ROUNDS {
        watch.go_on()?;
        let wanted: Vec<f64> = active.iter().flat_map(|search| search.right_side(gram)).collect();
        let solved = multiply(&wanted, &panels);
        let mut rows = solved.chunks(classes.max(1));
        let is_last = round + 1 == MOST_ROUNDS;
        active.retain_mut(|search| {
            let row = rows.next().unwrap_or_default();
            let is_done = search.step(row, &inverse[search.class * classes..][..classes]);
            if is_done || is_last {
                found[search.class * classes..][..classes].copy_from_slice(&search.sparse);
            }
            !is_done
        });
        if active.is_empty() {
            break;
        }
    }
    Ok(found)
}

impl Search {
    fn new(gram: &[f64], classes: usize, class: usize) -> Self {
        let others = gram[class * classes..][..classes].iter().enumerate();
        let most = others
            .filter(|&(other, _)| other != class)
            .fold(0.0, |most: f64, (_, product)| most.max(product.abs()));
        let zeros = vec![0.0; classes];
        Self { class, threshold: most / 100.0 / RHO, sparse: zeros.clone(), dual: zeros }
    }

    fn right_side(&self, gram: &[f64]) -> Vec<f64> {
        let classes = self.sparse.len();
        let products = &gram[self.class * classes..][..classes];
        let mut side: Vec<f64> = (products.iter().zip(&self.sparse).zip(&self.dual))
            .map(|((product, sparse), dual)| product + RHO * (sparse - dual))
            .collect();
        side[self.class] = 0.0;
        side
    }

    /// A step, given the right side times the whole inverse, and the class's row of that. Returns
    /// whether it was the last.
    fn step(&mut self, solved: &[f64], inverse: &[f64]) -> bool {
        let (class, others) = (self.class, self.sparse.len() - 1);
        let share = solved[class] / inverse[class];
        let [mut primal, mut change, mut dense, mut sparse, mut dual] = [0.0; 5];
        for other in (0..self.sparse.len()).filter(|&other| other != class) {
            let value = solved[other] - share * inverse[other];
            let before = self.sparse[other];
            let relaxed = RELAXATION * value + (1.0 - RELAXATION) * before;
            let sum = relaxed + self.dual[other];
            let now = (sum - self.threshold).max(0.0) - (-sum - self.threshold).max(0.0);
            self.sparse[other] = now;
            self.dual[other] += relaxed - now;
            primal += (value - now).powi(2);
            change += (RHO * (now - before)).powi(2);
            dense += value * value;
            sparse += now * now;
            dual += (RHO * self.dual[other]).powi(2);
        }
        let [absolute, relative] = TOLERANCES;
        let absolute = (others as f64).sqrt() * absolute;
        primal.sqrt() < absolute + relative * dense.sqrt().max(sparse.sqrt())
            && change.sqrt() < absolute + relative * dual.sqrt()
    }
}

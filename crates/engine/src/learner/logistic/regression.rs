//! Logistic regressions that share their rows, fitted in lockstep: every pass over the rows is one
//! product for the scores of all regressions that are not finished, and one for their gradients.

use rayon::prelude::*;

use super::super::matrix::{Panels, multiply};
use super::super::rows::FitError;
use super::super::watch::Watch;
use super::design::Design;
use super::minimizer::{Minimizer, Stopping};
use super::settings::LogisticSettings;

/// Rows whose losses are summed before the sums are.
const CHUNK: usize = 128;
/// Columns of scores that are fitted at once; bounds the memory.
const MOST_COLUMNS: usize = 512;

/// What one regression has to tell apart: the class of each row, and the predictors it may use.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Regression {
    /// The class of each row.
    pub targets: Vec<u32>,
    /// The number of classes: 2 for a binary regression, more for a softmax.
    pub classes: usize,
    /// How many of the first predictors it sees, the intercept among them.
    pub visible: usize,
}

impl Regression {
    /// The columns of scores: one if there are two classes.
    pub fn columns(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }
}

/// A number of finished pieces before this fit, and of all there are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in super::super) struct Pieces {
    pub before: usize,
    pub all: usize,
}

/// The coefficients of each regression, column by column, the intercept first.
///
/// # Errors
/// [`FitError::Stopped`], or [`FitError::Diverged`] if the inputs are too large to be multiplied.
pub(in super::super) fn fit(
    design: &Design,
    regressions: &[Regression],
    settings: &LogisticSettings,
    watch: &Watch<'_>,
    pieces: Pieces,
) -> Result<Vec<Vec<f64>>, FitError> {
    let mut fitted = Vec::with_capacity(regressions.len());
    while fitted.len() < regressions.len() {
        let rest = &regressions[fitted.len()..];
        let mut columns = 0;
        let fits = |regression: &&Regression| {
            columns += regression.columns();
            columns <= MOST_COLUMNS
        };
        let many = rest.iter().take_while(fits).count().max(1);
        let pieces = Pieces { before: pieces.before + fitted.len(), ..pieces };
        fitted.extend(fit_together(design, &rest[..many], settings, watch, pieces)?);
    }
    Ok(fitted)
}

struct Running<'a> {
    regression: &'a Regression,
    minimizer: Minimizer,
}

fn fit_together(
    design: &Design,
    regressions: &[Regression],
    settings: &LogisticSettings,
    watch: &Watch<'_>,
    pieces: Pieces,
) -> Result<Vec<Vec<f64>>, FitError> {
    let stopping = Stopping { gradient: settings.tolerance, iterations: settings.iterations };
    let start = |regression: &'_ Regression| {
        Minimizer::new(regression.columns() * regression.visible, stopping)
    };
    let mut all: Vec<Running<'_>> = regressions
        .iter()
        .map(|regression| Running { regression, minimizer: start(regression) })
        .collect();
    let penalty = 1.0 / (settings.c * design.rows().max(1) as f64);
    loop {
        let mut active: Vec<&mut Running<'_>> =
            all.iter_mut().filter(|one| !one.minimizer.is_finished()).collect();
        watch.done(pieces.before + regressions.len() - active.len(), pieces.all)?;
        if active.is_empty() {
            break;
        }
        pass(design, penalty, &mut active)?;
    }
    Ok(all.into_iter().map(|one| one.minimizer.into_point()).collect())
}

/// One pass: the loss of every regression and its gradient where its minimizer wants them.
fn pass(design: &Design, penalty: f64, active: &mut [&mut Running<'_>]) -> Result<(), FitError> {
    let columns = active.iter().map(|one| one.regression.columns()).sum();
    let mut weights = Panels::zeros(design.width(), columns);
    let mut column = 0;
    for one in active.iter() {
        for values in one.minimizer.trial().chunks(one.regression.visible) {
            weights.set_column(column, values);
            column += 1;
        }
    }
    let mut scores = multiply(design.by_row(), &weights);
    let regressions: Vec<&Regression> = active.iter().map(|one| one.regression).collect();
    let losses = residuals(&regressions, &mut scores, columns);
    let gradients = multiply(design.by_column(), &Panels::from_rows(&scores, columns));
    let mut first = 0;
    let firsts: Vec<usize> = regressions
        .iter()
        .map(|one| {
            first += one.columns();
            first - one.columns()
        })
        .collect();
    let rows = design.rows() as f64;
    active.par_iter_mut().zip(firsts).zip(losses).try_for_each(|((one, first), loss)| {
        let visible = one.regression.visible;
        let trial = one.minimizer.trial();
        let mut value = loss / rows;
        let gradient: Vec<f64> = (0..trial.len())
            .map(|at| {
                let (column, row) = (first + at / visible, at % visible);
                let weight = if row == 0 { 0.0 } else { trial[at] };
                value += penalty / 2.0 * weight * weight;
                gradients[row * columns + column] / rows + penalty * weight
            })
            .collect();
        if !value.is_finite() && one.minimizer.iterations() == 0 && trial.iter().all(|w| *w == 0.0)
        {
            let what = "inputs that are not finite".into();
            return Err(FitError::Diverged { method: "logistic regression", what });
        }
        one.minimizer.observe(value, gradient);
        Ok(())
    })
}

/// Replaces scores by the derivatives of the loss with respect to them; returns the losses.
fn residuals(regressions: &[&Regression], scores: &mut [f64], columns: usize) -> Vec<f64> {
    let chunks: Vec<Vec<f64>> = scores
        .par_chunks_mut(CHUNK * columns)
        .enumerate()
        .map(|(chunk, scores)| {
            let mut losses = vec![0.0; regressions.len()];
            for (row, mut scores) in scores.chunks_mut(columns).enumerate() {
                let row = chunk * CHUNK + row;
                for (loss, regression) in losses.iter_mut().zip(regressions) {
                    let (own, rest) = scores.split_at_mut(regression.columns());
                    *loss += residual(own, regression.targets[row]);
                    scores = rest;
                }
            }
            losses
        })
        .collect();
    let mut sums = vec![0.0; regressions.len()];
    for losses in chunks {
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
    }
    sums
}

fn residual(scores: &mut [f64], target: u32) -> f64 {
    if let [score] = scores {
        // The score of the class that it is not: the loss is log(1 + exp(wrong)).
        let wrong = if target == 1 { -*score } else { *score };
        let small = (-wrong.abs()).exp();
        let probability = if wrong > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
        *score = if target == 1 { -probability } else { probability };
        return wrong.max(0.0) + small.ln_1p();
    }
    let most = scores.iter().fold(f64::NEG_INFINITY, |most, &score| most.max(score));
    let own = scores[target as usize];
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
    scores[target as usize] -= 1.0;
    sum.ln() + most - own
}

#[cfg(test)]
mod tests {
    use super::super::super::reference_problem::ReferenceProblem;
    use super::super::targets;
    use super::*;

    /// The objective, written from its definition.
    fn objective(design: &Design, regression: &Regression, weights: &[f64], c: f64) -> f64 {
        let visible = regression.visible;
        let rows = design.by_row().chunks(design.width()).zip(&regression.targets);
        let mut sum = 0.0;
        for (row, &target) in rows {
            let score = |column: usize| -> f64 {
                let weights = &weights[column * visible..][..visible];
                weights.iter().zip(row).map(|(w, x)| w * x).sum()
            };
            let scores: Vec<f64> = match regression.classes {
                2 => vec![0.0, score(0)],
                classes => (0..classes).map(score).collect(),
            };
            let all: f64 = scores.iter().map(|score| score.exp()).sum();
            sum -= (scores[target as usize].exp() / all).ln();
        }
        let penalised = (0..weights.len()).filter(|at| at % visible != 0);
        sum * c + penalised.map(|at| weights[at].powi(2) / 2.0).sum::<f64>()
    }

    /// In every direction the objective rises; binary, softmax, and with labels among the inputs of
    /// which only some are visible.
    #[test]
    fn a_fit_is_a_minimum_of_the_objective() {
        let problem = ReferenceProblem::read();
        problem.fit(|rows| {
            let design = Design::new(rows, &[0, 1]).unwrap();
            let (a, b) = (targets(rows, 2), targets(rows, 4));
            let both = a.iter().zip(&b).map(|(a, b)| a + 2 * b).collect();
            let regressions = [
                Regression { targets: a, classes: 2, visible: design.width() },
                Regression { targets: b, classes: 2, visible: design.width() - 1 },
                Regression { targets: both, classes: 4, visible: design.width() - 2 },
            ];
            for c in [1.0, 0.3] {
                let settings = LogisticSettings { c, tolerance: 1e-9, iterations: 1_000 };
                let pieces = Pieces { before: 0, all: 3 };
                let fitted = fit(&design, &regressions, &settings, &Watch::idle(), pieces).unwrap();
                for (regression, mut weights) in regressions.iter().zip(fitted) {
                    assert_eq!(weights.len(), regression.visible * regression.columns());
                    for at in 0..weights.len() {
                        let (own, step) = (weights[at], 1e-4);
                        let mut value = |weight: f64| {
                            weights[at] = weight;
                            objective(&design, regression, &weights, c)
                        };
                        let slope = (value(own + step) - value(own - step)) / (2.0 * step);
                        value(own);
                        assert!(slope.abs() < 1e-5, "{slope} at {at}");
                    }
                }
            }
        });
    }

    /// Together or alone, a regression takes the same steps.
    #[test]
    fn regressions_do_not_see_each_other() {
        let problem = ReferenceProblem::read();
        problem.fit(|rows| {
            let design = Design::new(rows, &[]).unwrap();
            let regression = |class| Regression {
                targets: targets(rows, class),
                classes: 2,
                visible: design.width(),
            };
            let regressions = [0, 1, 2, 4].map(regression);
            let settings = LogisticSettings::paper();
            let pieces = Pieces { before: 0, all: 4 };
            let fitted = |some: &[Regression]| {
                fit(&design, some, &settings, &Watch::idle(), pieces).unwrap()
            };
            let together = fitted(&regressions);
            for (at, regression) in regressions.iter().enumerate() {
                assert_eq!(fitted(std::slice::from_ref(regression)), together[at..][..1]);
            }
        });
    }
}

//! Hierarchical precision, recall and F1: sets of classes with all their ancestors.

use super::columns::Columns;
use super::confusion::{Confusion, Counts};
use super::error::MetricError;
use crate::program::Ancestors;

/// The counts behind the hierarchical measures of Kiritchenko, Matwin and Famili: what is predicted
/// and what is true are extended by all ancestors, then counted over all examples together.
/// hP = Σ|P̂ᵢ ∩ T̂ᵢ| / Σ|P̂ᵢ| is [`Counts::precision`], hR = Σ|P̂ᵢ ∩ T̂ᵢ| / Σ|T̂ᵢ| is
/// [`Counts::recall`], their harmonic mean is [`Counts::f1`].
///
/// `None` without a row or a class that counts. Classes that do not count (roots) take part in the
/// extension, not in the sums. A label that is not known takes part in neither, unless it is an
/// ancestor of one that is true.
///
/// # Errors
/// If the sizes do not match.
pub fn hierarchical(
    decisions: &[bool],
    truth: &[bool],
    columns: &Columns,
    ancestors: &Ancestors,
) -> Result<Option<Counts>, MetricError> {
    let [mut decisions, mut truth] = [decisions.to_vec(), truth.to_vec()];
    ancestors.close(&mut decisions);
    ancestors.close(&mut truth);
    columns.expect_size(truth.len())?;
    Ok(Confusion::new(&decisions, &truth, &columns.or_known(&truth))?.total())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    /// The example of the paper's idea: a prediction in the right branch is worth something.
    #[test]
    fn by_hand() {
        // dog -> mammal -> animal, cat -> mammal, fish -> animal
        let program: Program =
            "dog -> mammal\nmammal -> animal\ncat -> mammal\nfish -> animal".parse().unwrap();
        let ancestors = Ancestors::new(&program);
        let of = |predicted: &str, is_true: &str| {
            let row = |name: &str| -> Vec<bool> {
                program.labels().names().map(|label| label == name).collect()
            };
            let columns = Columns::all(program.labels().len());
            hierarchical(&row(predicted), &row(is_true), &columns, &ancestors).unwrap().unwrap()
        };
        // {dog, mammal, animal} against {cat, mammal, animal}: two of three.
        assert_eq!(
            (of("dog", "cat").precision(), of("dog", "cat").recall()),
            (2.0 / 3.0, 2.0 / 3.0)
        );
        // {fish, animal} against {cat, mammal, animal}.
        let counts = of("fish", "cat");
        assert_eq!((counts.precision(), counts.recall()), (0.5, 1.0 / 3.0));
        assert!((counts.f1() - 0.4).abs() < 1e-15);
    }
}

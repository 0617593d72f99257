//! F-max: the best F1 that one threshold for all classes could reach, averaged per example.

use super::compensated::Compensated;
use super::ranking::Ranking;
use super::score::Score;

/// The protein-centric F-max of CAFA: with the threshold τ, an example has the classes whose score
/// is at least τ. Precision is the mean over the examples that then have a class, recall the mean
/// over all examples; F-max is the largest 2·P·R / (P + R) over every distinct score as τ. Higher is
/// better, at most 1.
///
/// Examples without a true class are left out, as in CAFA, whose benchmarks have none; undefined
/// where that leaves none. Tied scores enter together. Takes one sort of the scores that count.
pub fn f_max<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut rows: Vec<Row> = Vec::new();
    let mut pairs: Vec<(F::Key, u32, bool)> = Vec::new();
    for row in 0..ranking.rows() {
        let (scores, truth) = ranking.row(row);
        let known = || ranking.columns().known_classes(row);
        let support = known().filter(|&class| truth[class]).count() as u32;
        if support > 0 {
            let at = rows.len() as u32;
            pairs.extend(known().map(|class| (scores[class].key(), at, truth[class])));
            rows.push(Row { support, ..Row::default() });
        }
    }
    pairs.sort_unstable_by_key(|pair| std::cmp::Reverse(pair.0));
    let (mut precision, mut recall) = (Compensated::default(), Compensated::default());
    let (mut with_a_class, mut best) = (0u32, 0.0f64);
    for tied in pairs.chunk_by(|a, b| a.0 == b.0) {
        for &(_, at, is_true) in tied {
            let row = &mut rows[at as usize];
            with_a_class += u32::from(row.predicted == 0);
            precision.add(-row.precision());
            row.predicted += 1;
            row.hits += u32::from(is_true);
            precision.add(row.precision());
            if is_true {
                recall.add(1.0 / f64::from(row.support));
            }
        }
        let precision = precision.value() / f64::from(with_a_class);
        let recall = recall.value() / rows.len() as f64;
        if precision + recall > 0.0 {
            best = best.max(2.0 * precision * recall / (precision + recall));
        }
    }
    (!rows.is_empty()).then_some(best)
}

/// How many classes an example has so far, and how many of them are right.
#[derive(Clone, Copy, Default)]
struct Row {
    support: u32,
    predicted: u32,
    hits: u32,
}

impl Row {
    fn precision(self) -> f64 {
        if self.predicted == 0 { 0.0 } else { f64::from(self.hits) / f64::from(self.predicted) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of =
            |scores: &[f64], truth: &[bool]| f_max(&Ranking::new(scores, truth, &columns).unwrap());
        // At 0.9: P 1 over the one example with a class, R 1/2, F 2/3. At 0.4: P (1 + 0)/2, R 1/2,
        // F 1/2. At 0.3: P (1/2 + 0)/2. At 0.2: P (1/2 + 1/2)/2, R 1, F 2/3.
        let scores = [0.9, 0.3, 0.4, 0.2];
        assert_eq!(of(&scores, &[true, false, false, true]), Some(2.0 / 3.0));
        // The example without a class does not count.
        assert_eq!(of(&scores, &[true, false, false, false]), Some(1.0));
        // All enter together: P 1/2, R 1.
        assert_eq!(of(&[0.5; 4], &[true, false, false, true]), Some(2.0 / 3.0));
        assert_eq!(of(&scores, &[false; 4]), None);
        assert_eq!(of(&[], &[]), None);
    }
}

//! The precision-recall curve, to be drawn.

use super::ranking::Ranking;
use super::score::Score;

/// A point of the curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// The share of positives with this score or a higher one.
    pub recall: f64,
    /// The share of positives among the pairs with this score or a higher one.
    pub precision: f64,
}

/// The precision-recall curve of all pairs of example and class in one ranking: a point for each
/// distinct score of a positive, the highest first. Of more than `most` points, the last one of each
/// of `most` equal parts of recall is kept. Empty without a positive.
pub fn precision_recall<F: Score>(ranking: &Ranking<'_, F>, most: usize) -> Vec<CurvePoint> {
    let mut pairs = ranking.pairs();
    let all = pairs.positives();
    let mut points: Vec<CurvePoint> = pairs
        .steps()
        .map(|step| CurvePoint {
            recall: step.positives as f64 / all as f64,
            precision: step.positives as f64 / (step.positives + step.negatives) as f64,
        })
        .collect();
    if points.len() > most {
        let part = |point: &CurvePoint| (point.recall * most as f64).ceil() as usize;
        let parts: Vec<usize> = points.iter().map(part).collect();
        let mut at = 0;
        points.retain(|_| {
            at += 1;
            parts.get(at) != Some(&parts[at - 1])
        });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(1);
        let scores = [4.0, 3.0, 2.0, 2.0, 1.0];
        let truth = [true, false, true, true, true];
        let of = |most| precision_recall(&Ranking::new(&scores, &truth, &columns).unwrap(), most);
        let point = |recall, precision| CurvePoint { recall, precision };
        let all = [point(0.25, 1.0), point(0.75, 0.75), point(1.0, 0.8)];
        assert_eq!(of(9), all);
        // One half ends with the first point, the other with the last.
        assert_eq!(of(2), [all[0], all[2]]);
        let none = Ranking::new(&scores, &[false; 5], &columns).unwrap();
        assert!(precision_recall(&none, 9).is_empty());
    }
}

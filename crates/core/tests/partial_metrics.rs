//! Metrics of partitions, merged, are those of all rows at once, and the same bits however rows are split.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_core::metrics::{
    Bounded, ClassCounts, ClassMetrics, Columns, LabelsInMetrics, Metric, Metrics, PartialError,
    PartialMetrics, Ranking, Resolution, Score, f_max,
};

#[derive(Clone, Debug)]
struct Rows {
    counted: Vec<bool>,
    scores: Vec<f64>,
    truth: Vec<bool>,
}

impl Rows {
    fn decisions(&self) -> Vec<bool> {
        self.scores.iter().map(|&score| score > 0.5).collect()
    }

    fn rows(&self) -> usize {
        self.truth.len() / self.counted.len()
    }
}

fn rows() -> impl Strategy<Value = Rows> {
    let score = prop_oneof![
        3 => (0..6i8).prop_map(|score| f64::from(score) / 5.0),
        3 => 0.0..=1.0f64,
        1 => (0..40u64).prop_map(|step| f64::from_bits(0.5f64.to_bits() + step)),
        1 => proptest::sample::select(vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, -3.5, 1e-310]),
    ];
    (1..=6usize, 0..=12usize).prop_flat_map(move |(classes, rows)| {
        let size = classes * rows;
        (
            proptest::collection::vec(proptest::bool::weighted(0.8), classes),
            proptest::collection::vec(score.clone(), size),
            proptest::collection::vec(proptest::bool::weighted(0.3), size),
        )
            .prop_map(|(counted, scores, truth)| Rows { counted, scores, truth })
    })
}

/// The summary of all rows, each in the partition that is given for it, merged in this order.
fn summary(
    rows: &Rows,
    resolution: Resolution,
    parts: &[usize],
    order: &[usize],
) -> PartialMetrics {
    let classes = rows.counted.len();
    let decisions = rows.decisions();
    let new = || PartialMetrics::new(&rows.counted, resolution).unwrap();
    let mut all: Vec<PartialMetrics> = order.iter().map(|_| new()).collect();
    for row in 0..rows.rows() {
        let at = row * classes..(row + 1) * classes;
        let part = &mut all[parts[row % parts.len()] % order.len()];
        part.add(&rows.scores[at.clone()], &decisions[at.clone()], &rows.truth[at]).unwrap();
    }
    let mut merged = new();
    for &place in order {
        let bytes = all[place].to_bytes();
        merged.merge(&PartialMetrics::from_bytes(&bytes).unwrap()).unwrap();
    }
    merged
}

fn is_near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12,
        (found, expected) => found == expected,
    }
}

fn holds(bounds: Option<Bounded>, exact: Option<f64>) -> bool {
    match (bounds, exact) {
        (Some(bounds), Some(exact)) => {
            bounds.low <= exact
                && exact <= bounds.high
                && bounds.low <= bounds.value
                && bounds.value <= bounds.high
        }
        (bounds, exact) => bounds.is_none() && exact.is_none(),
    }
}

fn check(rows: &Rows, parts: &[usize], order: &[usize], bits: u8) -> TestCaseResult {
    let columns = Columns::evaluated(&rows.counted);
    let decisions = rows.decisions();
    let expected = Metrics::new(&rows.scores, &decisions, &rows.truth, &columns).unwrap();
    let of_classes =
        ClassMetrics::of_each(&rows.scores, &decisions, &rows.truth, &columns).unwrap();
    let expected_f_max = f_max(&Ranking::new(&rows.scores, &rows.truth, &columns).unwrap());
    let of_class = |class: usize| {
        of_classes.iter().find(|one| one.class == class).and_then(|one| one.average_precision)
    };

    let mut whole = PartialMetrics::new(&rows.counted, Resolution::Exact).unwrap();
    whole.add(&rows.scores, &decisions, &rows.truth).unwrap();
    let merged = summary(rows, Resolution::Exact, parts, order);
    prop_assert_eq!(whole.to_bytes(), merged.to_bytes());
    prop_assert_eq!(&whole, &merged);
    let found = merged.finish();
    prop_assert_eq!(&whole.finish(), &found);
    prop_assert_eq!(found.rows, rows.rows() as u64);
    for (metric, value) in expected.iter() {
        // Sums of fractions over rows: rounded at each row there, once here.
        if matches!(metric, Metric::AveragePrecision | Metric::RankingLoss) {
            prop_assert!(is_near(found.metrics.get(metric), value), "{}", metric);
        } else {
            let bits = |value: Option<f64>| value.map(f64::to_bits);
            prop_assert_eq!(bits(found.metrics.get(metric)), bits(value), "{}", metric);
        }
    }
    prop_assert!(is_near(found.f_max.map(|one| one.value), expected_f_max));
    for (class, &bounds) in found.classes.iter().enumerate() {
        prop_assert_eq!(bounds.map(|one| one.value), of_class(class));
        prop_assert!(bounds.is_none_or(|one| one.low == one.value && one.value == one.high));
    }

    let cut = summary(rows, Resolution::Bits(bits), parts, order);
    let mut whole = PartialMetrics::new(&rows.counted, Resolution::Bits(bits)).unwrap();
    whole.add(&rows.scores, &decisions, &rows.truth).unwrap();
    prop_assert_eq!(whole.to_bytes(), cut.to_bytes());
    let cut = cut.finish();
    prop_assert!(holds(cut.auprc, expected.get(Metric::Auprc)), "{:?} {:?}", cut.auprc, expected);
    prop_assert!(holds(cut.macro_auprc, expected.get(Metric::MacroAuprc)));
    prop_assert!(holds(cut.f_max, expected_f_max), "{:?} {:?}", cut.f_max, expected_f_max);
    for (class, &bounds) in cut.classes.iter().enumerate() {
        prop_assert!(holds(bounds, of_class(class)));
    }
    for metric in [Metric::AveragePrecision, Metric::OneError, Metric::MacroF1] {
        prop_assert_eq!(cut.metrics.get(metric), found.metrics.get(metric));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn partitions_and_order_do_not_matter(
        rows in rows(),
        parts in proptest::collection::vec(0..4usize, 1..8),
        order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        bits in 8..=32u8,
    ) {
        check(&rows, &parts, &order, bits)?;
    }

    #[test]
    fn damaged_bytes_are_refused(rows in rows(), at in any::<proptest::sample::Index>(), with in 1..=255u8) {
        let whole = summary(&rows, Resolution::Exact, &[0], &[0]);
        let mut bytes = whole.to_bytes();
        let cut = at.index(bytes.len());
        prop_assert!(PartialMetrics::from_bytes(&bytes[..cut]).is_err());
        bytes[cut] ^= with;
        prop_assert!(PartialMetrics::from_bytes(&bytes).is_err());
    }
}

#[test]
fn many_bits_of_narrow_scores_are_exact() {
    let scores: Vec<f32> = (0..400u16).map(|at| f32::from(at * 37 % 101) / 101.0).collect();
    let truth: Vec<bool> = (0..400).map(|at| at * 7 % 5 == 0).collect();
    let decisions = vec![false; 400];
    let new = |resolution| {
        let mut part = PartialMetrics::new(&[true; 4], resolution).unwrap();
        part.add(&scores, &decisions, &truth).unwrap();
        part.finish()
    };
    let (exact, cut) = (new(Resolution::Exact), new(Resolution::Bits(32)));
    assert_eq!(exact.auprc.unwrap().value, cut.auprc.unwrap().value);
    let coarse = new(Resolution::Bits(10)).auprc.unwrap();
    assert!(coarse.low < coarse.value && coarse.value < coarse.high);
    assert!(0.1f32.wide_key() == f64::from(0.1f32).wide_key());
    // A smaller number of bits needs less room.
    let bytes = |resolution| {
        let mut part = PartialMetrics::new(&[true; 4], resolution).unwrap();
        part.add(&scores, &decisions, &truth).unwrap();
        part.to_bytes().len()
    };
    assert!(bytes(Resolution::Bits(10)) < bytes(Resolution::Exact));
}

#[test]
fn present_classes_are_found_in_a_first_pass() {
    let rows = Rows {
        counted: vec![true; 3],
        scores: vec![0.5; 6],
        truth: vec![true, false, false, true, false, true],
    };
    let mut counts = ClassCounts::new(3);
    counts.add(&rows.truth).unwrap();
    let columns = Columns::new(&[true; 3], &rows.truth, LabelsInMetrics::Present).unwrap();
    let present: Vec<usize> = (0..3).filter(|&class| counts.present()[class]).collect();
    assert_eq!(columns.counted(), present);
    assert!(counts.add(&[true]).is_err() && counts.merge(&ClassCounts::new(2)).is_err());
    let bytes = counts.to_bytes();
    assert_eq!(ClassCounts::from_bytes(&bytes), Ok(counts));
    let metrics = PartialMetrics::new(&[true], Resolution::Exact).unwrap().to_bytes();
    let wrong = ClassCounts::from_bytes(&metrics).unwrap_err();
    assert_eq!(wrong.to_string(), "these bytes are not a summary of rulebound class counts");
}

#[test]
fn what_does_not_fit_is_refused() {
    let new = |counted: &[bool], resolution| PartialMetrics::new(counted, resolution).unwrap();
    let mut one = new(&[true, true], Resolution::Exact);
    assert_eq!(one.merge(&new(&[true, false], Resolution::Exact)), Err(PartialError::Classes));
    let cut = Resolution::Bits(12);
    let error = one.merge(&new(&[true, true], cut)).unwrap_err();
    assert_eq!(error, PartialError::Resolutions(Resolution::Exact, cut));
    assert_eq!(PartialMetrics::new(&[true], Resolution::Bits(7)), Err(PartialError::Bits(7)));
    assert!(one.add(&[f64::NAN, 0.5], &[false; 2], &[true, false]).is_err());
    assert!(one.add(&[0.5], &[false; 2], &[true, false]).is_err());
    assert_eq!((one.rows(), one.finish().metrics), (0, Metrics::default()));
    let mut bytes = one.to_bytes();
    bytes["rulebound metrics".len()] = 2;
    assert_eq!(PartialMetrics::from_bytes(&bytes), Err(PartialError::Version(2)));
}

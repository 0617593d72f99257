//! What is written obeys the rules, whatever the network says.

use proptest::prelude::*;
use rulebound::dataset::{RowOptions, RowReader};
use rulebound::predict::{PredictionPaths, Predictor};
use rulebound_core::{LabelId, Program, Thresholds, Violations};
use rulebound_io::scores::{ScoreBatch, ScoreKind, ScoreReader};

use crate::scene::{Function, Scene};
use crate::strategy;

fn logit() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => (-3i8..=3).prop_map(f32::from),
        2 => -20.0..20.0f32,
        2 => prop::sample::select(vec![
            0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, f32::from_bits(1),
            -f32::from_bits(1), f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1e-40, -1e-40, 88.0, -104.0,
        ]),
        1 => any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |v| !v.is_nan()),
    ]
}

fn threshold() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => Just(0.5),
        2 => 0.01..0.99f64,
        1 => prop::sample::select(vec![0.3, 1e-50, 5e-324, 0.999_999_999_999, 1e-9, 0.7]),
    ]
}

fn cases() -> impl Strategy<Value = (Program, Vec<f64>, Vec<f32>)> {
    (strategy::program(8, 14), 1..6usize).prop_flat_map(|(program, rows)| {
        let classes = program.labels().len();
        (
            Just(program),
            prop::collection::vec(threshold(), classes),
            prop::collection::vec(logit(), rows * classes),
        )
    })
}

/// A table as it reads back, in doubles.
fn read_back(path: &std::path::Path, classes: &[String]) -> Vec<f64> {
    let mut reader = ScoreReader::open(path, ScoreKind::Probability, classes, None).unwrap();
    let (mut batch, mut values) = (ScoreBatch::new(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        values.extend_from_slice(batch.values());
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_tables_that_are_written_break_no_rule(
        (program, thresholds, logits) in cases(),
        with_rules in prop::bool::weighted(0.9),
        extension in prop::sample::select(vec!["csv", "tsv.gz", "parquet"]),
    ) {
        let scene = Scene::new();
        let pipeline = scene.fit("x,label\n1,0\n-1,1\n");
        let classes: Vec<String> = program.labels().names().map(str::to_owned).collect();
        let rows = logits.len() / classes.len();
        let path = scene.write("in.csv", format!("x\n{}", "1\n".repeat(rows)));
        let mut left = logits.as_slice();
        let network = |features: &[f32], out: &mut [f32]| {
            assert_eq!(features.len() * classes.len(), out.len());
            let (now, later) = left.split_at(out.len());
            out.copy_from_slice(now);
            left = later;
        };
        let thresholds = Thresholds::new(thresholds).unwrap();
        let reader = RowReader::open(&path, &pipeline, &RowOptions::default()).unwrap();
        let request = PredictionPaths {
            decisions: Some(scene.path("decisions.csv")),
            ..PredictionPaths::new(scene.path(&format!("out.{extension}")))
        };
        let reader = reader.with_batch_rows(2);
        let rules = with_rules.then_some(&program);
        let scorer = Function::new(&pipeline, &reader, network);
        let mut predictor = Predictor::of_scorer(scorer, rules, program.labels(), &thresholds);
        let summary = predictor.write(reader, &request, |_| true).unwrap();
        prop_assert_eq!(summary.rows, rows as u64);

        let decisions = read_back(&scene.path("decisions.csv"), &classes);
        let decisions: Vec<bool> = decisions.iter().map(|&bit| bit == 1.0).collect();
        let label = |at: usize| LabelId::new(at % classes.len());
        let probabilities = read_back(&request.out, &classes);
        let above: Vec<bool> = probabilities
            .iter()
            .enumerate()
            .map(|(at, &p)| p > thresholds.value(label(at)))
            .collect();
        prop_assert_eq!(&above, &decisions);
        // What the network predicts is predicted; without rules nothing more.
        let raw: Vec<bool> = logits
            .iter()
            .enumerate()
            .map(|(at, &logit)| thresholds.margin_of_logit(label(at), logit) > 0.0)
            .collect();
        prop_assert!(raw.iter().zip(&decisions).all(|(raw, is_predicted)| !raw || *is_predicted));
        prop_assert!(probabilities.iter().all(|&p| f64::from(p as f32) == p));
        match with_rules {
            true => prop_assert_eq!(Violations::logical(&program, &decisions).rows(), 0),
            false => prop_assert_eq!(&raw, &decisions),
        }
        prop_assert_eq!(summary.predicted, decisions.iter().filter(|is_it| **is_it).count() as u64);
    }
}

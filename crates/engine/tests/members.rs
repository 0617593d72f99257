//! Members of an ensemble become one: coherent each, averaged, then the layer. So does what is made of them: explanations,
//! attributions, blends.
#![allow(clippy::unwrap_used)]

use rulebound::attribution::AttributionMethod;
use rulebound::blend::{Blend, BlendWeights};
use rulebound::core::metrics::{LabelsInMetrics, Metric};
use rulebound::core::{LabelId, Labels, RuleText, Violations};
use rulebound::dataset::{Column, Dataset, DatasetBuilder, Split, SplitRecipe};
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::{Configuration, EarlyStopping, Monitor, RunPaths, Stopping, Trainer};
use rulebound_testing::{COLUMNS, Derivations};

/// Two fifths of the rows to train on, a tenth to validate on, half of them to test on.
fn dataset(problem: &Derivations) -> Dataset {
    let columns = (0..COLUMNS).map(|column| Column::numeric(format!("x{column}"))).collect();
    let classes = problem.classes.len();
    let mut builder = DatasetBuilder::new("derivations", columns, Vec::new(), classes).unwrap();
    let rows = problem.features.len();
    for (split, rows) in [
        (Split::Train, 0..rows * 2 / 5),
        (Split::Valid, rows * 2 / 5..rows / 2),
        (Split::Test, rows / 2..rows),
    ] {
        builder.begin(split).unwrap();
        for row in rows {
            let at = builder.push(&problem.features[row], &[]).unwrap();
            for class in (0..classes).filter(|&class| problem.labels[row][class]) {
                builder.labels_mut().insert(at, LabelId::new(class));
            }
        }
    }
    let labels = Labels::new(problem.classes.iter().cloned()).unwrap();
    let rules = RuleText::new(&problem.rules).labels(labels).parse().unwrap();
    builder.finish(rules.program).unwrap()
}

fn configuration(seed: u64, members: usize) -> Configuration {
    let early = EarlyStopping {
        monitor: Monitor::Loss,
        patience: 5,
        most: Some(100),
        ..EarlyStopping::default()
    };
    Configuration {
        hidden: vec![32],
        dropout: 0.0,
        learning_rate: 0.01,
        seed,
        members,
        stopping: Stopping::Early(early),
        ..Configuration::default()
    }
}

fn fit(data: &Dataset, configuration: Configuration) -> Model {
    Trainer::new().configuration(configuration).fit(data).unwrap()
}

/// A short ensemble, and the rows it is tested on.
fn ensemble(members: usize) -> (Model, Dataset, Vec<f32>) {
    let data = dataset(&Derivations::random(300, 0));
    let stopping = Stopping::Epochs(4);
    let model = fit(&data, Configuration { stopping, ..configuration(3, members) });
    let rows = data.split(Split::Test).unwrap();
    let cells: Vec<f32> = rows.flat_map(|row| data.features(row).to_vec()).collect();
    (model, data, cells)
}

fn rows(cells: &[f32]) -> FeatureRows<'_> {
    FeatureRows::dense(cells, COLUMNS).unwrap()
}

fn mean_of_raw_logits(scored: &LabelledScores<'_, f32>) -> Vec<f32> {
    let members = scored.members();
    let mean = |at: usize| members.iter().map(|of| of[at]).sum::<f32>() / members.len() as f32;
    (0..members[0].len()).map(mean).collect()
}

/// Two and a half of 250 rows, all classes of them.
const NOISE: f64 = 0.01;

#[test]
fn an_ensemble_is_no_worse_than_its_mean_member_where_rules_derive_a_class_in_several_ways() {
    let animals = [10, 20].map(|seed| (Derivations::animals(500, 7), seed));
    let programs = (0..10).map(|number| (Derivations::random(500, number), 0));
    let mut cancelled = 0;
    for (at, (problem, seed)) in animals.into_iter().chain(programs).enumerate() {
        let data = dataset(&problem);
        let model = fit(&data, configuration(seed, 4));
        let scored = model.score(&data, data.split(Split::Test).unwrap()).unwrap();
        let found = model.evaluate_scores(&scored, LabelsInMetrics::All).unwrap();
        let alone = found.members.unwrap().mean.get(Metric::HammingLoss).unwrap();
        let together = found.ensemble.metrics.get(Metric::HammingLoss).unwrap();
        assert!(together <= alone + NOISE, "problem {at}: {together} together, {alone} alone");
        assert_eq!(found.ensemble.violations.unwrap().rows, 0);
        let raw = scored.with_scores(mean_of_raw_logits(&scored), ScoresOf::Model);
        let raw = model.evaluate_scores(&raw, LabelsInMetrics::All).unwrap().ensemble;
        let raw = raw.metrics.get(Metric::HammingLoss).unwrap();
        println!("{at}: {together:.4} together, {alone:.4} alone, {raw:.4} before the layer");
        cancelled += usize::from(raw > alone + NOISE);
    }
    // Members do choose different ways here: a mean of what they say before the layer cancels them out.
    assert!(cancelled >= 6, "{cancelled} of 12");
}

#[test]
fn an_ensemble_is_the_mean_of_the_probabilities_of_its_members() {
    let (model, data, cells) = ensemble(3);
    let mean = model.predictor(data.columns()).unwrap().raw_probabilities(rows(&cells)).unwrap();
    let alone = (3..6).map(|seed| {
        let stopping = Stopping::Epochs(4);
        let model = fit(&data, Configuration { stopping, ..configuration(seed, 1) });
        model.predict(&data, data.split(Split::Test).unwrap()).unwrap().probabilities()
    });
    let alone: Vec<Vec<f32>> = alone.collect();
    for (at, mean) in mean.iter().enumerate() {
        let expected = alone.iter().map(|of| f64::from(of[at])).sum::<f64>() / 3.0;
        assert!((f64::from(*mean) - expected).abs() < 1e-6, "{mean} {expected}");
    }
    let predictions = model.predict(&data, data.split(Split::Test).unwrap()).unwrap();
    assert_eq!(Violations::logical(data.program(), &predictions.decisions()).total(), 0);
    // Rows one by one have the same bits.
    let mut predictor = model.predictor(data.columns()).unwrap();
    let mut one = Predictions::default();
    for (row, margins) in cells.chunks(COLUMNS).zip(predictions.margins().chunks(8)) {
        predictor.predict(rows(row), &mut one).unwrap();
        assert_eq!(one.margins(), margins);
    }
}

#[test]
fn a_single_member_is_not_touched() {
    let (model, data, cells) = ensemble(1);
    let mut logits = vec![0.0; cells.len() / COLUMNS * 8];
    let test = data.split(Split::Test).unwrap();
    let inputs = model.pipeline().transform(&data, test.clone()).unwrap();
    model.members()[0].forward_pass().logits(&inputs, &mut logits);
    let scored = model.score(&data, test).unwrap();
    assert_eq!(scored.scores(), logits);
    let mut expected = Predictions::default();
    model.head().predict(&logits, &mut expected).unwrap();
    let mut found = Predictions::default();
    model.predictor(data.columns()).unwrap().predict(rows(&cells), &mut found).unwrap();
    assert_eq!(found.margins(), expected.margins());
}

#[test]
fn a_blend_of_two_networks_is_their_ensemble() {
    let data = dataset(&Derivations::random(300, 1));
    let configurations = [3, 4].map(|seed| configuration(seed, 1));
    let blend = |configurations: Vec<Configuration>, weights: &[f64]| {
        let blend = Blend {
            trainer: Trainer::new(),
            configurations,
            weights: BlendWeights::given(weights).unwrap(),
            paths: RunPaths::default(),
            folds: None,
            recipe: SplitRecipe::default(),
            holdout: 0.15,
        };
        blend.run(&data).unwrap().0
    };
    let margins = |model: &Model| {
        let test = data.split(Split::Test).unwrap();
        let scored = model.score(&data, test.clone()).unwrap();
        let mut predictions = Predictions::default();
        model.head().predict(scored.scores(), &mut predictions).unwrap();
        let predicted = model.predict(&data, test).unwrap();
        assert_eq!(predicted.margins(), predictions.margins());
        predictions.margins().to_vec()
    };
    let ensemble = margins(&fit(&data, configuration(3, 2)));
    assert_eq!(margins(&blend(configurations.to_vec(), &[1.0, 1.0])), ensemble);
    // Members inside of a part count as much as if each were a learner.
    let [first, third] = [configuration(3, 2), configuration(5, 1)];
    let nested = blend(vec![first, third.clone()], &[2.0, 1.0]);
    let flat = blend([&configurations[..], &[third]].concat(), &[1.0, 1.0, 1.0]);
    let differ =
        margins(&nested).iter().zip(margins(&flat)).filter(|(a, b)| (**a - b).abs() > 1e-5).count();
    assert_eq!(differ, 0);
}

#[test]
fn an_explanation_says_who_decided_in_the_members() {
    let (model, data, cells) = ensemble(3);
    let mut predictor = model.predictor(data.columns()).unwrap();
    let mut others = 0;
    for row in 0..20 {
        let explanation = predictor.explain(rows(&cells), row).unwrap();
        let members = explanation.members().unwrap();
        assert_eq!(members.members(), 3);
        let mut each: Vec<Predictions> = Vec::new();
        for network in model.members() {
            let inputs =
                model.pipeline().transform(&data, data.split(Split::Test).unwrap()).unwrap();
            let width = model.pipeline().width();
            let mut logits = vec![0.0; 8];
            network.forward_pass().logits(&inputs[row * width..][..width], &mut logits);
            let mut predictions = Predictions::default();
            model.head().predict(&logits, &mut predictions).unwrap();
            each.push(predictions);
        }
        for label in data.classes().ids() {
            let decisions = members.of(label);
            let share: f64 = decisions.iter().map(|decision| decision.share).sum();
            assert!((share - 1.0).abs() < 1e-12, "{share}");
            for decision in decisions {
                let alike =
                    each.iter().filter(|of| of.delegates()[label.index()] == decision.delegate);
                assert_eq!(alike.count(), decision.members);
                let own = rulebound::core::Delegate::own(label);
                others += usize::from(decision.delegate != own);
            }
            let explained = explanation.class(label);
            assert_eq!(explained.members.unwrap().len(), members.of(label).len());
        }
        let first = data.classes().ids().next().unwrap();
        assert!(explanation.tree(&[first], 3).contains("mean of 3 members"));
    }
    assert!(others > 10, "{others}");
    let (alone, data, cells) = ensemble(1);
    let mut predictor = alone.predictor(data.columns()).unwrap();
    assert!(predictor.explain(rows(&cells), 0).unwrap().members().is_none());
}

/// What rules always derive is told as that, also of an ensemble.
#[test]
fn a_fact_is_decided_by_the_rules_and_not_by_members() {
    let mut problem = Derivations::random(200, 2);
    problem.rules += "-> c3\n";
    problem.labels.iter_mut().for_each(|row| row[3] = true);
    let data = dataset(&problem);
    let stopping = Stopping::Epochs(2);
    let model = fit(&data, Configuration { stopping, ..configuration(0, 2) });
    let fact = data.classes().find("c3").unwrap();
    let mut predictor = model.predictor(data.columns()).unwrap();
    let explanation = predictor.explain(rows(&problem.features[0]), 0).unwrap();
    assert_eq!(explanation.decider(fact), None);
    assert!(explanation.network_score(fact).is_finite());
    assert!(explanation.is_predicted(fact));
}

#[test]
fn the_parts_of_columns_add_up_to_the_logit_of_the_ensemble() {
    let (model, data, cells) = ensemble(3);
    let mut predictor = model.predictor(data.columns()).unwrap();
    let test = data.split(Split::Test).unwrap();
    for row in 0..2 {
        let explanation = predictor.explain(rows(&cells), row).unwrap();
        for label in data.classes().ids() {
            let method = AttributionMethod::Gradients;
            let cells = data.features(test.start + row);
            let found = model.attribution(data.columns(), cells, label, method).unwrap();
            let seen = explanation.network_score(label);
            assert!((found.logit - seen).abs() < 1e-4, "{} {seen}", found.logit);
            let sum: f64 = found.columns.iter().map(|column| column.part).sum();
            let difference = found.logit - found.baseline;
            assert!((sum + found.gap - difference).abs() < 1e-9);
            // A bend of the layer at the end of a step is all that may be left.
            assert!(found.gap.abs() < 0.01 * difference.abs().max(0.1), "{found:?}");
            let method = AttributionMethod::Occlusion;
            let one = model.attribution(data.columns(), cells, label, method).unwrap();
            assert_eq!((one.logit, one.gap), (found.logit, 0.0));
        }
    }
}

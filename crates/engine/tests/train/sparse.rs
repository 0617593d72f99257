//! Sparse features: the same networks and predictions as from dense ones.

use rulebound::dataset::{Column, Dataset, DatasetBuilder, Scaling, Split};
use rulebound::train::{Configuration, Method, Monitor, TrainError};
use rulebound_core::Program;
use rulebound_testing::Random;

use super::scene::{bytes, early, quick, run};

/// Rows with few numbers among many columns, and a nominal column.
fn data() -> Dataset {
    let mut random = Random::new(5);
    let program: Program = "a -> b\nb -> c".parse().unwrap();
    let mut columns: Vec<Column> =
        (0..90).map(|place| Column::numeric(place.to_string())).collect();
    columns.push(Column::nominal("colour", ["red", "green"]));
    let mut builder = DatasetBuilder::new("words", columns, vec![], 3).unwrap();
    builder.begin(Split::Train).unwrap();
    for _ in 0..200 {
        let mut cells = [0.0; 91];
        (0..5).for_each(|_| cells[random.below(90)] = random.below(100) as f32 / 10.0);
        cells[90] = random.below(2) as f32;
        let row = builder.push(&cells, &[]).unwrap();
        for (place, class) in program.labels().ids().enumerate() {
            if cells[..10 * (place + 1)].iter().any(|cell| *cell > 3.0) {
                builder.labels_mut().insert(row, class);
            }
        }
    }
    builder.finish(program).unwrap()
}

#[test]
fn b1_sparse_features_train_the_same_model_as_dense_ones() {
    let dense = data();
    let sparse = dense.clone().stored_sparse(true);
    for (method, stopping, batch) in [
        (Method::Ccn, early(Monitor::Auprc, true), 7),
        (Method::Ccn, early(Monitor::Auprc, true), 33),
        (Method::Post, early(Monitor::Loss, false), 7),
        (Method::None, quick(Method::None).stopping, 40),
    ] {
        let scaling = Some(Scaling::Scale);
        let configuration = Configuration { scaling, stopping, batch, ..quick(method) };
        let model = run(&dense, &configuration).unwrap();
        let same = run(&sparse, &configuration).unwrap();
        assert!(bytes(&model) == bytes(&same), "{method}");
        let margins = |data: &Dataset| model.predict(data, 0..200).unwrap().margins().to_vec();
        assert_eq!(margins(&dense), margins(&sparse));
        let measured = |data: &Dataset| model.evaluate(data, 0..200, Default::default()).unwrap();
        assert_eq!(measured(&dense), measured(&sparse));
        // A model that centres predicts sparse rows too.
        let standard = run(&dense, &Configuration { scaling: None, ..configuration }).unwrap();
        let margins = |data: &Dataset| standard.predict(data, 0..200).unwrap().margins().to_vec();
        assert_eq!(margins(&dense), margins(&sparse));
    }
}

#[test]
fn b1_sparse_features_are_scaled_without_centring_and_centring_is_refused() {
    let sparse = data().stored_sparse(true);
    let configuration = quick(Method::Ccn);
    let usual = run(&sparse, &configuration).unwrap();
    let scaled =
        run(&sparse, &Configuration { scaling: Some(Scaling::Scale), ..configuration.clone() });
    assert_eq!(usual.pipeline(), scaled.unwrap().pipeline());
    let standard = Configuration { scaling: Some(Scaling::Standard), ..configuration };
    let error = run(&sparse, &standard).unwrap_err();
    assert!(matches!(error, TrainError::Pipeline(_)));
    assert!(error.to_string().contains("would take 72800 bytes instead of"), "{error}");
}

#[test]
fn each_scaling_is_kept_in_the_model() {
    let data = data();
    for scaling in Scaling::ALL {
        // Networks need a number in every cell.
        let method = if scaling == Scaling::Untouched { Method::Prior } else { Method::Ccn };
        let configuration = Configuration { scaling: Some(scaling), ..quick(method) };
        let model = run(&data, &configuration).unwrap();
        let again = super::scene::load(&bytes(&model)).unwrap();
        assert_eq!(again.configuration().scaling, Some(scaling));
        assert_eq!(again.pipeline(), model.pipeline());
        let margins =
            |model: &rulebound::Model| model.predict(&data, 0..9).unwrap().margins().to_vec();
        assert_eq!(margins(&again), margins(&model));
    }
}

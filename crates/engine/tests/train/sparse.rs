//! Sparse features: the same networks and predictions as from dense ones.

use std::sync::Mutex;

use rulebound::Trainer;
use rulebound::dataset::{Column, Dataset, DatasetBuilder, Scaling, Split};
use rulebound::train::{
    Configuration, EpochRecord, Method, Monitor, Observer, Stopping, TrainError,
};
use rulebound_core::Program;
use rulebound_network::SparseUpdate;
use rulebound_testing::Random;

use super::scene::{bytes, early, quick, run};

/// Rows with few numbers among many columns, and a nominal column.
fn data() -> Dataset {
    data_of(90)
}

/// The same with this many columns of numbers.
fn data_of(width: usize) -> Dataset {
    let mut random = Random::new(5);
    let program: Program = "a -> b\nb -> c".parse().unwrap();
    let mut columns: Vec<Column> =
        (0..width).map(|place| Column::numeric(place.to_string())).collect();
    columns.push(Column::nominal("colour", ["red", "green"]));
    let mut builder = DatasetBuilder::new("words", columns, vec![], 3).unwrap();
    builder.begin(Split::Train).unwrap();
    for _ in 0..200 {
        let mut cells = vec![0.0; width + 1];
        (0..5).for_each(|_| cells[random.below(width)] = random.below(100) as f32 / 10.0);
        cells[width] = random.below(2) as f32;
        let row = builder.push(&cells, &[]).unwrap();
        for (place, class) in program.labels().ids().enumerate() {
            if cells[..width / 9 * (place + 1)].iter().any(|cell| *cell > 3.0) {
                builder.labels_mut().insert(row, class);
            }
        }
    }
    builder.finish(program).unwrap()
}

/// Rows that list more than a sixteenth of their cells are multiplied as dense ones.
#[test]
fn sparse_features_train_the_same_model_as_dense_ones() {
    let dense = data_of(36);
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

/// The losses of all epochs.
#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl Observer for Losses {
    fn epoch(&self, record: &EpochRecord) {
        self.0.lock().unwrap().push(record.loss);
    }
}

/// A sum without its zeros has the same terms, not always the same last bit.
#[test]
fn rows_that_list_few_cells_train_the_same_network_up_to_rounding() {
    let dense = data_of(600);
    let sparse = dense.clone().stored_sparse(true);
    for batch in [4, 7, 40, 200] {
        let fit = |data: &Dataset, sparse_update| {
            let configuration = Configuration {
                scaling: Some(Scaling::Scale),
                stopping: Stopping::Epochs(4),
                batch,
                sparse_update,
                ..quick(Method::Ccn)
            };
            let losses = Losses::default();
            let trainer = Trainer::new().configuration(configuration).observer(&losses);
            let model = trainer.fit(data).unwrap();
            (model, losses.0.into_inner().unwrap())
        };
        let (model, expected) = fit(&dense, SparseUpdate::Exact);
        let (same, found) = fit(&sparse, SparseUpdate::Exact);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-6 * expected, "{batch}: {found} {expected}");
        }
        // However it was trained, it predicts dense and sparse rows alike.
        for model in [&model, &same] {
            let margins = |data: &Dataset| model.predict(data, 0..200).unwrap().margins().to_vec();
            assert_eq!(margins(&dense), margins(&sparse));
        }
        // Lazy updates are another algorithm, which learns too; where each batch has all rows, no column
        // that matters ever waits.
        let (_, lazy) = fit(&sparse, SparseUpdate::Lazy);
        assert_eq!(lazy == found, batch == 200);
        assert!(lazy.last() < lazy.first());
    }
}

#[test]
fn sparse_features_are_scaled_without_centring_and_centring_is_refused() {
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
        let method = if scaling == Scaling::Untouched { Method::PRIOR } else { Method::Ccn };
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

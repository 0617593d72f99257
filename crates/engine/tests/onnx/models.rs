//! Whole models as graphs: preprocessing and learner within rounding, decisions coherent.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use rulebound::blend::{Blend, BlendWeights, LearnerChoice};
use rulebound::calibration::{Calibration, CalibrationMethod};
use rulebound::core::{Program, Thresholds};
use rulebound::dataset::{Dataset, LabelColumns, ReadOptions, Scaling, Source, Split, SplitRecipe};
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::learner::{ForestSettings, LevelNetworkSettings, TwoWaySettings};
use rulebound::model::Model;
use rulebound::onnx::{GraphOptions, NetworkOutput, OnnxError, OnnxFile};
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::{Configuration, EarlyStopping, Method, RunPaths, Stopping, Trainer};
use rulebound_testing::{Random, needs};

const RULES: &str =
    "small -> thing\nlarge -> thing\nround, small -> ball\nball -> round\nnot thing -> nothing";
const REQUIRED: &str = "small -> thing\nlarge -> thing\nround, small -> ball\nnot thing -> nothing\n\
    small -> not large\nat most 2 of(thing, round, ball)";
const HIERARCHY: &str = "small -> thing\nlarge -> thing\nball -> round\nnothing -> thing";

/// A table of numbers, categories, a column of 0 and 1 and a constant one; cells are missing.
fn table(random: &mut Random, rows: usize, colours: &[&str]) -> String {
    let mut text = "x,y,colour,flag,same,small,large,thing,round,ball,nothing\n".to_owned();
    for _ in 0..rows {
        let (x, y) = (random.below(1000) as f64 / 100.0 - 5.0, random.below(50) as f64);
        let colour = random.below(colours.len());
        let flag = random.below(2);
        let labels = [
            x < -1.0,
            x > 2.0,
            !(-1.0..=2.0).contains(&x),
            colour == 1,
            colour == 1 && x < 0.0,
            y > 40.0,
        ];
        let cell = |text: String, gone: usize| if gone == 0 { String::new() } else { text };
        let cells = [
            cell(x.to_string(), random.below(9)),
            cell(y.to_string(), random.below(9)),
            cell(colours[colour].to_owned(), random.below(9)),
            cell(flag.to_string(), random.below(9)),
            "7".to_owned(),
        ];
        let labels = labels.map(|label| u8::from(label).to_string());
        writeln!(text, "{},{}", cells.join(","), labels.join(",")).unwrap();
    }
    text
}

fn read(folder: &Path, content: &str, rules: &str) -> Dataset {
    let (table, rule_file) = (folder.join("table.csv"), folder.join("table.rules"));
    std::fs::write(&table, content).unwrap();
    std::fs::write(&rule_file, rules).unwrap();
    let options = ReadOptions {
        labels: Some(LabelColumns::Last(6)),
        rules: Some(rule_file),
        ..ReadOptions::default()
    };
    Source::Path(table).read(&options).unwrap()
}

fn configuration(method: Method) -> Configuration {
    let mut learner = method.learner_settings();
    if let Some(own) = &mut learner {
        if let Some(two_way) = own.get_mut::<TwoWaySettings>() {
            two_way.hidden = vec![6];
        }
        if let Some(levels) = own.get_mut::<LevelNetworkSettings>() {
            levels.units = 6;
        }
        if let Some(forest) = own.get_mut::<ForestSettings>() {
            forest.trees = 20;
        }
    }
    let stopping = match method.has_epochs() {
        true => Stopping::Epochs(3),
        false => Stopping::Early(EarlyStopping::default()),
    };
    let hidden = vec![8, 5];
    Configuration { method, learner, stopping, hidden, seed: 3, ..Configuration::default() }
}

/// Writes a model twice, with tensors and with named columns, and what it predicts.
fn write(folder: &Path, name: &str, model: &Model, rows: &Dataset) {
    for (named_inputs, kind) in [(false, "tensors"), (true, "columns")] {
        let options = GraphOptions { margins: true, named_inputs, ..GraphOptions::default() };
        let file = OnnxFile::of_model(model, options).unwrap();
        file.write(&folder.join(format!("{name}.{kind}.onnx"))).unwrap();
    }
    let plain = OnnxFile::of_model(model, GraphOptions::default()).unwrap();
    plain.write(&folder.join(format!("{name}.plain.onnx"))).unwrap();
    let cells: Vec<f32> = (0..rows.rows()).flat_map(|row| rows.features(row).to_vec()).collect();
    let mut out = Predictions::default();
    let cells = FeatureRows::dense(&cells, rows.columns().len()).unwrap();
    model.predictor(rows.columns()).unwrap().predict(cells, &mut out).unwrap();
    for (name, numbers) in
        [(format!("{name}.margins"), out.margins()), (format!("{name}.out"), &out.probabilities())]
    {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}

fn some_thresholds() -> Thresholds {
    Thresholds::new(vec![0.3, 0.5, 0.62, 0.1, 0.45, 0.9]).unwrap()
}

fn blend(data: &Dataset) -> Model {
    let base = Configuration {
        hidden: vec![6],
        stopping: Stopping::Early(EarlyStopping { most: Some(3), ..EarlyStopping::default() }),
        ..Configuration::default()
    };
    let choice = |text: &str| text.parse::<LearnerChoice>().unwrap().configuration(&base).unwrap();
    let blend = Blend {
        trainer: Trainer::new(),
        configurations: ["ccn:2", "br", "forest"].map(choice).to_vec(),
        weights: BlendWeights::given(&[1.0, 1.0, 2.0]).unwrap(),
        paths: RunPaths::default(),
        folds: None,
        recipe: SplitRecipe::default(),
        holdout: 0.15,
    };
    let validation = [Split::Train, Split::Valid];
    let splits: Vec<Split> =
        (0..data.rows()).map(|row| validation[usize::from(row % 5 == 0)]).collect();
    blend.run(&data.reordered(&splits).unwrap()).unwrap().0
}

mod needs_python {
    use super::*;

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn models_of_all_kinds_decide_as_ours() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        let mut random = Random::new(1);
        let seen = table(&mut random, 300, &["red", "blue", "green"]);
        let rows = table(&mut random, 80, &["violet", "blue", "green", "red"]);
        let other = folder.join("rows");
        std::fs::create_dir(&other).unwrap();
        let rows_of = |rules: &str| read(&other, &rows, rules);
        let (data, given) = (read(folder, &seen, RULES), rows_of(RULES));
        let fit = |method, data: &Dataset| {
            Trainer::new().configuration(configuration(method)).fit(data).unwrap()
        };
        for method in [
            Method::Ccn,
            Method::None,
            Method::PRIOR,
            Method::BR,
            Method::Learner("cc"),
            Method::Learner("ecc"),
            Method::Learner("rakel"),
            Method::Learner("rakel-d"),
            Method::Learner("camel"),
            Method::Learner("clus"),
            Method::FOREST,
        ] {
            write(folder, &format!("rules-{method}"), &fit(method, &data), &given);
        }
        for scaling in [Scaling::Scale, Scaling::MinMax, Scaling::None] {
            let trainer =
                Trainer::new().configuration(configuration(Method::Post)).scaling(scaling);
            write(folder, &format!("rules-scaled-{scaling}"), &trainer.fit(&data).unwrap(), &given);
        }
        let members = Trainer::new().configuration(configuration(Method::Cm)).members(3);
        let members = members.fit(&data).unwrap().with_thresholds(some_thresholds());
        let logits: Vec<f32> = (0..60).map(|at| (at % 7) as f32 - 3.0).collect();
        let truth: Vec<bool> = (0..60).map(|at| at % 7 > 2 || at % 11 == 0).collect();
        let method = CalibrationMethod::Temperature;
        let labels = members.labels().clone();
        let rows = LabelledScores::new(&labels, &logits, ScoresOf::Model, &truth);
        let calibration = Calibration::fit(method, &rows).unwrap();
        write(
            folder,
            "rules-calibrated",
            &members.clone().with_calibration(calibration).unwrap(),
            &given,
        );
        let logits: Vec<f32> = (0..300).map(|at| (at % 50) as f32 / 10.0 - 2.0).collect();
        let truth: Vec<bool> = (0..300).map(|at| at % 50 > 20 || at % 7 == 0).collect();
        let evaluated = [true, true, false, true, true, false];
        let method = CalibrationMethod::Isotonic;
        let rows = LabelledScores::new(&labels, &logits, ScoresOf::Model, &truth);
        let calibration = Calibration::fit(method, &rows.with_evaluated(&evaluated)).unwrap();
        assert_eq!(calibration.isotonic_classes(), 4);
        write(
            folder,
            "rules-isotonic",
            &members.clone().with_calibration(calibration).unwrap(),
            &given,
        );
        write(folder, "rules-members", &members, &given);
        for method in [Method::Ccn, Method::None] {
            let members = Trainer::new().configuration(configuration(method)).members(4);
            write(folder, &format!("rules-members-{method}"), &members.fit(&data).unwrap(), &given);
        }
        write(folder, "rules-blend", &blend(&data).with_thresholds(some_thresholds()), &given);

        let (data, given) = (read(folder, &seen, REQUIRED), rows_of(REQUIRED));
        let network = fit(Method::Ccn, &data);
        write(
            folder,
            "required-thresholds",
            &network.clone().with_thresholds(some_thresholds()),
            &given,
        );
        write(folder, "required-network", &network, &given);
        write(folder, "required-forest", &fit(Method::FOREST, &data), &given);
        write(folder, "required-blend", &blend(&data), &given);
        for method in [Method::Ccn, Method::Post] {
            let members = Trainer::new().configuration(configuration(method)).members(3);
            let members = members.fit(&data).unwrap().with_thresholds(some_thresholds());
            write(folder, &format!("required-members-{method}"), &members, &given);
        }

        let (data, given) = (read(folder, &seen, HIERARCHY), rows_of(HIERARCHY));
        for method in [
            Method::Learner("lmlp"),
            Method::Learner("hmcn-f"),
            Method::Learner("hmcn-r"),
            Method::Learner("dhn"),
        ] {
            let model = fit(method, &data).with_thresholds(some_thresholds());
            write(folder, &format!("tree-{method}"), &model, &given);
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx/models.py");
        let status = Command::new(needs::python()).arg(script).arg(folder).status().unwrap();
        assert!(status.success());
    }
}

#[test]
fn what_a_graph_cannot_say_is_refused_with_a_reason() {
    let refused = |text: &str| {
        let program: Program = text.parse().unwrap();
        let halves = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
        let options = GraphOptions::default();
        OnnxFile::of_rules(&program, &halves, NetworkOutput::Logits, options).unwrap_err()
    };
    let mut random = Random::new(5);
    let literal =
        |random: &mut Random| format!("{}c{}", ["", "not "][random.below(2)], random.below(60));
    let clauses: Vec<String> = (0..150)
        .map(|_| {
            format!(
                "{} | {} | {}",
                literal(&mut random),
                literal(&mut random),
                literal(&mut random)
            )
        })
        .collect();
    let error = refused(&clauses.join("\n"));
    let OnnxError::Requirements { can_need_search: true, .. } = error else { panic!("{error}") };
    assert!(error.to_string().contains("search"), "{error}");

    let chain: String = (0..2000).map(|class| format!("c{} -> c{class}\n", class + 1)).collect();
    let error = refused(&format!("{chain}exclusive(c1000, other)\n"));
    let OnnxError::RequirementsTooLarge { classes, counters, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((classes, counters), (2002, 2001));
}

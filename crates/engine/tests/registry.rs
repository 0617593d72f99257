//! A learner of another crate: registered once, it is trained, saved, loaded, merged and refused like any other.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use rulebound::Trainer;
use rulebound::configuration::{BadConfiguration, Checks};
use rulebound::core::LabelId;
use rulebound::dataset::{Builtin, Dataset, Split, Step};
use rulebound::learner::{
    Abilities, Fit, FitError, FitTask, Fitted, FittedMember, LearnerMethod, LearnerOption,
    NamedTensors, RegisterError, Restored, SetOption, TensorValues, learner_options,
};
use rulebound::model::Model;
use rulebound::train::{Configuration, Method, Stopping};
use serde::{Deserialize, Serialize};

/// The logit of a class: that of the share of the rows with it, some epochs long, plus its seed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ShareSettings {
    weight: f64,
    above: Nested,
}

/// Settings in settings, whose fields are not in alphabetical order.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Nested {
    z: usize,
    a: Option<f64>,
}

#[derive(Clone, PartialEq, Debug)]
struct Share {
    logits: Vec<f32>,
}

const OPTIONS: &[LearnerOption] = learner_options!(ShareSettings:
    Number "share-weight" "W" "weight of the seed [default: 0]" |of, n| of.weight = n;
);

const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "share",
    about: "The share of the rows with a class",
    settings: || ShareSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for ShareSettings {
    fn kind(&self) -> &'static str {
        "share"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        Checks::new().expect(self.weight >= 0.0, "the weight", self.weight, "at least 0").mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        let rows = task.rows;
        task.watch.done(1, 1)?;
        let logit = |class| {
            let has = |row: &usize| rows.labels().contains(*row, LabelId::new(class));
            let share = (0..rows.rows()).filter(has).count() as f32 / rows.rows() as f32;
            share - 0.5 + self.weight as f32 * task.seed as f32
        };
        Ok(FittedMember::at_once(Share { logits: (0..rows.classes()).map(logit).collect() }))
    }

    fn abilities(&self) -> Abilities {
        Abilities { has_epochs: true, ..Abilities::default() }
    }

    fn restore(&self, mut tensors: NamedTensors, _inputs: usize, classes: usize) -> Restored {
        match tensors.take_f32("logits", 1)? {
            (_, logits) if logits.len() == classes => Ok(Arc::new(Share { logits })),
            _ => Err("not a logit for each class".to_owned()),
        }
    }
}

impl Fitted for Share {
    fn describe(&self, members: usize) -> String {
        format!("{members} times the shares of classes")
    }

    fn classes(&self) -> usize {
        self.logits.len()
    }

    fn parameters(&self) -> usize {
        self.logits.len()
    }

    fn logits(&self, _inputs: &[f32], logits: &mut [f32]) {
        logits.chunks_mut(self.logits.len()).for_each(|row| row.copy_from_slice(&self.logits));
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        let logits = TensorValues::F32(self.logits.clone());
        tensors.insert("logits", &[self.logits.len()], logits);
        tensors
    }
}

const SHARE: Method = Method::Learner("share");

fn fitted(data: &Dataset, seed: u64, members: usize) -> Model {
    let learner = Some(ShareSettings { weight: 1.0, ..ShareSettings::default() }.into());
    let stopping = Stopping::Epochs(1);
    let method = SHARE;
    let configuration =
        Configuration { method, learner, stopping, seed, members, ..Configuration::default() };
    Trainer::new().configuration(configuration).fit(data).unwrap()
}

#[test]
fn a_learner_of_another_crate_is_like_those_of_this_one() {
    let taken = LearnerMethod { name: "forest", ..METHODS[0] };
    assert_eq!(Method::register(&[taken]), Err(RegisterError::Name("forest")));
    let network = LearnerMethod { name: "ccn", ..METHODS[0] };
    assert_eq!(Method::register(&[network]), Err(RegisterError::Name("ccn")));
    assert_eq!(Method::register(&METHODS), Ok(()));
    assert_eq!(Method::register(&[]), Err(RegisterError::TooLate));
    assert_eq!("share".parse(), Ok(SHARE));
    assert_eq!(Method::all().last(), Some(SHARE));

    let data = Builtin::Rectangles.generate(Step::INSIDE, 0).unwrap();
    let model = fitted(&data, 3, 2);
    let bytes = model.to_bytes().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let settings = r#""learner":{"share":{"weight":1.0,"above":{"z":0,"a":null}}}"#;
    assert!(text.contains(settings), "fields keep their order");
    let loaded = Model::from_bytes(&bytes).unwrap();
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert_eq!(loaded.configuration(), model.configuration());
    assert_eq!(loaded.parts()[0].learner().to_string(), "2 times the shares of classes");
    let test = data.split(Split::Test).unwrap();
    let margins = |model: &Model| model.predict(&data, test.clone()).unwrap().margins().to_vec();
    assert_eq!(margins(&loaded), margins(&model));
    let alone = [3, 4].map(|seed| (seed.to_string(), fitted(&data, seed, 1)));
    let merged = Model::merge(alone.into()).unwrap().model;
    assert_eq!(merged.parts()[0].learner(), model.parts()[0].learner());

    let mut settings = SHARE.learner_settings().unwrap();
    let SetOption::Number(set) = SHARE.learner().unwrap().options[0].set else { panic!() };
    set(&mut settings, -1.0);
    assert_eq!(settings.mistakes()[0].to_string(), "the weight is -1; it must be at least 0");
    let other = Configuration { method: Method::BR, learner: Some(settings), ..Default::default() };
    assert!(other.mistakes().iter().any(|mistake| mistake.expected.contains("whose settings")));
    let unknown = Configuration { method: Method::Learner("shares"), ..Default::default() };
    assert!(unknown.mistakes()[0].to_string().contains("the name of a registered learner"));
    for json in [r#"{"shares":{}}"#, r#"{"share":{"height":1}}"#, r#"{}"#, "3"] {
        let read = serde_json::from_str::<rulebound::learner::LearnerSettings>(json);
        assert!(read.is_err(), "{json}");
    }
}

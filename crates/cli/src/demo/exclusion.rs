//! `rulebound demo requirements`: who gives way where two classes exclude each other, as a picture.

use super::contest::{PROBLEM, STEP, impossible};
use super::panels::{self, Panel};
use super::{check_name, write_picture};
use crate::failure::Failure;
use crate::interrupt::stop_on_signal;
use crate::screen;
use crate::text::{count, thousands};
use clap::Args;
use rulebound::dataset::{Dataset, Source, Split};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::{ClassWeights, Configuration, Method, Stopping, Trainer};
use rulebound_core::metrics::{Columns, Confusion, micro_f1};
use rulebound_core::{
    ConstraintLayer, LabelId, Literal, Program, Requirement, Thresholds, broken_requirements,
};
use rulebound_reproduction::picture::Field;
use rulebound_reproduction::{DataSource, paper_configuration};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Show who gives way where two classes exclude each other
///
/// One network learns the classes A1 and A2 of the unit square, which are never true together. With
/// balanced class weights, it predicts both at many points. Its predictions are drawn as they are, with
/// `exclusive(A1, A2)` settled in a fixed order (as CCN+ and PiShield do), and settled by how sure the
/// network is.
#[derive(Args)]
pub struct Requirements {
    /// Output file for the picture
    #[arg(long, value_name = "FILE.svg", default_value = "rulebound-requirements.svg")]
    picture: PathBuf,
    /// Random seed of the points and the network
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Number of training epochs
    #[arg(long, value_name = "N", default_value = "500", hide = true, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,
}

/// A way to settle.
struct Way {
    name: &'static str,
    words: &'static str,
    layer: Option<ConstraintLayer>,
}

/// What came out of it.
struct Outcome {
    way: Way,
    f1: f64,
    broken: usize,
    rows: usize,
    cells: Vec<f32>,
}

impl Requirements {
    pub fn run(&self) -> Result<(), Failure> {
        check_name(&self.picture)?;
        let stop = stop_on_signal();
        let data = PROBLEM.generate(STEP, self.seed).map_err(|error| impossible(&error))?;
        let source = DataSource::Other(Source::Builtin(PROBLEM));
        let configuration = Configuration {
            method: Method::None,
            // So that it predicts too much rather than too little.
            class_weights: ClassWeights::Balanced,
            seed: self.seed,
            stopping: Stopping::Epochs(self.epochs as usize),
            ..paper_configuration(&source, false).unwrap_or_default()
        };
        let model = Trainer::new().configuration(configuration).stop(&stop).fit(&data)?;
        let program = exclusion(&data)?;
        let outcomes = ways(&program)?;
        let outcomes: Vec<Outcome> = outcomes
            .into_iter()
            .map(|way| outcome(way, &program, &model, &data))
            .collect::<Result<_, Failure>>()?;
        write_picture(&self.picture, &draw(&program, &data, &outcomes)?)?;
        match self.json {
            true => screen::json(&self.summary(&program, &outcomes))?,
            false => screen::summary(&self.report(&program, &outcomes))?,
        }
        Ok(())
    }

    fn summary(&self, program: &Program, outcomes: &[Outcome]) -> serde_json::Value {
        let outcome = |one: &Outcome| {
            json!({
                "settle": one.way.name,
                "micro_f1": one.f1,
                "incoherent_rows": one.broken,
                "rows": one.rows,
            })
        };
        json!({
            "requirement_texts": program.to_text().lines().collect::<Vec<_>>(),
            "seed": self.seed,
            "epochs": self.epochs,
            "ways": outcomes.iter().map(outcome).collect::<Vec<_>>(),
            "picture": self.picture.display().to_string(),
        })
    }

    fn report(&self, program: &Program, outcomes: &[Outcome]) -> String {
        let mut text = format!(
            "Points of the unit square: A1 is a small rectangle, A2 a large one without A1, so\n\n  \
             {}\nA network with 4 hidden units, trained for {} with balanced class weights, on {} \
             other points:\n\n",
            program.to_text(),
            count(self.epochs as usize, "epoch"),
            thousands(outcomes.first().map_or(0, |one| one.rows) as u64),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:42}      F1  break the requirement", "settled");
        for Outcome { way, f1, broken, .. } in outcomes {
            let broken = thousands(*broken as u64);
            let _ = writeln!(text, "  {:9} {:32}  {f1:.4}  {broken:>21}", way.name, way.words);
        }
        let _ = writeln!(text, "\nThe predictions are drawn in {}", self.picture.display());
        text
    }
}

/// The classes of the data with one requirement: A1 and A2 exclude each other.
fn exclusion(data: &Dataset) -> Result<Program, Failure> {
    let members = ["A1", "A2"].map(|name| data.classes().find(name));
    let members = members.into_iter().flatten().map(Literal::positive);
    let group = Requirement::count([], 0, 1, members);
    data.program()
        .without_rules()
        .with_requirements(vec![group], &[])
        .map_err(|error| impossible(&error))
}

fn ways(program: &Program) -> Result<[Way; 4], Failure> {
    let halves = Thresholds::half(program.labels().len());
    let ordered = |first: &str| {
        let preferred: Vec<LabelId> = program.labels().find(first).into_iter().collect();
        let program =
            program.clone().with_requirements(program.requirements().to_vec(), &preferred);
        let program = program.map_err(|error| impossible(&error))?;
        let layer = ConstraintLayer::ordered(&program, halves.clone());
        layer.map(Some).map_err(|error| impossible(&error))
    };
    Ok([
        Way { name: "network", words: "as it is", layer: None },
        Way { name: "ordered", words: "A1 always before A2", layer: ordered("A1")? },
        Way { name: "ordered", words: "A2 always before A1", layer: ordered("A2")? },
        Way {
            name: "sureness",
            words: "whatever is surer stays",
            layer: Some(ConstraintLayer::new(program, halves)),
        },
    ])
}

/// The margins of the network at some points, settled.
fn settled(way: &Way, model: &Model, data: &Dataset, points: &[f32]) -> Result<Vec<f32>, Failure> {
    let columns = data.columns();
    let mut predictor = model.predictor_with(None, columns).map_err(|error| impossible(&error))?;
    let mut predictions = Predictions::default();
    let rows = FeatureRows::dense(points, columns.len()).map_err(|error| impossible(&error))?;
    predictor.predict(rows, &mut predictions).map_err(|error| impossible(&error))?;
    let Some(layer) = &way.layer else { return Ok(predictions.margins().to_vec()) };
    let mut coherent = vec![0.0; predictions.margins().len()];
    let done = layer.forward(predictions.margins(), &mut coherent, &mut layer.workspace());
    done.map_err(|error| impossible(&error))?;
    Ok(coherent)
}

fn outcome(way: Way, program: &Program, model: &Model, data: &Dataset) -> Result<Outcome, Failure> {
    let test = data.split(Split::Test).unwrap_or_default();
    let (rows, classes) = (test.len(), data.classes().len());
    let mut truth = vec![false; rows * classes];
    for (row, truth) in test.clone().zip(truth.chunks_exact_mut(classes)) {
        data.labels().unpack(row, truth);
    }
    let points: Vec<f32> = test.flat_map(|row| data.features(row)).copied().collect();
    let margins = settled(&way, model, data, &points)?;
    let decisions: Vec<bool> = margins.iter().map(|margin| *margin > 0.0).collect();
    let columns = Columns::evaluated(&shown(data));
    let confusion = Confusion::new(&decisions, &truth, &columns);
    let f1 = micro_f1(&confusion.map_err(|error| impossible(&error))?).unwrap_or_default();
    let breaks = |row: &&[bool]| broken_requirements(program, row).next().is_some();
    let broken = decisions.chunks_exact(classes).filter(breaks).count();
    let points: Vec<f32> = Field::points(panels::CELLS).flatten().collect();
    let cells = settled(&way, model, data, &points)?;
    Ok(Outcome { way, f1, broken, rows, cells })
}

/// The classes that exclude each other.
fn shown(data: &Dataset) -> Vec<bool> {
    data.classes().names().map(|name| name != "A").collect()
}

fn draw(program: &Program, data: &Dataset, outcomes: &[Outcome]) -> Result<String, Failure> {
    let classes = data.classes().len();
    let shown = shown(data);
    let mut rows = Vec::new();
    for one in outcomes {
        let decisions: Vec<bool> = one.cells.iter().map(|margin| *margin > 0.0).collect();
        let breaks = |row: &[bool]| broken_requirements(program, row).next().is_some();
        let broken: Vec<bool> = decisions.chunks_exact(classes).map(breaks).collect();
        let probability = |margin: f32| 1.0 / (1.0 + (-margin).exp());
        let fields = (0..classes).filter(|&class| shown[class]).map(|class| {
            one.cells.iter().skip(class).step_by(classes).map(|&m| probability(m)).collect()
        });
        rows.push(Panel {
            title: one.way.name.to_owned(),
            words: vec![one.way.words.to_owned()],
            caption: match one.broken {
                0 => ["no point".to_owned(), "has both".to_owned()],
                broken => [
                    format!(
                        "{} of {} points",
                        thousands(broken as u64),
                        thousands(one.rows as u64)
                    ),
                    "have both".to_owned(),
                ],
            },
            fields: fields.collect(),
            broken,
        });
    }
    let title = "Who gives way where A1 and A2 exclude each other";
    panels::compose(title, "exclusive(A1, A2)", &["A1: R1", "A2: R2 without R1"], &rows)
}

//! How members of an ensemble become one: four ways, compared on validation rows.
//!
//! ```text
//! cargo run --release -p rulebound-reproduction --example members -- --members 5 animals programs
//! cargo run --release -p rulebound-reproduction --example members -- --members 10 cellcycle_FUN yeast
//! ```
//!
//! `animals` and `programs` are problems with several derivations per class
//! ([`Derivations`](rulebound_testing::Derivations)), the others are sets of the paper (`RULEBOUND_DATA`).
//! Members stop early on the validation rows; all ways are measured on the same members and rows, and the layer
//! comes last in each. Test rows are not used.

use std::error::Error;

use rulebound::core::metrics::{LabelsInMetrics, Metric};
use rulebound::core::{LabelId, Labels, RuleText};
use rulebound::dataset::{Column, Dataset, DatasetBuilder, ReadOptions, Split, SplitRecipe};
use rulebound::evaluate::Evaluation;
use rulebound::labelled_scores::ScoresOf;
use rulebound::predict::Predictions;
use rulebound::train::{Configuration, EarlyStopping, Monitor, Stopping, Trainer};
use rulebound_reproduction::{DataSource, paper_configuration};
use rulebound_testing::{COLUMNS, Derivations};

const METRICS: [Metric; 3] = [Metric::HammingLoss, Metric::Auprc, Metric::AveragePrecision];

const WAYS: [&str; 4] = ["mean member", "raw logits", "coherent logits", "coherent probabilities"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (mut members, mut epochs, mut problems) = (5, None, Vec::new());
    while let Some(word) = words.next() {
        let mut number = || {
            words
                .next()
                .ok_or("a number is missing")?
                .parse::<usize>()
                .map_err(Box::<dyn Error>::from)
        };
        match &word[..] {
            "--members" => members = number()?,
            "--max-epochs" => epochs = Some(number()?),
            "animals" => problems.extend([0, 10, 20, 30].map(Problem::animals)),
            "programs" => problems.extend((0..10).map(Problem::program)),
            _ => problems.push(Problem::of_paper(&word, epochs)?),
        }
    }
    println!("| problem | averaged | {} |", METRICS.map(Metric::title).join(" | "));
    println!("|---|---|{}", "---:|".repeat(METRICS.len()));
    for problem in problems {
        problem.measure(members)?;
    }
    Ok(())
}

struct Problem {
    name: String,
    data: Dataset,
    configuration: Configuration,
}

impl Problem {
    fn animals(seed: u64) -> Self {
        let name = format!("animals, seed {seed}");
        Self::made(name, &Derivations::animals(600, 7), seed)
    }

    fn program(number: u64) -> Self {
        Self::made(format!("program {number}"), &Derivations::random(600, number), 0)
    }

    fn made(name: String, made: &Derivations, seed: u64) -> Self {
        let early = EarlyStopping {
            monitor: Monitor::Loss,
            patience: 10,
            most: Some(200),
            ..EarlyStopping::default()
        };
        let configuration = Configuration {
            hidden: vec![32],
            dropout: 0.0,
            learning_rate: 0.01,
            seed,
            stopping: Stopping::Early(early),
            ..Configuration::default()
        };
        let data = dataset(made).unwrap_or_else(|error| panic!("{error}"));
        Self { name, data, configuration }
    }

    /// A set of the paper with the paper's network, which stops early.
    fn of_paper(name: &str, epochs: Option<usize>) -> Result<Self, Box<dyn Error>> {
        let source: DataSource = name.parse()?;
        let mut data = source.read(&ReadOptions::default(), None)?;
        let early = EarlyStopping { most: epochs, ..EarlyStopping::default() };
        if data.split(Split::Valid).is_none() {
            data = SplitRecipe::default().hold_out(data, early.holdout)?;
        }
        let paper = paper_configuration(&source, true).ok_or("not a set of the paper")?;
        let stopping = Stopping::Early(early);
        Ok(Self { name: name.to_owned(), data, configuration: Configuration { stopping, ..paper } })
    }

    /// Trains the members, and prints a row for each way.
    fn measure(self, members: usize) -> Result<(), Box<dyn Error>> {
        let configuration = Configuration { members, ..self.configuration };
        let model = Trainer::new().configuration(configuration).fit(&self.data)?;
        let rows = self.data.split(Split::Valid).ok_or("no validation rows")?;
        let scored = model.score(&self.data, rows)?;
        let apart: Vec<Vec<f32>> = scored.members().into_iter().map(<[f32]>::to_vec).collect();
        let coherent = |logits: &Vec<f32>| -> Result<Vec<f32>, Box<dyn Error>> {
            let mut predictions = Predictions::default();
            model.head().predict(logits, &mut predictions)?;
            Ok(predictions.logits())
        };
        let each = apart.iter().map(coherent).collect::<Result<Vec<_>, _>>()?;
        let together = [mean(&apart), mean(&each), mean_of_probabilities(&each)];
        let measure = |logits: &Vec<f32>| {
            let rows = scored.with_scores(logits, ScoresOf::Model);
            model.predictions_of(&rows, LabelsInMetrics::Present)?.evaluate()
        };
        let alone = apart.iter().map(measure).collect::<Result<Vec<_>, _>>()?;
        let together = together.iter().map(measure).collect::<Result<Vec<_>, _>>()?;
        let value = |of: &Evaluation, metric| of.metrics.get(metric).unwrap_or(f64::NAN);
        for (way, name) in WAYS.iter().enumerate() {
            let cells = METRICS.map(|metric| match way {
                0 => alone.iter().map(|of| value(of, metric)).sum::<f64>() / members as f64,
                _ => value(&together[way - 1], metric),
            });
            let cells = cells.map(|cell| format!("{cell:.4}")).join(" | ");
            println!("| {} | {name} | {cells} |", self.name);
        }
        Ok(())
    }
}

fn mean(members: &[Vec<f32>]) -> Vec<f32> {
    let sum = |at: usize| members.iter().map(|of| of[at]).sum::<f32>();
    (0..members[0].len()).map(|at| sum(at) / members.len() as f32).collect()
}

fn mean_of_probabilities(members: &[Vec<f32>]) -> Vec<f32> {
    let sum = |at: usize, sign: f64| {
        members.iter().map(|of| 1.0 / (1.0 + (-sign * f64::from(of[at])).exp())).sum::<f64>()
    };
    (0..members[0].len()).map(|at| (sum(at, 1.0).ln() - sum(at, -1.0).ln()) as f32).collect()
}

/// Three fifths of the rows to train on, one to validate on, one to test on.
fn dataset(problem: &Derivations) -> Result<Dataset, Box<dyn Error>> {
    let columns = (0..COLUMNS).map(|column| Column::numeric(format!("x{column}"))).collect();
    let classes = problem.classes.len();
    let mut builder = DatasetBuilder::new("derivations", columns, Vec::new(), classes)?;
    let rows = problem.features.len();
    for (split, rows) in [
        (Split::Train, 0..rows * 3 / 5),
        (Split::Valid, rows * 3 / 5..rows * 4 / 5),
        (Split::Test, rows * 4 / 5..rows),
    ] {
        builder.begin(split)?;
        for row in rows {
            let at = builder.push(&problem.features[row], &[])?;
            for class in (0..classes).filter(|&class| problem.labels[row][class]) {
                builder.labels_mut().insert(at, LabelId::new(class));
            }
        }
    }
    let labels = Labels::new(problem.classes.iter().cloned())?;
    let rules = RuleText::new(&problem.rules).labels(labels).parse()?;
    Ok(builder.finish(rules.program)?)
}

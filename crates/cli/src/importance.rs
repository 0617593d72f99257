//! `rulebound importance`: which columns a model depends on.

use crate::arguments::{class_of, use_threads};
use crate::choice;
use crate::data::{ForModel, LabelRules, ModelRequest, SourceDetails, write_text};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, thousands};
use crate::unusual;
use clap::Args;
use indicatif::ProgressBar;
use rulebound::dataset::UnusualCells;
use rulebound::importance::{
    ColumnImportance, Importance, ImportanceOptions, Loss, largest_weights,
};
use rulebound::model::Model;
use rulebound_core::{LabelId, Labels};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Measure which columns a model depends on, by shuffling them
///
/// Shuffles one column at a time among the rows and reports how much the average
/// precision of each class and the micro-averaged AU(PRC) fall. Use rows that the model
/// was not trained on. Columns that say the same can stand in for each other, so each
/// of them may seem unimportant.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound importance --model boxes.rulebound rectangles
  rulebound importance --model boxes.rulebound rectangles --label A --repeats 20 --out importance.csv

Without --feature, at most --max-columns columns are measured: those with the largest weights in the
first layer (sum of squares). The same seed gives the same numbers.")]
pub struct ImportanceCommand {
    /// Model file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Data to measure on: a name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Split of the source to measure on [default: test, or what `evaluate` uses]
    #[arg(long, value_name = "SPLIT", value_parser = choice::split())]
    split: Option<String>,
    /// Class by whose average precision columns are ranked [default: micro-averaged AU(PRC)]
    #[arg(long = "label", value_name = "CLASS")]
    class: Option<String>,
    /// Column to measure (repeatable)
    #[arg(long = "feature", value_name = "NAME")]
    features: Vec<String>,
    /// Most columns that are measured
    #[arg(long, value_name = "N", default_value = "100", conflicts_with = "features", value_parser = clap::value_parser!(u64).range(1..))]
    max_columns: u64,
    /// Shuffles per column
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeats: u16,
    /// Random seed of the shuffles
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Also write a table (CSV) with every column and class
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of threads; does not affect the result [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    rules: LabelRules,
    #[command(flatten)]
    details: SourceDetails,
    /// Column that identifies rows and is not a feature (repeatable)
    #[arg(long = "id-column", value_name = "NAME")]
    id_columns: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The most columns shown on the screen.
const SHOWN: usize = 20;

impl ImportanceCommand {
    pub fn run(&self) -> Result<(), Failure> {
        use_threads(self.threads);
        let model = Model::load(&self.model)?;
        let class = match &self.class {
            Some(name) => Some(class_of(&model.class_names(), name)?),
            None => None,
        };
        let options = ImportanceOptions {
            repeats: self.repeats.into(),
            seed: self.seed,
            columns: self.chosen(&model)?,
            label_policy: None,
        };
        let request = ModelRequest {
            identifiers: &self.id_columns,
            split: self.split.as_deref(),
            rules: self.rules.path(),
            ..ModelRequest::default()
        };
        let read = self.details.read_for_models(&self.source, &request, &[&model])?;
        let policy = read.policy(&model);
        let ForModel { data, rows, used, .. } = read;
        used.lines().iter().for_each(screen::note);
        let unusual = unusual::of_rows(&model, &data, rows.clone())?;
        unusual::note(&unusual);
        let bar = ProgressBar::with_draw_target(
            Some(options.columns.len() as u64),
            screen::progress_target(self.json),
        );
        let options = ImportanceOptions { label_policy: Some(policy), ..options };
        let found = model.importance(&data, rows, &options, || bar.inc(1));
        bar.finish_and_clear();
        let mut found = found?;
        let lost = |column: &ColumnImportance| {
            of(column, class).map_or(f64::NEG_INFINITY, |loss| loss.mean)
        };
        found.columns.sort_by(|a, b| lost(b).total_cmp(&lost(a)).then(a.column.cmp(&b.column)));
        if let Some(out) = &self.out {
            write_text(out, &table(&model, &found))?;
        }
        match self.json {
            true => screen::json(&to_json(&model, &found, &unusual))?,
            false => screen::print(&self.text(&model, &found, class))?,
        }
        Ok(())
    }

    /// The columns to measure.
    fn chosen(&self, model: &Model) -> Result<Vec<usize>, Failure> {
        let columns = model.pipeline().columns();
        if self.features.is_empty() {
            let most = usize::try_from(self.max_columns).unwrap_or(usize::MAX);
            return Ok(largest_weights(model, most));
        }
        let place = |name: &String| {
            let found = columns.iter().position(|column| column.name() == name);
            found.ok_or_else(|| {
                let names = Labels::new(columns.iter().map(|column| column.name())).ok();
                let nearest = names.as_ref().and_then(|names| names.nearest(name));
                let message = format!("the model has no column `{name}`");
                let diagnostic = Diagnostic::plain("no-column", message);
                match nearest {
                    Some(nearest) => {
                        diagnostic.with_hint(format!("did you mean `{nearest}`?")).into()
                    }
                    None => Failure::from(diagnostic),
                }
            })
        };
        self.features.iter().map(place).collect()
    }

    fn text(&self, model: &Model, found: &Importance, class: Option<LabelId>) -> String {
        let columns = model.pipeline().columns();
        let metric = match class {
            Some(class) => format!("average precision of `{}`", model.labels().name(class)),
            None => "micro-averaged AU(PRC)".to_owned(),
        };
        let intact = found.intact.of(class).map_or("undefined".to_owned(), |v| format!("{v:.4}"));
        // Writing to a string cannot fail.
        let mut text = format!(
            "{metric} on {}: {intact}; lost when a column is shuffled ({}):\n\n",
            count(found.rows, "row"),
            count(self.repeats.into(), "shuffle"),
        );
        for column in found.columns.iter().take(SHOWN) {
            let name = columns[column.column].name();
            let _ = match of(column, class) {
                Some(Loss { mean, deviation }) => {
                    writeln!(text, "  {mean:>+8.4} ± {deviation:.4}  {name}")
                }
                None => writeln!(text, "  {:>8}           {name}", "-"),
            };
        }
        if found.columns.len() > SHOWN {
            let more = count(found.columns.len() - SHOWN, "column");
            let _ = writeln!(text, "  … and {more} more (--out FILE, --json)");
        }
        if found.columns.len() < columns.len() && self.features.is_empty() {
            let _ = writeln!(
                text,
                "\nmeasured: the {} of {} columns with the largest weights (--max-columns, --feature)",
                thousands(found.columns.len() as u64),
                thousands(columns.len() as u64),
            );
        }
        text
    }
}

fn of(column: &ColumnImportance, class: Option<LabelId>) -> Option<Loss> {
    match class {
        Some(class) => column.classes[class.index()],
        None => column.micro,
    }
}

/// One line per column and class; the class `*` is the micro average.
fn table(model: &Model, found: &Importance) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut text = "column,class,intact,lost,deviation\n".to_owned();
    for column in &found.columns {
        let name = quoted(model.pipeline().columns()[column.column].name());
        let classes = model.labels().ids().map(Some);
        for class in std::iter::once(None).chain(classes) {
            let title = class.map_or("*".to_owned(), |class| quoted(model.labels().name(class)));
            if let (Some(intact), Some(loss)) = (found.intact.of(class), of(column, class)) {
                let Loss { mean, deviation } = loss;
                let _ = writeln!(text, "{name},{title},{intact},{mean},{deviation}");
            }
        }
    }
    text
}

fn to_json(model: &Model, found: &Importance, unusual: &UnusualCells) -> Value {
    let labels = model.labels();
    let columns = found.columns.iter().map(|column| {
        let classes: serde_json::Map<String, Value> = labels
            .ids()
            .map(|class| (labels.name(class).to_owned(), json!(column.classes[class.index()])))
            .collect();
        json!({
            "column": model.pipeline().columns()[column.column].name(),
            "auprc": column.micro,
            "average_precision": classes,
        })
    });
    let classes: serde_json::Map<String, Value> = labels
        .ids()
        .map(|class| (labels.name(class).to_owned(), json!(found.intact.of(Some(class)))))
        .collect();
    let mut value = json!({
        "rows": found.rows,
        "intact": { "auprc": found.intact.micro, "average_precision": classes },
        "columns": columns.collect::<Vec<_>>(),
        "features": model.pipeline().columns().len(),
    });
    if let Some(object) = value.as_object_mut() {
        object.extend(unusual::to_json(unusual));
    }
    value
}

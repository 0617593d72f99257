//! How the time of an epoch grows with rows, with parameters and with rules.
//!
//! `cargo bench -p rulebound --bench train_scaling [-- --plot scaling.svg]`. Three tables; the last
//! column is the time per row, parameter or rule, relative to the first line: 1 if growth is
//! linear, more if it is worse. Data is generated; each time is the minimum of five epochs.

use std::fmt::Write as _;
use std::sync::Mutex;

use rulebound::dataset::{Column, Dataset, DatasetBuilder, Split};
use rulebound::train::{Configuration, EpochRecord, Observer, Stopping, Trainer};
use rulebound_core::{LabelId, Labels, Literal, Program, Rule};
use rulebound_io::random::{Draws, Purpose, unit};

const FEATURES: usize = 64;

struct Series {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let plot = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--plot"), Some(path)) => Some(path),
        _ => None,
    };
    println!("threads {}", rayon::current_num_threads());
    let rows = [1000, 2000, 4000, 8000, 16000];
    let rows = series("rows", rows, |rows| (rows as f64, epoch(rows, 256, 500, 499)));
    let hidden = [320, 480, 704, 1024, 1440];
    let parameters = series("parameters", hidden, |hidden| {
        let parameters = (FEATURES + 1) * hidden + (hidden + 1) * hidden + (hidden + 1) * 100;
        (parameters as f64, epoch(200, hidden, 100, 99))
    });
    let rules = [4000, 8000, 16000, 32000, 64000];
    let rules = series("rules", rules, |rules| (rules as f64, epoch(800, 16, 4000, rules)));
    if let Some(path) = plot {
        let svg = draw(&[rows, parameters, rules]);
        std::fs::write(&path, svg).unwrap_or_else(|error| panic!("{path}: {error}"));
        println!("plot written to {path}");
    }
}

fn series(name: &'static str, sizes: [usize; 5], measure: impl Fn(usize) -> (f64, f64)) -> Series {
    println!("\n{name:>12}  seconds  relative");
    let mut points: Vec<(f64, f64)> = Vec::new();
    for size in sizes {
        let (size, seconds) = measure(size);
        let (first_size, first) = *points.first().unwrap_or(&(size, seconds));
        let relative = seconds / size / (first / first_size);
        println!("{size:>12}  {seconds:7.4}  {relative:8.2}");
        points.push((size, seconds));
    }
    Series { name, points }
}

#[derive(Default)]
struct Fastest(Mutex<f64>);

impl Observer for Fastest {
    fn epoch(&self, record: &EpochRecord) {
        let mut fastest = self.0.lock().unwrap_or_else(|error| panic!("{error}"));
        if *fastest == 0.0 || record.seconds < *fastest {
            *fastest = record.seconds;
        }
    }
}

/// Seconds of the fastest of five epochs.
fn epoch(rows: usize, hidden: usize, classes: usize, rules: usize) -> f64 {
    let data = data(rows, classes, rules);
    let configuration = Configuration {
        hidden: vec![hidden, hidden],
        batch: 4,
        dropout: 0.5,
        stopping: Stopping::Epochs(5),
        ..Configuration::default()
    };
    let fastest = Fastest::default();
    Trainer::new()
        .configuration(configuration.clone())
        .observer(&fastest)
        .fit(&data)
        .unwrap_or_else(|error| panic!("{error}"));
    fastest.0.into_inner().unwrap_or_else(|error| panic!("{error}"))
}

/// Random rows; rules from classes to earlier classes; no row has a class.
fn data(rows: usize, classes: usize, rules: usize) -> Dataset {
    let draws = Draws::new(1, Purpose::Points);
    let labels = Labels::new((0..classes).map(|class| format!("c{class}")));
    let labels = labels.unwrap_or_else(|error| panic!("{error}"));
    let rule = |index: usize| {
        let child = 1 + index % (classes - 1);
        let parent = draws.four(index as u32, 1, 0)[0] as usize % child;
        Rule::new(LabelId::new(parent), [Literal::positive(LabelId::new(child))])
    };
    let program = Program::new(labels, (0..rules).map(rule).collect());
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let columns = (0..FEATURES).map(|feature| Column::numeric(format!("x{feature}"))).collect();
    let build = || {
        let mut builder = DatasetBuilder::new("generated", columns, vec![], classes)?;
        builder.begin(Split::Train)?;
        for row in 0..rows {
            let cells: Vec<f32> = (0..FEATURES)
                .map(|feature| unit(draws.four(feature as u32, row as u32, 1)[0]))
                .collect();
            builder.push(&cells, &[])?;
        }
        builder.finish(program)
    };
    build().unwrap_or_else(|error| panic!("{error}"))
}

/// Time against size, both relative to the smallest, on logarithmic axes; the dashed line is linear
/// growth.
fn draw(all: &[Series]) -> String {
    let colours = ["#0072b2", "#d55e00", "#009e73"];
    let place = |value: f64| value.log2() * 90.0;
    let (left, bottom) = (70.0, 400.0);
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 520 470\" \
                   font-family=\"sans-serif\" font-size=\"13\">\n\
                   <rect width=\"520\" height=\"470\" fill=\"white\"/>\n"
        .to_owned();
    // Writing to a string cannot fail.
    for power in 0..=4 {
        let (value, at) = (1 << power, place(f64::from(1 << power)));
        let (x, y) = (left + at, bottom - at);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} 40V{bottom}M{left} {y}H430\" stroke=\"#ddd\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{value}×</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{value}×</text>",
            bottom + 20.0,
            left - 8.0,
            y + 4.0
        );
    }
    let end = place(16.0);
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {bottom}l{end} -{end}\" stroke=\"#999\" stroke-dasharray=\"5 4\"/>\
         <text x=\"250\" y=\"450\" text-anchor=\"middle\">size</text>\
         <text x=\"20\" y=\"25\">time of an epoch</text>"
    );
    for (index, (series, colour)) in all.iter().zip(colours).enumerate() {
        let (first_size, first_time) = series.points[0];
        let at = |&(size, time): &(f64, f64)| {
            (left + place(size / first_size), bottom - place(time / first_time))
        };
        let places: Vec<(f64, f64)> = series.points.iter().map(at).collect();
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (x, y) in places {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
        }
        let y = 60 + 22 * index;
        let _ = writeln!(
            svg,
            "<circle cx=\"100\" cy=\"{}\" r=\"5\" fill=\"{colour}\"/>\
             <text x=\"112\" y=\"{y}\">{}</text>",
            y - 4,
            series.name
        );
    }
    svg + "</svg>\n"
}

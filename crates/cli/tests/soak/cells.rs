//! Random programs and adversarial numbers through the library, `apply` and `predict`.

use crate::rules::PlainProgram;
use crate::{random, run, scaled};
use rulebound::core::{ConstraintLayer, Program, RuleText, Thresholds};
use rulebound_testing::{Random, Scene};

/// Margins that break what is nearly right.
const ODD: [f32; 12] = [
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    -0.0,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    1.0,
    -1.0,
];

fn margin(random: &mut Random) -> f32 {
    match random.below(3) {
        0 => ODD[random.below(ODD.len())],
        1 => (random.below(7) as f32) - 3.0,
        _ => {
            let bits = (random.below(1 << 16) << 16 | random.below(1 << 16)) as u32;
            let any = f32::from_bits(bits);
            if any.is_nan() { 0.5 } else { any }
        }
    }
}

fn parsed(plain: &PlainProgram) -> Program {
    let labels = rulebound::core::Labels::new((0..plain.classes).map(PlainProgram::name)).unwrap();
    RuleText::new(&plain.text()).labels(labels).parse().unwrap().program
}

/// A hundred million cells of the layer: rules kept, nothing of the model's lost, twice is once.
#[test]
#[ignore = "soak"]
fn the_layer_keeps_every_rule() {
    let mut random = random("layer");
    let most = scaled(100_000_000);
    let mut cells = 0;
    while cells < most {
        let plain = PlainProgram::random(&mut random, 60);
        let program = parsed(&plain);
        let thresholds = Thresholds::uniform(plain.classes, 0.5).unwrap();
        let layer = ConstraintLayer::new(&program, thresholds);
        let mut space = layer.workspace();
        let rows = 1 + random.below(400);
        let raw: Vec<f32> = (0..rows * plain.classes).map(|_| margin(&mut random)).collect();
        let (mut once, mut twice) = (vec![0.0; raw.len()], vec![0.0; raw.len()]);
        layer.forward(&raw, &mut once, &mut space).unwrap();
        layer.forward(&once, &mut twice, &mut space).unwrap();
        assert!(once.iter().zip(&twice).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(once.iter().zip(&raw).all(|(after, before)| after >= before || *before == 0.0));
        for row in once.chunks(plain.classes) {
            let predicted: Vec<bool> = row.iter().map(|&margin| margin > 0.0).collect();
            assert!(plain.is_satisfied(&predicted), "{}\n{row:?}", plain.text());
        }
        cells += raw.len();
    }
    println!("the library: {cells} cells");
}

fn decisions(text: &str, classes: usize) -> impl Iterator<Item = Vec<bool>> {
    text.lines().skip(1).map(move |line| {
        let cells: Vec<&str> = line.split(',').collect();
        cells[cells.len() - classes..].iter().map(|cell| *cell == "1").collect()
    })
}

/// Tables through the command line; a score is any text that is a probability.
#[test]
#[ignore = "soak"]
fn apply_keeps_every_rule() {
    const SCORES: [&str; 12] = [
        "0",
        "-0",
        "1",
        "0.5",
        "5e-324",
        "1e-320",
        "0.49999999999999994",
        "0.5000000000000001",
        "0.9999999999999999",
        "1E-1",
        ".25",
        "0.30000000000000004",
    ];
    let mut random = random("apply");
    let mut cells = 0;
    for _ in 0..scaled(100) {
        let plain = PlainProgram::random(&mut random, 40);
        let rows = 1 + random.below(20_000);
        let header: Vec<String> = (0..plain.classes).map(PlainProgram::name).collect();
        let mut table = header.join(",") + "\n";
        for _ in 0..rows {
            let row: Vec<String> = (0..plain.classes)
                .map(|_| match random.below(2) {
                    0 => SCORES[random.below(SCORES.len())].to_owned(),
                    _ => format!("0.{}", random.below(1 << 30)),
                })
                .collect();
            table += &(row.join(",") + "\n");
        }
        let (rules, labels) = (plain.text(), plain.label_list());
        let scene = Scene::with(&[("r", &rules), ("l", &labels), ("s.csv", &table)]);
        let threshold = ["0.5", "0.3", "0.999", "1e-300"][random.below(4)];
        let command = format!(
            "apply --rules r --labels l --scores s.csv --threshold {threshold} --out o.csv --decisions d.csv"
        );
        let output = run(scene.root(), &command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let bound: f64 = threshold.parse().unwrap();
        let written = scene.text("o.csv");
        for (predicted, scores) in
            decisions(&scene.text("d.csv"), plain.classes).zip(written.lines().skip(1))
        {
            assert!(plain.is_satisfied(&predicted), "{rules}\n{scores}");
            let above = scores.split(',').map(|score| score.parse::<f64>().unwrap() > bound);
            assert!(above.eq(predicted.iter().copied()), "{scores} at {threshold}");
            cells += plain.classes;
        }
    }
    println!("apply: {cells} cells");
}

/// Models with random rules, and rows with any finite numbers.
#[test]
#[ignore = "soak"]
fn predict_keeps_every_rule() {
    const FEATURES: [&str; 8] = ["0", "-0.0", "1e9", "-1e9", "1e-45", "", "3.5", "-2"];
    const FAR: [&str; 4] = ["1e30", "-1e30", "3.4e38", "-3.4e38"];
    let mut random = random("predict");
    let (mut cells, mut refused) = (0, 0);
    for round in 0..scaled(40) {
        let plain = PlainProgram::random(&mut random, 20);
        let classes: Vec<String> = (0..plain.classes).map(PlainProgram::name).collect();
        let mut train = format!("x,y,{}\n", classes.join(","));
        for _ in 0..200 {
            let labels: Vec<&str> =
                (0..plain.classes).map(|_| ["0", "1"][random.below(2)]).collect();
            let (x, y) = (random.below(100), random.below(100));
            train += &format!("0.{x},0.{y},{}\n", labels.join(","));
        }
        let is_far = round % 8 == 7;
        let mut rows = "x,y\n".to_owned();
        for _ in 0..20_000 {
            let [x, y] = [0, 1].map(|_| match random.below(2) {
                0 if is_far => FAR[random.below(FAR.len())].to_owned(),
                0 => FEATURES[random.below(FEATURES.len())].to_owned(),
                _ => format!("{}.{}", random.below(3), random.below(1 << 20)),
            });
            rows += &format!("{x},{y}\n");
        }
        let rules = plain.text();
        let scene = Scene::with(&[("r", &rules), ("t.csv", &train), ("n.csv", &rows)]);
        let method = ["ccn", "cm", "post"][round % 3];
        let fit = format!(
            "train t.csv --label-columns c* --rules r --method {method} --hidden 8 --epochs 2 --out m.rulebound"
        );
        let output = run(scene.root(), &fit);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let predict = "predict --model m.rulebound n.csv --out o.csv --decisions d.csv";
        let output = run(scene.root(), predict);
        // Only features so far out that a logit is not a number are refused, in words.
        if is_far && !output.status.success() {
            assert!(!scene.path("d.csv").exists() && !scene.path("o.csv").exists());
            refused += 1;
            continue;
        }
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (written, decided) = (scene.text("o.csv"), scene.text("d.csv"));
        let mut scores = written.lines().skip(1);
        for predicted in decisions(&decided, plain.classes) {
            assert!(plain.is_satisfied(&predicted), "{rules}");
            let row = scores.next().unwrap();
            let row: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
            let row = &row[row.len() - plain.classes..];
            assert!(row.iter().map(|score| *score > 0.5).eq(predicted), "{row:?}");
            cells += plain.classes;
        }
        assert_eq!(scores.next(), None);
    }
    println!("predict: {cells} cells; {refused} tables with features too far out");
}

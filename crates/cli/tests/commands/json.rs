//! `docs/json.md`: every key that a command prints is on the page, and every key on the page is printed.

use super::scene::Scene;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Objects whose keys are names of somebody's classes, columns, splits or notes: the names are not on the page.
const NAMES: [&str; 7] = [
    "derivation",
    "label_rows",
    "never_positive",
    "notes",
    "split_incoherent_rows",
    "split_rows",
    "thresholds",
];

/// Objects that are explained elsewhere as a whole.
const ELSEWHERE: [&str; 2] = ["configuration", "settings"];

/// Metrics, which docs/metrics.md lists.
fn is_metric(key: &str) -> bool {
    use rulebound_core::metrics::{FurtherMetric, Metric};
    Metric::ALL.iter().any(|metric| metric.name() == key)
        || FurtherMetric::ALL.iter().any(|metric| metric.name() == key)
}

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    std::fs::read_to_string(path).unwrap()
}

/// The keys in the first cells of the page's tables.
fn documented() -> BTreeSet<String> {
    let page = page();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let words = cells.flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned));
    words.filter(|word| !word.is_empty() && !word.contains([' ', ','])).collect()
}

fn collect(value: &Value, command: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if is_metric(key) {
                    continue;
                }
                found.entry(key.clone()).or_insert_with(|| command.to_owned());
                match value {
                    Value::Object(_) if ELSEWHERE.contains(&key.as_str()) => {}
                    Value::Object(named) if NAMES.contains(&key.as_str()) => {
                        named.values().for_each(|value| collect(value, command, found));
                    }
                    _ => collect(value, command, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, command, found)),
        _ => {}
    }
}

/// Runs that together print every key; some fail, which is JSON too.
const RUNS: &[&str] = &[
    "train d.csv --label-columns a,b,c --rules r --hidden 3 --epochs 2 --test-share 0.2 --note who=ada --out m.rulebound",
    "train d.csv --label-columns a,b,c --rules r --hidden 3 --epochs 2 --test-share 0.2 --seed 1 --out n.rulebound",
    "train d.csv --label-columns a,b,c --rules r --hidden 3 --max-epochs 2 --folds 2 --out k.rulebound",
    "train d.csv --label-columns a,b,c --rules r --hidden 3 --max-epochs 2 --holdout 0.3 --learners ccn,prior --out blend.rulebound",
    "train g.csv --label-columns a,b --group-column kind --test-share 0.2 --valid-share 0.2 --rules t --unknown-labels keep --hidden 3 --epochs 1 --out g.rulebound",
    "train g.csv --label-columns a,b --split-column part --hidden 3 --epochs 1 --out p.rulebound",
    "train g.csv --id-column id --label-table names.csv --ignore part --rules r --hidden 3 --epochs 1 --out named.rulebound",
    "model info g.rulebound",
    "model info p.rulebound",
    "model info named.rulebound",
    "model info m.rulebound",
    "model rules m.rulebound",
    "model set-thresholds m.rulebound --threshold 0.4 --out t.rulebound",
    "model merge m.rulebound n.rulebound --out both.rulebound",
    "calibrate d.csv --model m.rulebound --split test --out c.rulebound",
    "model info c.rulebound",
    "tune-thresholds d.csv --model m.rulebound --split test --out t.csv --out-model u.rulebound",
    "tune-thresholds d.csv --model m.rulebound --split test --min-precision 0.99 --out v.csv",
    "tune d.csv --label-columns a,b,c --hidden 2 --learning-rates 0.01 --batches 8 --dropouts 0 --weight-decays 0 --max-epochs 1 --holdout 0.2 --dry-run --out tuned.csv",
    "tune d.csv --label-columns a,b,c --hidden 2 --learning-rates 0.01 --batches 8 --dropouts 0 --weight-decays 0 --max-epochs 1 --holdout 0.2 --out tuned.csv",
    "predict --model m.rulebound far.csv --out p.csv",
    "predict --model m.rulebound far.csv --out p.csv --max-out-of-range 0",
    "predict --model m.rulebound missing.csv --out p.csv",
    "evaluate --model both.rulebound d.csv --more --per-class per.csv --bootstrap 10 --require auprc>=0",
    "evaluate --model m.rulebound --model n.rulebound d.csv --bootstrap 10",
    "evaluate --scores s.csv --truth y.csv --rules q --label-policy complete",
    "explain --model m.rulebound d.csv --row 3 --label b --label c",
    "explain --rules q --scores s.csv --row 1 --label a --label b --label c",
    "importance d.csv --model m.rulebound",
    "apply --rules r --scores s.csv --out o.csv",
    "apply --rules q --scores s.csv --out o.csv",
    "apply --rules r --scores long.csv --layout long --out l.csv",
    "apply --rules r --scores bad.csv --out o.csv",
    "check r",
    "check q",
    "check wrong",
    "check cycle",
    "check twice --fix --out f",
    "check twice",
    "check go.obo",
    "check r --nonsense",
    "compare results.csv --metric auprc",
    "data info d.csv --label-columns a,b,c --rules r",
    "data list",
    "data rules d.csv --label-columns a,b,c --rules r --out d.rules --labels-out d.labels",
    "data split d.csv --label-columns a,b,c --test-share 0.2 --out parts",
    "data convert d.csv --label-columns a,b,c --to csv --out converted",
    "mine d.csv --label-columns a,b,c --out mined.rules",
    "export m.rulebound --out m.onnx",
    "devices",
    "demo --epochs 1 --picture demo.svg",
    "reproduce --list",
    "reproduce hmc --sets derisi_FUN --seeds 1 --dry-run",
];

fn scene() -> Scene {
    let row = |n: u32| {
        let (a, c) = (n.is_multiple_of(3), n.is_multiple_of(5));
        let b = a || n.is_multiple_of(4);
        let kind = if n.is_multiple_of(2) { "u" } else { "v" };
        format!("{},{kind},{},{},{}\n", n % 7, u8::from(a), u8::from(b), u8::from(c))
    };
    let rows: String = (0..80).map(row).collect();
    let grouped: String = (0..80)
        .map(|n| format!("i{n},{},{},{}\n", n / 4, if n < 60 { "train" } else { "test" }, row(n)))
        .collect();
    let named: String =
        (0..80).map(|n| format!("i{n},{}\n", if n % 3 == 0 { "a" } else { "b" })).collect();
    let results = "set,method,metric,value\n\
        one,x,auprc,0.5\none,y,auprc,0.4\none,z,auprc,0.3\ntwo,x,auprc,0.6\ntwo,y,auprc,0.4\ntwo,z,auprc,0.5\n\
        three,x,auprc,0.7\nthree,y,auprc,0.2\nthree,z,auprc,0.1\n";
    Scene::new(&[
        ("d.csv", &format!("x,kind,a,b,c\n{rows}")),
        ("g.csv", &format!("id,kind,part,x,other,a,b,c\n{grouped}")),
        ("names.csv", &format!("id,label\n{named}")),
        ("t", "a -> b\nb -> new\n"),
        ("far.csv", "id,x,kind\np,1,u\nq,1000,w\n"),
        ("missing.csv", "x\n1\n"),
        ("s.csv", "a,b,c\n0.9,0.2,0.8\n0.1,0.6,0.7\n"),
        ("y.csv", "a,b,c\n1,0,1\n0,1,\n"),
        ("bad.csv", "a,b,c\n0.9,2,0.8\n"),
        ("long.csv", "id,class,score\np,a,0.9\nq,b,0.2\n"),
        ("results.csv", results),
        (
            "go.obo",
            "format-version: 1.2\ndata-version: 1\n\n[Term]\nid: A\n\n[Term]\nid: B\nis_a: A\n",
        ),
        ("r", "a -> b\n"),
        ("q", "a -> b\nexclusive(b, c)\n"),
        ("wrong", "a -> -> b\n"),
        ("cycle", "not a -> b\nb -> a\n"),
        ("twice", "a -> b\na -> b\na, c, c -> b\n"),
    ])
}

#[test]
fn every_key_is_on_the_page_and_every_key_of_the_page_is_printed() {
    let scene = scene();
    let mut found = BTreeMap::new();
    for command in RUNS {
        let run = scene.run(&format!("{command} --json"));
        let value: Value = serde_json::from_str(&run.out)
            .unwrap_or_else(|error| panic!("{command}: {error}\n{}{}", run.out, run.err));
        assert_eq!(value["json_version"], 1, "{command}");
        collect(&value, command, &mut found);
    }
    let documented = documented();
    let unknown: Vec<String> = found
        .iter()
        .filter(|(key, _)| !documented.contains(*key))
        .map(|(key, command)| format!("{key} ({command})"))
        .collect();
    assert!(unknown.is_empty(), "not in docs/json.md:\n{}", unknown.join("\n"));
    let page = page();
    let rare = page.lines().filter(|line| line.contains("(rare)"));
    let rare: BTreeSet<&str> = rare.flat_map(|line| line.split('`').skip(1).step_by(2)).collect();
    let stale: Vec<&String> = documented
        .iter()
        .filter(|key| !found.contains_key(*key) && !rare.contains(key.as_str()) && !is_metric(key))
        .collect();
    assert!(stale.is_empty(), "in docs/json.md, and nobody prints it: {stale:?}");
}

/// The commands that a help page lists.
fn listed(scene: &Scene, command: &str) -> Vec<String> {
    let help = scene.run(&format!("{command} --help")).out;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // Descriptions that go on are indented further than names.
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(|name| format!("{command} {name}")).collect()
}

#[test]
fn every_command_with_a_result_has_json() {
    let scene = Scene::new(&[]);
    let mut open = listed(&scene, "");
    assert!(open.len() > 15, "{open:?}");
    while let Some(command) = open.pop() {
        let inner = listed(&scene, &command);
        let help = scene.run(&format!("{command} --help")).out;
        let is_text = ["completions", "man"].contains(&command.trim());
        assert!(is_text || !inner.is_empty() || help.contains("--json"), "{command}");
        open.extend(inner);
    }
}

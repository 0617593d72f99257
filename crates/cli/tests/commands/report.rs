//! The report of `rulebound reproduce`: what is written, and how it looks in a browser.

use crate::scene::Scene;
use flate2::read::ZlibDecoder;
use rulebound_core::metrics::{Metric, Metrics};
use rulebound_reproduction::{
    Batch, ChosenOn, ENSEMBLE, Folder, Plan, PlanRequest, Row, Seeds, SystemFacts, Target,
};
use serde_json::Value;
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

const PROBE: &str = include_str!("probe.js");

/// A page with the report in a frame, which can be as narrow as a phone; a window cannot. What the
/// probe finds is written where the test reads it.
const FRAME: &str = r#"<!DOCTYPE html>
<title>frame</title>
<body>
<script>
addEventListener("message", (event) => {
  const found = document.createElement("script");
  found.type = "application/json";
  found.id = "probe";
  found.textContent = event.data;
  document.body.append(found);
});
</script>
<iframe src="probed.html" style="width:WIDTHpx;height:HEIGHTpx;border:0"></iframe>
"#;

/// A number between 0 and 1 that is the same every time.
fn drawn(batch: &Batch, seed: u64, metric: usize) -> f64 {
    let text = format!("{batch}{seed}{metric}");
    let hash = text.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte));
    f64::from(hash % 1000) / 1000.0
}

fn row(batch: &Batch, seeds: Seeds) -> Row {
    let (seed, end) = match seeds {
        Seeds::One(seed) => (seed, ""),
        Seeds::Ensemble(..) => (99, ENSEMBLE),
    };
    let metrics = |shift: f64| {
        Metrics::from_fn(|metric| {
            let at = Metric::ALL.iter().position(|known| *known == metric).unwrap();
            Some(0.4 + 0.2 * drawn(batch, 0, at) + 0.01 * drawn(batch, seed, at) + shift)
        })
    };
    Row {
        set: batch.subject.to_string(),
        method: format!("{}{end}", batch.system),
        seeds,
        present: metrics(0.0),
        all: metrics(if batch.subject.to_string() == "medical" { 0.01 } else { 0.0 }),
        broken_rows: 0,
        delegated: Some(drawn(batch, seed, 0)),
        epochs: 20.0,
        seconds: 1.0,
        device: "cpu".to_owned(),
        configuration: batch.digest(),
        version: "0.1.0".to_owned(),
        facts: (!batch.system.is_network()).then(|| SystemFacts {
            seen: metrics(0.0),
            weights: batch.others.iter().map(|_| 0.25).collect(),
            chosen_on: ChosenOn::Validation,
        }),
    }
}

/// A folder with results of all targets, two seeds each, some logs and tiny models.
fn scene() -> Scene {
    let scene = Scene::new(&[]);
    let request = PlanRequest {
        targets: Target::ALL.to_vec(),
        sets: Vec::new(),
        seeds: 2,
        systems: vec![],
        searches_epochs: false,
    };
    let folder = scene.path("run");
    for name in ["logs", "models"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut rows = Vec::new();
    for batch in Plan::new(&request).unwrap().batches {
        rows.extend(batch.seeds().map(|seed| row(&batch, Seeds::One(seed))));
        if batch.configuration.members > 1 {
            rows.push(row(&batch, Seeds::Ensemble(0, 1)));
            let epochs = (1..=30).map(|epoch| {
                let loss = 1.0 / f64::from(epoch);
                format!(
                    "{{\"event\":\"epoch\",\"phase\":\"final\",\"seed\":0,\"epoch\":{epoch},\
                     \"loss\":{loss}}}\n"
                )
            });
            let log = folder.join("logs").join(format!("{batch}.log"));
            std::fs::write(log, epochs.collect::<String>()).unwrap();
        }
    }
    Folder::new(&folder).results().append(&rows).unwrap();
    let models = [
        ("rectangles --step 9 --method ccn", "rectangles-9.ccn.0"),
        ("rectangles --step 5 --method complement", "rectangles-5.complement.0"),
        ("three-classes --step 5 --method post", "three-classes-5.post.0"),
        ("nine-rectangles --method ccn", "nine-rectangles.ccn.0"),
    ];
    for (source, name) in models {
        let run = scene.run(&format!(
            "train {source} --preset paper --epochs 30 --out run/models/{name}.rulebound"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    scene
}

#[test]
fn a_report_is_written_of_existing_results() {
    let scene = scene();
    let run = scene.run("reproduce --report --seeds 2 --out run --markdown it.md");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let expected =
        "results in run/results.csv and run/systems.csv, report in run/report.html, and it.md\n";
    assert_eq!(run.out, expected);
    assert_eq!(scene.names(), ["it-figures", "it.md", "run"]);
    let (html, markdown) = (scene.text("run/report.html"), scene.text("it.md"));
    for target in Target::ALL {
        assert!(html.contains(&format!("<h2 id=\"{target}\">")), "{target}");
        assert!(html.contains(&format!("rulebound reproduce {target} --seeds 2")), "{target}");
    }
    assert!(html.contains("rulebound reproduce --report --seeds 2 --out run --markdown it.md"));
    assert!(html.len() < 5_000_000);
    // The name of a language, and no address that anything is loaded from.
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("http:") && !addresses.contains("https:"));
    let pictures = std::fs::read_dir(scene.path("it-figures")).unwrap().count();
    assert_eq!(markdown.matches("](it-figures/").count(), pictures);
    let again = scene.json("reproduce --report --seeds 2 --out run --json");
    assert_eq!((&again["report"], &again["markdown"]), (&"run/report.html".into(), &Value::Null));
}

#[test]
fn unwritable_paths_are_reported_first() {
    let scene = Scene::new(&[]);
    let run = scene.run("reproduce rectangles --out run --markdown nowhere/it.md");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("there is no folder nowhere"), "{}", run.err);
    let run = scene.run("reproduce --report --out run --markdown -");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--markdown"), "{}", run.err);
    let run = scene.run("reproduce --report --out run");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("there is no folder run"), "{}", run.err);
    std::fs::create_dir(scene.path("run")).unwrap();
    assert_eq!(scene.run("reproduce --report --out run").code, 0);
    assert!(scene.text("run/report.html").contains("There are no results yet."));
}

fn browse(browser: &Path, folder: &Path, page: &Path, size: [u32; 2], how: &[&str]) -> Output {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let [width, height] = size;
    Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--enable-logging=stderr", "--v=0"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={width},{height}"))
        .args(how)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap()
}

mod needs_browser {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs a browser"]
    fn it_looks_well_on_a_phone_and_on_a_desktop() {
        let browser = needs::browser();
        let scene = scene();
        assert_eq!(scene.run("reproduce --report --seeds 2 --out run").code, 0);
        let html = scene.text("run/report.html");
        let probed = html.replace("</body>", &format!("<script>\n{PROBE}</script>\n</body>"));
        std::fs::write(scene.path("run/probed.html"), probed).unwrap();
        let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
        std::fs::create_dir_all(&shots).unwrap();
        for (name, size) in [("phone", [390, 844]), ("desktop", [1280, 900])] {
            let [run, page] = ["run", "run/frame.html"].map(|name| scene.path(name));
            let [width, height] = size.map(|side| side.to_string());
            let frame = FRAME.replace("WIDTH", &width).replace("HEIGHT", &height);
            std::fs::write(&page, frame).unwrap();
            let how = ["--dump-dom", "--virtual-time-budget=20000"];
            let output = browse(&browser, &run, &page, size, &how);
            check(&String::from_utf8_lossy(&output.stdout), size[0]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
            assert!(console.is_empty(), "{console:?}");
            let shot = shots.join(format!("{name}.png"));
            std::fs::remove_file(&shot).ok();
            let how = format!("--screenshot={}", shot.display());
            browse(&browser, &run, &scene.path("run/report.html"), size, &[&how]);
            let (found, colours) = png(&std::fs::read(&shot).unwrap());
            assert_eq!(found, size, "{name}");
            assert!(colours > 16, "{name} has {colours} different bytes");
        }
    }
}

/// What the probe found.
fn check(dom: &str, width: u32) {
    let text = dom.split_once("id=\"probe\">").map_or("", |(_, rest)| rest);
    let text = text.split("</script>").next().unwrap();
    let found: Value =
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no probe: {dom:.2000}"));
    assert_eq!(found["inner_width"], width);
    assert!(found["scroll_width"].as_u64() <= Some(width.into()), "{found:#}");
    for nothing in [
        "empty_figures",
        "untitled_figures",
        "wide_tables",
        "without_caption",
        "without_scope",
        "broken_links",
    ] {
        assert_eq!(found[nothing], 0, "{nothing}");
    }
    for some in ["figures", "images", "tables"] {
        assert!(found[some].as_u64() > Some(10), "{some}: {}", found[some]);
    }
    assert_eq!(found["orders"].as_array().unwrap().len(), 2);
    assert!(!found["ends"].as_array().unwrap().is_empty());
    for (order, way) in found["orders"].as_array().unwrap().iter().zip(["ascending", "descending"])
    {
        assert_eq!(order["sort"], way);
        let mut values: Vec<f64> = order["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect();
        assert_eq!(values.len(), 20);
        if way == "descending" {
            values.reverse();
        }
        assert!(values.is_sorted(), "{way}: {values:?}");
    }
    for end in found["ends"].as_array().unwrap() {
        assert_eq!(*end, serde_json::json!(["–", "–", "–", "–"]));
    }
}

/// The width and height of a PNG, and how many different bytes its pixels are written with: a
/// picture of one colour has a handful.
fn png(bytes: &[u8]) -> ([u32; 2], usize) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut at, mut packed) = (8, Vec::new());
    while at < bytes.len() {
        let length = number(at) as usize;
        if &bytes[at + 4..at + 8] == b"IDAT" {
            packed.extend_from_slice(&bytes[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    let mut pixels = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut pixels).unwrap();
    let colours: HashSet<u8> = pixels.into_iter().collect();
    ([number(16), number(20)], colours.len())
}

//! Every command reads rules in the same ways: plain or gzipped, in the rule language or as an
//! ontology.

use crate::scene::Scene;
use std::io::Write;

const RULES: &str = "X:2 -> X:1\nX:3 -> X:2\n";
const OBO: &str = "format-version: 1.2\nontology: x\n\n\
    [Term]\nid: X:1\nname: one\n\n\
    [Term]\nid: X:2\nis_a: X:1 ! one\n\n\
    [Term]\nid: X:3\nrelationship: part_of X:2 ! two\n\n\
    [Term]\nid: X:9\nis_a: X:1\nis_obsolete: true\n\n\
    [Typedef]\nid: part_of\n";

/// The same rules in every supported form.
const FILES: [&str; 6] = ["x.rules", "x.rules.gz", "packed.rules", "x.obo", "x.obo.gz", "ontology"];

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn scene() -> Scene {
    let scene = Scene::new(&[
        ("x.rules", RULES),
        ("x.obo", OBO),
        // A byte order mark is not part of the first line.
        ("ontology", &format!("\u{feff}{OBO}")),
        ("s.csv", "X:1,X:2,X:3\n0.1,0.2,0.9\n0.9,0.8,0.1\n"),
        ("t.csv", "X:1,X:2,X:3\n1,1,1\n1,1,0\n"),
    ]);
    std::fs::write(scene.path("x.rules.gz"), gzip(RULES)).unwrap();
    std::fs::write(scene.path("packed.rules"), gzip(RULES)).unwrap();
    std::fs::write(scene.path("x.obo.gz"), gzip(OBO)).unwrap();
    scene
}

#[test]
fn check_reads_them() {
    let scene = scene();
    for file in FILES {
        let value = scene.json(&format!("check {file} --json"));
        assert_eq!((&value["rules"], &value["classes"]), (&2.into(), &3.into()), "{file}");
        let format = if file.contains(".obo") || file == "ontology" { "obo" } else { "rules" };
        assert_eq!(value["format"], format, "{file}");
    }
    let run = scene.run("check x.obo");
    assert!(run.out.contains("2 rules over 3 classes (format obo), a hierarchy"), "{}", run.out);
    let run = scene.run_with("check -", OBO);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn apply_reads_them() {
    let scene = scene();
    for file in FILES {
        let run = scene.run(&format!("apply --rules {file} --scores s.csv --out o.csv"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{file}");
        assert_eq!(scene.text("o.csv"), "X:1,X:2,X:3\n0.9,0.9,0.9\n0.9,0.8,0.1\n", "{file}");
    }
    let value = scene.json("apply --rules x.obo.gz --scores s.csv --out o.csv --json");
    assert_eq!(value["broken_rules"][0]["line"], 14, "the line of the part_of");
}

#[test]
fn explain_reads_them() {
    let scene = scene();
    for file in FILES {
        let run = scene.run(&format!("explain --rules {file} --scores s.csv --row 1"));
        assert_eq!(run.code, 0, "{file}: {}", run.err);
        assert!(run.out.contains("X:1 = 0.9 (predicted;"), "{file}: {}", run.out);
    }
}

#[test]
fn evaluate_reads_them() {
    let scene = scene();
    for file in FILES {
        let value =
            scene.json(&format!("evaluate --rules {file} --scores s.csv --truth t.csv --json"));
        assert_eq!(value["incoherent_rows"], 1, "{file}: {value}");
    }
}

#[test]
fn labels_choose_the_terms_of_an_ontology() {
    let scene = scene();
    std::fs::write(scene.path("labels"), "X:1\nX:3\n").unwrap();
    std::fs::write(scene.path("two.csv"), "X:3,X:1\n0.9,0.1\n").unwrap();
    let run = scene.run("apply --rules x.obo --labels labels --scores two.csv --out -");
    assert_eq!((run.code, run.out.as_str()), (0, "X:3,X:1\n0.9,0.9\n"), "{}", run.err);
}

#[test]
fn errors_of_an_ontology_have_their_positions() {
    let scene = scene();
    std::fs::write(scene.path("bad.obo.gz"), gzip(&OBO.replace("is_a: X:1 !", "is_a: X:7 !")))
        .unwrap();
    for command in ["check bad.obo.gz", "apply --rules bad.obo.gz --scores s.csv --out o.csv"] {
        let run = scene.run(command);
        assert_eq!(run.code, 1);
        let expected = "bad.obo.gz:10:7: \"X:7\" is not a term of the ontology";
        assert!(run.err.contains(expected), "{}", run.err);
    }
    std::fs::write(scene.path("torn.rules.gz"), &gzip(RULES)[..20]).unwrap();
    let run = scene.run("check torn.rules.gz");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("the gzip data is cut short or corrupt"), "{}", run.err);
}

#[test]
fn thresholds_and_labels_may_be_compressed() {
    let scene = scene();
    std::fs::write(scene.path("t.csv.gz"), gzip("class,threshold\n*,0.95\n")).unwrap();
    std::fs::write(scene.path("l.gz"), gzip("\u{feff}X:1\nX:2\nX:3\n")).unwrap();
    let run = scene.run(
        "apply --rules x.rules --labels l.gz --thresholds t.csv.gz --scores s.csv --out o.csv \
         --decisions -",
    );
    assert_eq!((run.code, run.out.as_str()), (0, "X:1,X:2,X:3\n0,0,0\n0,0,0\n"), "{}", run.err);
}

#[test]
fn the_highest_classes_that_predict_writes_break_no_rule() {
    let rows: String = (0..60).map(|row| format!("r{row},{}.{}\n", row % 7, row % 5)).collect();
    let (mut labels, mut new) = ("id,class\n".to_owned(), "id,x\n".to_owned());
    for row in 0..60 {
        let classes = ["pup", "dog", "cat", "animal", "other"];
        labels += &format!("r{row},{}\n", classes[row % 5]);
        new += &format!("n{row},{}\n", f64::from(row as u32) / 9.0 - 1.0);
    }
    let scene = Scene::new(&[
        ("x.csv", &format!("id,x\n{rows}")),
        ("labels.csv", &labels),
        ("rules", "pup -> dog\ndog -> animal\ncat -> animal\nnot dog -> other\n"),
        ("new.csv", &new),
    ]);
    let run =
        scene.run("train x.csv --label-table labels.csv --rules rules --out m --epochs 3 --hidden 4 --id-column id");
    assert_eq!(run.code, 0, "{}", run.err);
    for most in 1..5 {
        let run = scene.run(&format!("predict --model m new.csv --out top{most}.csv --top {most}"));
        assert_eq!(run.code, 0, "{}", run.err);
        let text = scene.text(&format!("top{most}.csv"));
        for row in 0..60 {
            let id = format!("n{row},");
            let shown: Vec<&str> = text
                .lines()
                .filter(|line| line.starts_with(&id))
                .map(|line| line.split(',').nth(2).unwrap())
                .collect();
            let has = |class: &str| shown.contains(&class);
            assert!(shown.len() >= most, "{shown:?}");
            assert!(!has("pup") || has("dog"), "{shown:?}");
            assert!(!(has("dog") || has("cat")) || has("animal"), "{shown:?}");
            assert!(has("dog") || has("other"), "{shown:?}");
        }
    }
}

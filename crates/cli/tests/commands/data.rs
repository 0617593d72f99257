use crate::scene::Scene;

#[test]
fn the_list_has_all_data_sets_of_the_paper() {
    let value = Scene::new(&[]).json("data list --json --data-dir .");
    assert_eq!(value["builtin"].as_array().unwrap().len(), 3);
    let catalogue = value["catalogue"].as_array().unwrap();
    assert_eq!(catalogue.len(), 36);
    assert!(catalogue.iter().all(|entry| entry["present"] == false));
    assert_eq!(catalogue[0]["hyperparameters"]["hidden"], 500);
    let first = &catalogue[0];
    for key in ["about", "published", "folder"] {
        assert!(first[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {first}");
    }
    assert!(!first["files"].as_array().unwrap().is_empty(), "{first}");

    let run = Scene::new(&[]).run("data list --data-dir .");
    assert!(run.out.contains("36 of 36 data sets are not in ."), "{}", run.out);
    for entry in catalogue {
        let name = entry["name"].as_str().unwrap();
        let line = format!("  {name:16} absent  {}\n", entry["about"].as_str().unwrap());
        assert!(run.out.contains(&line), "{line}: {}", run.out);
        let published = format!("published in {}\n", entry["published"].as_str().unwrap());
        assert!(run.out.contains(&published), "{published}: {}", run.out);
    }
    let files = first["files"].as_array().unwrap();
    let files: Vec<&str> = files.iter().map(|file| file.as_str().unwrap()).collect();
    let place = format!("files: {}/{}/{{{}}}\n", "hmc", "cellcycle_FUN", files.join(","));
    assert!(run.out.contains(&place), "{place}: {}", run.out);
}

#[test]
fn info_has_the_promised_keys() {
    let value =
        Scene::new(&[]).json("data info three-classes --data-seed 4 --arrangement apart --json");
    for key in [
        "features",
        "features_encoded",
        "classes",
        "evaluated_classes",
        "rows",
        "rules",
        "label_cardinality",
        "missing_share",
        "never_positive",
        "incoherent_rows",
    ] {
        assert!(!value[key].is_null(), "{key}");
    }
    assert_eq!(value["split_rows"]["train"], 2500);
    assert_eq!(value["split_incoherent_rows"]["test"], 0);
    assert_eq!(value["rules"], 3);
}

const TABLE: &str = "id,height,colour,cat,animal\nr1,1.5,red,1,1\nr2,?,blue,0,1\nr3,2,red,1,0\n";

#[test]
fn a_table_with_labels_and_rules() {
    let scene = Scene::new(&[("t.csv", TABLE), ("r", "cat -> animal\n")]);
    let value =
        scene.json("data info t.csv --label-columns cat,animal --id-column id --rules r --json");
    assert_eq!(value["features_encoded"], 3);
    assert_eq!(value["classes"], 2);
    assert_eq!(value["split_incoherent_rows"].as_object().unwrap().values().next().unwrap(), 1);
    let run = scene.run("data info t.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--label-columns"), "{}", run.err);
    assert_eq!(scene.run("data info t.csv --label-columns dog").code, 1);
    assert_eq!(scene.run("data info t.csv --label-columns 2 --label-column cat").code, 2);
}

#[test]
fn errors_have_their_positions() {
    let broken = TABLE.replace("r2,?,blue,0,1", "r2,?,blue,maybe,1\nr4,1,red,1");
    let scene = Scene::new(&[("t.csv", &broken)]);
    let run = scene.run("data info t.csv --label-columns 2");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("t.csv:3:") && run.err.contains("t.csv:4:"), "{}", run.err);
    let value = scene.json("data info t.csv --label-columns 2 --json");
    assert_eq!(value["errors"][0]["line"], 3);
}

#[test]
fn converted_data_is_the_same_data() {
    let scene = Scene::new(&[]);
    let before = scene.json("data info nine-rectangles --data-seed 3 --json");
    for format in ["csv", "parquet", "mulan"] {
        let run = scene.run(&format!(
            "data convert nine-rectangles --data-seed 3 --to {format} --out {format}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(scene.json(&format!("data info {format} --json")), before);
    }
    assert_eq!(scene.run("data convert nine-rectangles --to excel --out x").code, 2);
}

#[test]
fn an_ontology_becomes_rules() {
    let obo = "format-version: 1.2\n\n[Term]\nid: GO:1\nname: top\n\n[Term]\nid: GO:2\nalt_id: GO:9\nis_a: GO:1 ! top\n\n\
        [Term]\nid: GO:3\nrelationship: part_of GO:9\n\n[Term]\nid: GO:4\nis_obsolete: true\nis_a: GO:1\n";
    let scene = Scene::new(&[("go.obo", obo)]);
    assert_eq!(scene.run("data rules go.obo --out -").out, "GO:2 -> GO:1\nGO:3 -> GO:2\n");
    assert_eq!(scene.run("data rules go.obo --out go.rules --labels-out go.labels").code, 0);
    assert_eq!(scene.json("check go.rules --labels go.labels --json")["hierarchy"], true);
    let cyclic = obo.replace("name: top", "is_a: GO:3");
    let run = Scene::new(&[("go.obo", &cyclic)]).run("data rules go.obo --out -");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("cycle"), "{}", run.err);
}

#[test]
fn steps_are_for_problems_that_have_them() {
    let scene = Scene::new(&[]);
    assert_eq!(scene.run("data info nine-rectangles --step 2").code, 2);
    assert_eq!(scene.run("data info rectangles --step 10").code, 2);
    assert_eq!(scene.run("data info nowhere").code, 1);
}

#[test]
fn label_lists_that_are_written_can_be_read() {
    let table = "f,dark blue,\"two\nlines\"\n1,1,1\n2,0,1\n";
    let scene = Scene::new(&[("s.csv", table), ("r", "\"dark blue\" -> \"two\\nlines\"\n")]);
    let run = scene.run("data convert s.csv --label-columns 2 --rules r --to csv --out c");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.json("check c/rules.txt --labels c/labels.txt --json")["classes"], 2);
    let run = scene.run("data rules s.csv --label-columns 2 --rules r --out n.r --labels-out n.l");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.json("check n.r --labels n.l --json")["classes"], 2);
    assert_eq!(scene.run("data rules s.csv --label-columns 2 --out - --labels-out -").code, 2);
}

#[test]
fn an_ontology_where_rows_are_expected_is_told_what_it_is_for() {
    let scene = Scene::new(&[("g.obo", "format-version: 1.2\n\n[Term]\nid: GO:1\n")]);
    for command in ["data info g.obo", "train g.obo --label-columns 1 --out m.rulebound"] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}");
        for part in [
            "an ontology has rules, not rows",
            "rulebound check g.obo",
            "data rules",
            "--rules g.obo",
        ] {
            assert!(run.err.contains(part), "{command}: {}", run.err);
        }
    }
}

/// The formats in a message are those that its option takes.
#[test]
fn unknown_extensions_are_told_which_are_known() {
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n1,0\n"), ("ev.foo", "")]);
    for (command, known) in [
        (
            "apply --rules r --scores ev.foo --out o.csv",
            ".csv, .tsv, .tab, .parquet, .npy, .npz (each",
        ),
        ("apply --rules r --scores s.csv --out x.foo", ".csv, .tsv, .tab, .parquet, .npy (each"),
        ("tune-thresholds --scores s.csv --truth s.csv --out x.foo", ".csv, .tsv, .tab (each"),
        ("tune-thresholds --scores s.csv --truth s.csv --out x.parquet", ".csv, .tsv, .tab (each"),
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        assert!(run.err.contains(&format!("end in one of {known}")), "{command}: {}", run.err);
    }
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let run = Scene::new(&[]).run("data info yeas");
    assert!(run.err.contains("did you mean `yeast`?"), "{}", run.err);
}

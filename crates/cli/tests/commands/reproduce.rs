use crate::scene::Scene;
use serde_json::Value;

#[test]
fn the_targets_are_listed_with_figure_and_time() {
    let scene = Scene::new(&[]);
    let listed = scene.json("reproduce --list --json");
    let names: Vec<&str> = listed["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["target"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 13);
    assert_eq!((names[0], names[5], names[12]), ("rectangles", "hmc", "lcmc-blend"));
    for one in listed["targets"].as_array().unwrap() {
        assert!(one["seconds"].as_f64().unwrap() > 0.0 && one["networks"].as_u64().unwrap() > 0);
        assert!(one["place"].as_str().unwrap().contains(':'));
    }
    let text = scene.run("reproduce nine-rectangles --list --seeds 3");
    assert!(text.out.contains("6 runs, about "), "{}", text.out);
    assert!(text.out.contains("Figure 8"), "{}", text.out);
    assert!(scene.names().is_empty());
}

#[test]
fn places_are_those_of_the_printed_paper_and_the_time_of_a_part_is_told() {
    let scene = Scene::new(&[]);
    let run = scene.run("reproduce --list --seeds 1");
    for place in ["Figures 1 and 2", "Table 2, Figure 9", "Tables 5, 6 and 7", "Tables 8, 9 and 10"]
    {
        assert!(run.out.contains(place), "{place}: {}", run.out);
    }
    for label in ["tab:", "fig:", "img:"] {
        assert!(!run.out.contains(label), "{label}: {}", run.out);
    }
    assert!(run.out.contains("reproduce hmc --sets derisi_FUN --seeds 1 --list"), "{}", run.out);
    let part = scene.json("reproduce hmc --sets derisi_FUN --seeds 1 --list --json");
    assert_eq!(
        (part["targets"].as_array().unwrap().len(), &part["targets"][0]["networks"]),
        (1, &1.into())
    );
}

#[test]
fn a_dry_run_lists_what_would_be_trained() {
    let scene = Scene::new(&[]);
    let run = scene.run("reproduce hmc-ablation lcmc --sets seq_FUN,yeast --dry-run --out run");
    let expected = "seq_FUN.ccn.0-9\nseq_FUN.post.0-9\nseq_FUN.cm.0-9\nyeast.ccn.0-9\n\
                    40 runs, 40 to train\n";
    assert_eq!((run.code, run.out.as_str()), (0, expected), "{}", run.err);
    let cells = scene.json("reproduce nine-rectangles --seeds 2 --dry-run --json");
    let cell = |at: usize| {
        let cell: &Value = &cells["runs"][at];
        format!("{} {} {} {}", cell["set"], cell["method"], cell["seed"], cell["done"])
    };
    assert_eq!(cells["runs"].as_array().unwrap().len(), 4);
    assert_eq!(cell(3), r#""nine-rectangles" "cm" 1 false"#);
    assert!(scene.names().is_empty());
}

#[test]
fn invalid_requests_are_refused() {
    let scene = Scene::new(&[("run/results.csv", "a,b\n")]);
    let wrong = [
        ("reproduce --out x", 2, "no TARGET given; --list shows the targets"),
        ("reproduce hcm lmc --out x", 2, "unknown target `hcm`, `lmc`; expected rectangles,"),
        ("reproduce hmc", 2, "--out <DIR>"),
        (
            "reproduce hmc --sets yeast --out x",
            2,
            "--sets: none of the targets has a data set `yeast`; known data sets: ",
        ),
        ("reproduce hmc --seeds 0 --out x", 2, "--seeds: the number of seeds is 0"),
        (
            "reproduce lcmc --data-dir nowhere --out x",
            1,
            "16 data sets of the paper are missing: arts",
        ),
        ("reproduce rectangles --out run", 1, "not a table of results: unexpected header"),
        ("reproduce rectangles --dry-run --out run", 1, "not a table of results"),
        ("reproduce rectangles --out run/results.csv", 1, "cannot use run/results.csv/logs"),
    ];
    for (arguments, code, message) in wrong {
        let run = scene.run(arguments);
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(message), "{arguments}: {}", run.err);
    }
    assert_eq!(scene.text("run/results.csv"), "a,b\n");
}

#[test]
fn a_report_does_not_overwrite_results() {
    let scene = Scene::new(&[("run/note.md", "mine")]);
    for name in ["run/results.csv", "run/report.html", "run/logs/x.md", "run/../run/results.csv"] {
        std::fs::create_dir_all(scene.path("run/logs")).unwrap();
        let run = scene.run(&format!("reproduce --report --out run --markdown {name}"));
        assert_eq!(run.code, 2, "{name}: {}", run.err);
        assert!(run.err.contains("that path belongs to the files of DIR"), "{name}: {}", run.err);
    }
    let run = scene.run("reproduce --report --out run --markdown run/note.md");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("no results in run"), "{}", run.err);
    assert!(scene.text("run/note.md").starts_with("# The paper"));
    let run = scene.run("reproduce --report --out run --markdown /dev/null");
    assert_eq!(run.code, 2, "{}", run.err);
}

#[cfg(unix)]
#[test]
fn names_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new(&[]);
    std::fs::create_dir_all(scene.path("run")).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"m\xff.md");
    let output = assert_cmd::Command::cargo_bin("rulebound")
        .unwrap()
        .current_dir(scene.path("run"))
        .args(["reproduce", "--report", "--json", "--out", ".", "--markdown"])
        .arg(name)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_damaged_data_set_does_not_stop_the_others() {
    let files = ["cal500", "emotions"].map(|set| format!("data/lcmc/{set}/{set}-train.arff"));
    let scene = Scene::new(&[(&files[0], "@relation broken\n"), (&files[1], "")]);
    let run =
        scene.run("reproduce lcmc --sets cal500,emotions --seeds 1 --data-dir data --out run");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.err.contains("cal500.ccn.0: ") && run.err.contains("emotions.ccn.0: "),
        "{}",
        run.err
    );
    assert!(run.err.contains("the other results are kept"), "{}", run.err);
}

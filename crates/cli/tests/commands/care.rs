//! What every command has: `--quiet`, `--verbose`, `--config`, completions, manual pages.

use crate::scene::Scene;

const QUICK: &str = "--hidden 8 --epochs 2 --batch 500";

#[test]
fn quiet_prints_no_summary_and_errors_stay() {
    let scene = Scene::new(&[("bad.rules", "a -> b -> c\n")]);
    let run = scene.run(&format!("-q train rectangles {QUICK} --out m.rulebound"));
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    let run = scene.run("predict --model m.rulebound rectangles --out s.csv --quiet");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    // What was asked for is no summary.
    let run = scene.run("evaluate --model m.rulebound rectangles -q");
    assert!(run.out.contains("auprc"), "{}", run.out);
    let run = scene.run("check bad.rules -q");
    assert!(run.code == 1 && !run.err.is_empty(), "{}", run.err);
    assert_eq!(scene.run("check bad.rules -q -v").code, 2);
}

#[test]
fn verbose_says_what_is_read_and_how_it_is_set() {
    let scene = Scene::new(&[]);
    let plain = scene.run(&format!("train rectangles {QUICK} --out a.rulebound"));
    assert_eq!(plain.err, "");
    let run = scene.run(&format!("train rectangles {QUICK} --out m.rulebound -v"));
    for part in ["read rectangles: ", "learning-rate = 0.001", "finished in "] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
}

#[test]
fn a_configuration_file_gives_options_and_the_command_line_wins() {
    let config = "hidden = [8, 4]\nbatch = 500\n\n[train]\nsource = \"rectangles\"\nepochs = 2\n\
                  out = \"m.rulebound\"\nlr = 1e-2\njson = true\n\n[predict]\ntop = 1\n";
    let scene = Scene::new(&[("run.toml", config)]);
    let value = scene.json("train --config run.toml --learning-rate 0.02");
    let configuration = &value["configuration"];
    assert_eq!(configuration["hidden"], serde_json::json!([8, 4]));
    assert_eq!(configuration["learning_rate"], 0.02);
    assert_eq!(configuration["stopping"]["epochs"], 2);
    // A typed positional replaces that of the file, and an option those that it excludes.
    let value =
        scene.json("train three-classes --config=run.toml --patience 1 --max-epochs 1 --force");
    assert_eq!(value["training"]["data"], "three-classes");
    assert_eq!(value["configuration"]["stopping"]["early"]["patience"], 1);
}

#[test]
fn mistakes_in_a_configuration_file_have_a_place_and_the_nearest_name() {
    let scene = Scene::new(&[
        ("a.toml", "[train]\nbatch = 8\n learning-rat = 0.1\nhiddn = 3\n[trian]\nx = 1\n"),
        ("b.toml", "[train\n"),
        ("c.toml", "[train]\nbatch = [1, 2]\nretrain = 3\ndropout = 2020-01-01\n"),
        ("d.toml", "[train]\nsource = \"rectangles\"\nout = \"m\"\nbatch = \"many\"\n"),
        ("e.toml", "config = \"a.toml\"\n"),
    ]);
    let run = scene.run("train --config a.toml");
    assert_eq!(run.code, 1);
    for part in [
        "a.toml:3:2",
        "did you mean `learning-rate`?",
        "a.toml:4:1",
        "`hidden`",
        "a.toml:5:2",
        "`train`",
    ] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let run = scene.run("train --config b.toml");
    assert!(run.code == 1 && run.err.contains("b.toml:1:"), "{}", run.err);
    let run = scene.run("train --config c.toml");
    for part in ["one value, not a list", "true or false", "a string, a number or a list"] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let run = scene.run("train --config d.toml");
    assert!(
        run.code == 1 && run.err.contains("d.toml:4:1") && run.err.contains("many"),
        "{}",
        run.err
    );
    assert_eq!(scene.run("train --config e.toml").code, 1);
    let run = scene.run("train --config none.toml");
    assert!(run.code == 1 && run.err.contains("cannot read none.toml"), "{}", run.err);
    let value = scene.json("train --config a.toml --json");
    assert_eq!(value["errors"][0]["line"], 3);
}

#[test]
fn the_recorded_configuration_repeats_the_run() {
    let scene = Scene::new(&[]);
    let run = scene.run(
        "train three-classes --hidden 8,4 --max-epochs 3 --patience 2 --lr 0.01 --data-seed 5 \
         --batch 300 --method cm --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let record = scene.text("m.rulebound.toml");
    for part in ["source = \"three-classes\"", "learning-rate = 0.01", "holdout = 0.15"] {
        assert!(record.contains(part), "{part}: {record}");
    }
    let run = scene.run("train --config m.rulebound.toml --out again.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    let bytes = |name: &str| std::fs::read(scene.path(name)).unwrap();
    assert_eq!(bytes("m.rulebound"), bytes("again.rulebound"));

    let search = "--hidden 4,8 --batches 500 --learning-rates 0.01 --dropouts 0.1 --weight-decays 0 \
                  --max-epochs 1";
    let run = scene.run(&format!("tune rectangles {search} --out t.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run("tune --config t.csv.toml --out u.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    let points = |name: &str| scene.text(name).lines().count();
    assert_eq!(points("t.csv"), points("u.csv"));
}

#[test]
fn a_finished_model_is_not_overwritten_without_force() {
    let scene = Scene::new(&[]);
    let train = format!("train rectangles {QUICK} --out m.rulebound");
    assert_eq!(scene.run(&train).code, 0);
    let before = std::fs::read(scene.path("m.rulebound")).unwrap();
    for more in ["--seed 1", "--seed 1 --resume", "--seed 1 --restart"] {
        let run = scene.run(&format!("{train} {more}"));
        assert_eq!(run.code, 1, "{more}");
        assert!(
            run.err.contains("m.rulebound exists") && run.err.contains("--force"),
            "{}",
            run.err
        );
        assert!(std::fs::read(scene.path("m.rulebound")).unwrap() == before);
    }
    assert_eq!(scene.run(&format!("{train} --seed 1 --force")).code, 0);
    assert!(std::fs::read(scene.path("m.rulebound")).unwrap() != before);
}

#[test]
fn a_failed_run_leaves_no_header_on_standard_output() {
    let scene = Scene::new(&[("r.rules", "a -> b\n"), ("bad.csv", "a,b\n0.5,0.25\nhalf,1\n")]);
    let run = scene.run("apply --rules r.rules --scores bad.csv --out -");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    scene.run(&format!("train rectangles {QUICK} --out m.rulebound"));
    let run = scene.run_with("predict --model m.rulebound - --out -", "x,y\n0.5,0.5\n1,half\n");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
}

#[cfg(unix)]
#[test]
fn devices_and_names_without_extension_take_a_given_format() {
    let scene = Scene::new(&[("r.rules", "a -> b\n"), ("s.csv", "a,b\n0.5,0.25\n")]);
    let apply = "apply --rules r.rules --scores s.csv";
    let run = scene.run(&format!("{apply} --out /dev/null"));
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run(&format!("{apply} --out - --out-format tsv"));
    assert_eq!(run.out, "a\tb\n0.5\t0.5\n");
    assert_eq!(scene.run(&format!("{apply} --out scores")).code, 1);
    let run = scene.run(&format!("{apply} --out scores --out-format csv"));
    assert_eq!((run.code, scene.text("scores").as_str()), (0, "a,b\n0.5,0.5\n"), "{}", run.err);
}

#[test]
fn messages_are_bounded() {
    let scene = Scene::new(&[]);
    let classes: Vec<String> = (0..5000).map(|class| format!("class_number_{class}")).collect();
    let rules: String = classes.iter().map(|class| format!("{class} -> top\n")).collect();
    let wrong: String = classes.iter().map(|class| format!("{class} top\n")).collect();
    std::fs::write(scene.path("r.rules"), rules).unwrap();
    std::fs::write(scene.path("wrong.rules"), wrong).unwrap();
    std::fs::write(scene.path("few.labels"), "top\n").unwrap();
    std::fs::write(scene.path("s.csv"), "top\n0.5\n").unwrap();
    for command in [
        "apply --rules r.rules --scores s.csv --unknown-labels error --out -",
        "evaluate --scores s.csv --truth s.csv --rules r.rules --unknown-labels error",
        "check wrong.rules --format rules",
        "check r.rules --labels few.labels --unknown-labels error",
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}");
        assert!(run.err.len() < 10_000, "{command}: {} bytes", run.err.len());
        assert!(run.err.contains("more"), "{command}: {}", run.err);
    }
}

#[test]
fn every_shell_completes_every_command() {
    let scene = Scene::new(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = scene.run(&format!("completions {shell}"));
        assert_eq!(run.code, 0, "{shell}");
        for word in ["evaluate", "learning-rate", "convert"] {
            assert!(run.out.contains(word), "{shell} {word}");
        }
    }
    assert_eq!(scene.run("completions tcsh").code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let scene = Scene::new(&[]);
    let run = scene.run("man --out pages");
    assert_eq!(run.code, 0, "{}", run.err);
    let page = scene.text("pages/rulebound-data-convert.1");
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{page}");
    assert!(page.contains("Output folder"), "{page}");
    let pages = std::fs::read_dir(scene.path("pages")).unwrap().count();
    assert!(run.out.starts_with(&format!("{pages} pages")), "{} {pages}", run.out);
    assert_eq!(scene.run("man data convert").out, page);
    let run = scene.run("man data nothing");
    assert!(run.code == 2 && run.err.contains("`nothing`"), "{}", run.err);
}

use crate::scene::Scene;

const PAPER: &str = include_str!("../../../reproduction/src/paper/hmc_auprc.csv");

/// Three methods on five data sets; C has no value on one.
const WIDE: &str =
    "set,A,B,C\nr,0.9,0.8,0.1\ns,0.7,0.6,0.2\nt,0.5,0.5,0.3\nu,0.8,0.9,\nv,0.6,0.4,0.1\n";

const LONG: &str = "dataset,model,seed,metric,value\n\
    r,A,0,auprc,0.9\nr,A,0,one-error,0.1\nr,B,0,auprc,0.8\nr,B,0,one-error,0.2\n\
    s,A,0,auprc,0.6\ns,A,1,auprc,0.8\ns,A,0,one-error,0.3\ns,B,0,auprc,0.6\ns,B,0,one-error,0.3\n";

fn refused(text: &str, arguments: &str) -> (i32, String) {
    let scene = Scene::new(&[("r.csv", text)]);
    let run = scene.run(&format!("compare r.csv {arguments}"));
    assert_eq!(run.out, "", "nothing is printed but the error");
    (run.code, run.err)
}

fn expect_refused(code: i32, text: &str, arguments: &str, parts: &[&str]) {
    let (found, err) = refused(text, arguments);
    assert_eq!(found, code, "{err}");
    for part in parts {
        assert!(err.contains(part), "{part:?} is not in {err}");
    }
}

#[test]
fn plain_text_for_the_paper() {
    let scene = Scene::new(&[("hmc.csv", PAPER)]);
    let run = scene.run("compare hmc.csv --metric auprc --missing last");
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(run.out, @"
    auprc, higher is better: 5 methods, 20 data sets

      method    average rank
      CCN(h)            1.25
      HMCN-F            1.90
      HMCN-R            2.93
      Clus-Ens          3.93
      HMC-LMLP          5.00

    Friedman test: chi-square 73.437 with 4 degrees of freedom, p = 4.26e-15
    Iman and Davenport: F 212.608 with 4 and 76 degrees of freedom, p = 1.94e-40

    Nemenyi test: critical difference 1.364 at alpha 0.05 (q 2.728); no significant difference within each of these groups:
      CCN(h), HMCN-F
      HMCN-F, HMCN-R
      HMCN-R, Clus-Ens
      Clus-Ens, HMC-LMLP

    Wilcoxon signed-rank test, CCN(h) against each of the others:

      method    better  worse  equal       W         p    Holm p  differs  computed
      HMC-LMLP      16      0      0       0   4.37e-4   0.00131  yes      normal approximation
      Clus-Ens      20      0      0       0   8.79e-5   3.52e-4  yes      normal approximation
      HMCN-R        18      2      0      23   0.00218   0.00437  yes      normal approximation
      HMCN-F        17      3      0    31.5   0.00601   0.00601  yes      normal approximation
    ");
    insta::assert_snapshot!(run.err, @"
    warning: 4 data sets ranked with the missing method last: diatoms (no HMC-LMLP), enron (no HMC-LMLP), imclef07a (no HMC-LMLP), imclef07d (no HMC-LMLP)
    help: the Wilcoxon tests skip such pairs
    ");
}

#[test]
fn markdown() {
    let scene = Scene::new(&[("r.csv", WIDE)]);
    let run = scene.run("compare r.csv --metric auprc --markdown --against C");
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(run.out, @"
    auprc, higher is better: 3 methods, 4 data sets

    | method | average rank |
    |---|---:|
    | A | 1.13 |
    | B | 1.88 |
    | C | 3.00 |

    Friedman test: chi-square 7.600 with 2 degrees of freedom, p = 0.0224

    Iman and Davenport: F 57.000 with 2 and 6 degrees of freedom, p = 1.25e-4

    Nemenyi test: critical difference 1.657 at alpha 0.05 (q 2.344); no significant difference within each of these groups:

    - A, B
    - B, C

    Wilcoxon signed-rank test, C against each of the others:

    | method | better | worse | equal | W | p | Holm p | differs | computed |
    |---|---:|---:|---:|---:|---:|---:|---|---|
    | A | 0 | 4 | 0 | 0 | 0.125 | 0.250 | no | exact, with ties |
    | B | 0 | 4 | 0 | 0 | 0.125 | 0.250 | no | exact |
    ");
    assert!(run.err.contains("1 data set dropped: u (no C)"), "{}", run.err);
    assert!(run.err.contains("--missing last"), "{}", run.err);
}

#[test]
fn the_keys_for_machines_and_their_order() {
    let scene = Scene::new(&[("r.csv", WIDE)]);
    let run = scene.run("compare r.csv --metric auprc --json --alpha 0.1");
    let mut keys: Vec<&str> = run.out.lines().filter_map(|l| l.strip_prefix("  \"")).collect();
    keys.iter_mut().for_each(|key| *key = key.split('"').next().unwrap());
    assert_eq!(
        keys,
        [
            "json_version",
            "metric",
            "better",
            "sets",
            "lacking",
            "left_out",
            "ranks",
            "friedman",
            "nemenyi",
            "groups",
            "against",
            "wilcoxon"
        ]
    );
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&value["metric"], &value["better"]), (&"auprc".into(), &"higher".into()));
    assert_eq!((&value["sets"], &value["left_out"]), (&4.into(), &true.into()));
    assert_eq!(value["lacking"], serde_json::json!([{ "set": "u", "methods": ["C"] }]));
    // Ranks by hand: A 1, 1, 1.5, 1; B 2, 2, 1.5, 2; C is always the last.
    let ranks = serde_json::json!([
        { "method": "A", "rank": 1.125 },
        { "method": "B", "rank": 1.875 },
        { "method": "C", "rank": 3.0 },
    ]);
    assert_eq!(value["ranks"], ranks);
    let keys = |value: &serde_json::Value| {
        value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&value["friedman"]), "chi_square freedom iman_davenport p");
    assert_eq!(keys(&value["friedman"]["iman_davenport"]), "f freedom p");
    assert_eq!(keys(&value["nemenyi"]), "alpha critical_difference q");
    assert_eq!(value["nemenyi"]["alpha"], 0.1);
    let first = &value["wilcoxon"][0];
    assert_eq!(keys(first), "computed differs equal holm losses method minus p plus wins");
    // Three differences for A, one zero: of 2³ ways only one is as far from even, on either side.
    assert_eq!((&first["method"], &first["p"]), (&"B".into(), &0.25.into()));
    assert_eq!(first["computed"], "exact-with-ties");
    // All four for A against C: 2/16, and the lesser of the two p counts twice.
    assert_eq!(
        (&value["wilcoxon"][1]["p"], &value["wilcoxon"][1]["holm"]),
        (&0.125.into(), &0.25.into())
    );
}

#[test]
fn long_tables_seeds_and_several_files() {
    let scene = Scene::new(&[("r.csv", LONG), ("more.tsv", "set\tC\nr\t0.5\ns\t0.1\n")]);
    let value = scene.json("compare r.csv --metric AU(PRC) --json");
    assert_eq!(value["ranks"][0], serde_json::json!({ "method": "A", "rank": 1.0 }));
    let value = scene.json("compare r.csv more.tsv --metric auprc --json --against C");
    assert_eq!((&value["against"], &value["ranks"][2]["method"]), (&"C".into(), &"C".into()));
    assert_eq!(value["wilcoxon"][0]["losses"], 2);
    // Lower is better: A is best where its error is lowest.
    let value = scene.json("compare r.csv --metric one_error --json");
    assert_eq!((&value["better"], &value["ranks"][0]["rank"]), (&"lower".into(), &1.25.into()));
    let value = scene.json("compare r.csv --metric one_error --higher --json");
    assert_eq!(value["ranks"][0]["method"], "B");
    let run = scene.run_with("compare - --higher", "set,A,B\ns,1,2\nt,1,2\n");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with("values, higher is better: 2 methods, 2 data sets"), "{}", run.out);
}

#[test]
fn a_diagram() {
    let scene = Scene::new(&[("hmc.csv", PAPER)]);
    let run = scene.run("compare hmc.csv --metric auprc --missing last --diagram cd.svg");
    assert_eq!(run.code, 0, "{}", run.err);
    let svg = scene.text("cd.svg");
    for part in
        ["CD 1.364 at α = 0.05, 20 sets", ">CCN(h) 1.25<", ">HMC-LMLP 5.00<", "over 20 sets"]
    {
        assert!(svg.contains(part), "{part}");
    }
    // Bars: CCN(h) and HMCN-F; HMCN-F and HMCN-R; HMCN-R and Clus-Ens; Clus-Ens and HMC-LMLP.
    assert_eq!(svg.matches("stroke-width:4.5").count(), 4, "{svg}");
    let run = scene.run("compare hmc.csv --metric auprc --diagram no/such/folder.svg");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("no folder"), "{}", run.err);
    assert_eq!(scene.names(), ["cd.svg", "hmc.csv"]);
    assert_eq!(scene.run("compare hmc.csv --metric auprc --diagram -").code, 2);
    let run = scene.run("compare hmc.csv --metric auprc --diagram ./hmc.csv");
    assert!(run.code == 2 && run.err.contains("are the same file"), "{}", run.err);
    assert_eq!(scene.text("hmc.csv"), PAPER);
}

#[test]
fn all_errors_of_all_files() {
    let scene = Scene::new(&[
        ("a.csv", "set,A,B\nr,0.5,half\ns,0.5\nt,inf,0.5\n"),
        ("b.csv", "set,method,metric\n"),
    ]);
    let run = scene.run("compare a.csv b.csv c.csv --metric auprc");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    let parts = [
        "a.csv:2:3: \"half\" is not a number (column `B`)",
        "a.csv:3:2: \"0.5\" is in a row with 2 fields, but there are 3 columns",
        "a.csv:4:2: \"inf\" is not a finite number (column `A`)",
        "b.csv:1:1: \"set,method,metric\" is a header without a column `value`",
        "cannot read c.csv",
        "5 errors",
    ];
    for part in parts {
        assert!(run.err.contains(part), "{part:?} is not in {}", run.err);
    }
    let value = scene.json("compare a.csv --metric auprc --json");
    let first = &value["errors"][0];
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&"a.csv".into(), &2.into(), &3.into())
    );
    assert!(first["hint"].as_str().unwrap().contains("leave the cell empty"));
}

#[test]
fn incomparable_tables_are_refused() {
    let metrics = ["2 metrics: auprc, one_error", "--metric"];
    expect_refused(1, LONG, "", &metrics);
    expect_refused(1, LONG, "--metric aurpc", &["no value of the metric", "did you mean `auprc`?"]);
    expect_refused(2, "set,A,B\ns,1,2\nt,1,2\n", "", &["--higher or --lower"]);
    expect_refused(2, "set,A,B\ns,1,2\nt,1,2\n", "--metric beauty", &["\"beauty\"", "--lower"]);
    expect_refused(1, "set,A\ns,1\nt,1\n", "--higher", &["only one method, \"A\""]);
    expect_refused(
        1,
        "set,A,B\ns,1,2\n",
        "--higher",
        &["1 of 1 data sets has a value", "more data sets"],
    );
    let none = [
        "0 of 2 data sets have values",
        "s has no value for B",
        "t has no value for A",
        "--missing last",
    ];
    expect_refused(1, "set,A,B\ns,1,\nt,,2\n", "--higher", &none);
    expect_refused(1, "set,A,B\n", "--higher", &["no value to compare"]);
    expect_refused(1, "", "--higher", &["the file is empty"]);
    expect_refused(1, WIDE, "--higher --against D", &["no method \"D\"", "A, B, C"]);
    for alpha in ["0", "1", "-0.5", "nan", "inf", "2"] {
        expect_refused(2, WIDE, &format!("--higher --alpha {alpha}"), &["--alpha"]);
    }
    expect_refused(2, WIDE, "--higher --lower", &["--lower"]);
    let both = Scene::new(&[("r.csv", WIDE)]).run("compare r.csv --higher --json --markdown");
    assert!(both.code == 2 && both.out.contains("--markdown"), "{}", both.out);
    expect_refused(2, WIDE, "--higher --missing never", &["--missing"]);
    assert_eq!(Scene::new(&[]).run("compare").code, 2);
    assert_eq!(Scene::new(&[]).run("compare - - --higher").code, 2);
}

#[test]
fn unusual_tables() {
    let scene = Scene::new(&[
        ("tied.csv", "set,A,B\ns,1,1\nt,2,2\n"),
        ("same.csv", "set,A,B\ns,2,1\nt,2,1\n"),
    ]);
    let run = scene.run("compare tied.csv --higher");
    assert!(
        run.code == 0 && run.out.contains("all methods are tied on all data sets"),
        "{}",
        run.out
    );
    assert!(scene.json("compare tied.csv --higher --json")["friedman"].is_null());
    let value = scene.json("compare same.csv --higher --json");
    assert!(value["friedman"]["iman_davenport"]["f"].is_null());
    assert_eq!(value["friedman"]["iman_davenport"]["p"], 0.0);
    let run = scene.run("compare same.csv --higher");
    assert!(run.out.contains("F inf with 1 and 1"), "{}", run.out);
    assert!(
        run.out.contains("Not significant: every difference below may be due to chance"),
        "{}",
        run.out
    );
}

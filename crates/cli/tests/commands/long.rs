//! `apply --layout long`.

use super::scene::Scene;

const RULES: &str = "siamese -> cat\ncat -> animal\ndog -> animal\n";

fn scene() -> Scene {
    let table = "id,class,score\np1,siamese,0.90\np1,dog,0.2\np2,dog,0.4\n";
    Scene::new(&[("r.rules", RULES), ("long.csv", table)])
}

#[test]
fn a_long_table_becomes_a_coherent_long_table() {
    let scene = scene();
    let run = scene.run("apply --rules r.rules --scores long.csv --layout long --out out.tsv");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let expected = "3 rows of 2 ids: 0 scores changed, 3 added\n6 rows written to out.tsv\n";
    assert_eq!(run.out, expected);
    let expected = "id\tclass\tscore\np1\tsiamese\t0.90\np1\tcat\t0.90\np1\tanimal\t0.90\n\
                    p1\tdog\t0.2\np2\tanimal\t0.4\np2\tdog\t0.4\n";
    assert_eq!(scene.text("out.tsv"), expected);
    let long = "protein,term,p\nx,cat,0.5\n";
    let run = scene.run_with(
        "apply --rules r.rules --scores - --layout long --id-column protein --class-column term \
         --score-column p --top 1 --ids sorted --out -",
        long,
    );
    assert_eq!(run.out, "protein,term,p\nx,animal,0.5\n", "{}", run.err);
    let options = "--layout long --above 0.3 --json --out few.csv";
    let json = scene.json(&format!("apply --rules r.rules --scores long.csv {options}"));
    assert_eq!((&json["ids"], &json["rows_written"]), (&2.into(), &5.into()));
}

#[test]
fn mistakes_are_explained() {
    let scene = scene();
    let error = |rules: &str, rows: &str, options: &str| {
        std::fs::write(scene.path("x.rules"), rules).unwrap();
        std::fs::write(scene.path("x.csv"), format!("id,class,score\n{rows}")).unwrap();
        let run = scene.run(&format!("apply --rules x.rules --scores x.csv --out o.csv {options}"));
        assert!(!scene.path("o.csv").exists());
        (run.code, run.err)
    };
    let (code, text) = error(RULES, "a,cat,1\nb,cat,1\na,dog,1\n", "--layout long");
    assert_eq!(code, 1);
    assert!(text.contains("x.csv: row 3: the id `a` was there before"), "{text}");
    assert!(text.contains("sort the table by id"), "{text}");
    let (_, text) = error(RULES, "a,catt,1\n", "--layout long");
    assert!(text.contains("did you mean `cat`?"), "{text}");
    let (_, text) = error(RULES, "a,cat,2\n", "--layout long");
    assert!(text.contains("outside [0, 1]"), "{text}");
    let (_, text) = error("exclusive(a, b)\na | b", "a,a,1\n", "--layout long --top 1");
    assert!(text.contains("requirement"), "{text}");
    let (_, text) = error("not a -> b", "a,a,1\n", "--layout long --top 3");
    assert!(text.contains("negation"), "{text}");
    let (code, text) = error(RULES, "a,cat,1\n", "--top 3");
    assert_eq!(code, 2);
    assert!(text.contains("--top needs --layout long"), "{text}");
    let (code, text) = error(RULES, "a,cat,1\n", "--layout long --decisions d.csv");
    assert!(code == 2 && text.contains("--decisions needs --layout wide"), "{text}");
}

#[test]
fn an_id_that_cannot_be_settled_is_named_with_what_to_do() {
    // Pigeons pair by pair, which cannot be counted.
    let (mut rules, mut lines) = (String::new(), "id,class,score\na,all,0.99\n".to_owned());
    for pigeon in 0..9 {
        let holes: Vec<String> = (0..8).map(|hole| format!("p{pigeon}h{hole}")).collect();
        rules += &format!("all -> {}\n", holes.join(" | "));
        for hole in 0..8 {
            lines += &format!("a,p{pigeon}h{hole},0.{}\n", 1 + hole);
            (0..pigeon).for_each(|other| {
                rules += &format!("not (p{pigeon}h{hole}, p{other}h{hole})\n");
            });
        }
    }
    let scene = Scene::new(&[("r.rules", &rules), ("l.csv", &lines)]);
    let apply = "apply --rules r.rules --scores l.csv --layout long --settle-limit 50 --out o.csv";
    let run = scene.run(apply);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.err.contains("row 1, id `a`: the requirements could not be settled"),
        "{}",
        run.err
    );
    assert!(run.err.contains("--unsettled mark or raw"), "{}", run.err);
    let run = scene.run(&format!("{apply} --unsettled raw"));
    assert!(run.code == 0 && run.err.contains("written as read"), "{}", run.err);
}

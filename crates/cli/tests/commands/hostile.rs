//! Files of others, and folders of others to work in: nothing in them runs, nothing reaches the terminal that it would
//! obey, no message is without end.

use crate::scene::Scene;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The longest message.
const LONGEST: usize = 4000;

/// A folder in which somebody has left what Python, or a search for libraries, would take for its own.
#[cfg(target_os = "linux")]
#[test]
fn nothing_of_the_current_folder_runs() {
    let python = "open('ran', 'a').write(__file__ + '\\n')\n";
    let scene = Scene::new(&[
        ("body.rules", "stomach -> abdomen\n"),
        ("names.txt", "stomach\nabdomen\n"),
        ("rows.csv", "id,x,y\np,1,2\n"),
        ("onnxruntime/__init__.py", python),
        ("contextlib.py", python),
        ("warnings.py", python),
        ("importlib/__init__.py", python),
        ("bin/python3", "#!/bin/sh\necho program >> ran\n"),
        ("python3", "#!/bin/sh\necho program >> ran\n"),
        ("hello.c", HOSTILE_LIBRARY),
    ]);
    for program in ["bin/python3", "python3"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(scene.path(program), mode).unwrap();
    }
    let places = [
        "onnxruntime/capi/libonnxruntime.so",
        "lib/libonnxruntime.so",
        "libonnxruntime.so",
        "lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime.so",
    ];
    let has_compiler = places.iter().all(|place| {
        std::fs::create_dir_all(scene.path(place).parent().unwrap()).unwrap();
        let library = ["-shared", "-fPIC", "-o", place, "hello.c"];
        let built = Command::new("cc").args(library).current_dir(scene.root()).status();
        built.is_ok_and(|status| status.success())
    });
    let layer = scene.run("export --rules body.rules --labels names.txt --out layer.onnx");
    assert_eq!(layer.code, 0, "{}", layer.err);
    let network =
        "--network layer.onnx --output probabilities --rules body.rules --labels names.txt";
    for command in ["predict", "explain"] {
        let rest = if command == "predict" { "--out out.csv" } else { "--row 1" };
        for path in ["", ".", "bin", ":bin:.", "./bin:/usr/bin:/bin"] {
            let arguments = format!("{command} {network} rows.csv --id-column id {rest}");
            let run = Command::new(env!("CARGO_BIN_EXE_rulebound"))
                .current_dir(scene.root())
                .args(arguments.split_whitespace())
                .env("PATH", path)
                .env("PYTHONPATH", "")
                .env("LD_LIBRARY_PATH", ".:lib:")
                .env_remove("ORT_DYLIB_PATH")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert_ne!(run.status.code(), Some(101), "{}", String::from_utf8_lossy(&run.stderr));
            assert!(!scene.path("ran").exists(), "{command}, {path:?}: {}", scene.text("ran"));
        }
    }
    // Named by the user it is opened, and refused because it is another library.
    if has_compiler {
        let named = format!(
            "predict {network} rows.csv --id-column id --out out.csv --onnxruntime libonnxruntime.so"
        );
        let run = scene.run(&named);
        assert!(run.code == 1 && run.err.contains("OrtGetApiBase"), "{}", run.err);
        assert!(scene.path("ran").exists());
    }
}

/// A library that says when it is loaded, and has nothing of what its name promises.
#[cfg(target_os = "linux")]
const HOSTILE_LIBRARY: &str = "#include <stdio.h>
__attribute__((constructor)) static void ran(void) {
    FILE *file = fopen(\"ran\", \"a\");
    if (file) { fputs(\"library\\n\", file); fclose(file); }
}
void *OrtGetApiBase(void) { return 0; }
";

#[test]
fn a_file_of_options_is_read_in_bounded_time_and_memory() {
    let mut text = String::new();
    (0..100_000).for_each(|key| writeln!(text, "key_{key} = {key}").unwrap());
    // All of them in one line, too.
    let one: Vec<String> = (0..100_000).map(|key| format!("key_{key} = {key}")).collect();
    let one = format!("train = {{ {} }}\n", one.join(", "));
    let scene = Scene::new(&[("many.toml", &text), ("one.toml", &one)]);
    let start = Instant::now();
    for file in ["many.toml", "one.toml"] {
        let run = scene.run(&format!("train x --out z.rulebound --config {file}"));
        assert_eq!(run.code, 1);
        assert!(run.err.contains("`key_0` is not an option of `train`"), "{}", run.err);
        assert!(run.err.len() < 101 * LONGEST, "{}", run.err.len());
        let run = scene.run(&format!("train x --out z.rulebound --config {file} --json"));
        assert!(run.out.len() < 101 * 4 * LONGEST, "{}", run.out.len());
        assert!(run.out.contains("99900 more mistakes"), "{}", run.out.len());
    }
    // Before, each of them looked through the whole file: hours.
    assert!(start.elapsed().as_secs() < 100, "{:?}", start.elapsed());
    #[cfg(unix)]
    {
        let run = scene.run("train x --out z.rulebound --config /dev/zero");
        assert!(run.code == 1 && run.err.contains("/dev/zero"), "{}", run.err);
        assert!(run.err.contains("16"), "{}", run.err);
    }
}

/// A cycle through every rule of a file, drawn with its first and its last rules.
#[test]
fn the_message_about_a_long_cycle_is_short() {
    let rules = 20_000;
    let mut text = String::new();
    (0..rules).for_each(|at| writeln!(text, "class{at} -> class{}", at + 1).unwrap());
    writeln!(text, "not class{rules} -> class0").unwrap();
    let long = "n".repeat(50_000);
    let names = format!("not {long} -> {long}2\n{long}2 -> {long}\n{long} -> {long} -> b\n");
    let scene = Scene::new(&[("cycle.rules", &text), ("names.rules", &names)]);
    let run = scene.run("check cycle.rules");
    assert_eq!(run.code, 1);
    assert!(run.err.chars().count() <= LONGEST, "{}", run.err.chars().count());
    assert!(run.err.contains("class0 -> class1"), "{}", run.err);
    assert!(run.err.contains("19,989 more like these"), "{}", run.err);
    assert!(run.err.contains("class19998"), "{}", run.err);
    let value = scene.json("check cycle.rules --json");
    let error = &value["errors"][0];
    assert_eq!(error["places"].as_array().unwrap().len(), 12);
    assert_eq!(error["more_places"], 19_989);
    assert!(error.to_string().len() < 2 * LONGEST);
    for arguments in ["check names.rules", "check names.rules --json"] {
        let run = scene.run(arguments);
        assert_eq!(run.code, 1);
        let most = if arguments.ends_with("json") { 4 * 6 * LONGEST } else { 6 * LONGEST };
        assert!(run.err.len() + run.out.len() < most, "{}", run.err.len() + run.out.len());
    }
}

/// Labels are never taken for scores.
#[test]
fn an_archive_of_several_arrays_has_to_say_which_are_scores() {
    let scene = Scene::new(&[("a.rules", "a -> b\n"), ("names.txt", "a\nb\n")]);
    let array = |numbers: [f32; 2]| {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
        let header = format!("{header:<117}\n");
        let numbers = numbers.map(f32::to_le_bytes).concat();
        [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), &numbers].concat()
    };
    let (one, two) = (array([0.9, 0.2]), array([1.0, 0.0]));
    scene.write("both.npz", rulebound_testing::archive(&[("X.npy", &one), ("y.npy", &two)]));
    scene.write("named.npz", rulebound_testing::archive(&[("y.npy", &two), ("scores.npy", &one)]));
    let command = "apply --rules a.rules --labels names.txt --out out.csv";
    let run = scene.run(&format!("{command} --scores both.npz"));
    assert!(
        run.code == 1 && run.err.contains("no array named scores; there is X, y"),
        "{}",
        run.err
    );
    assert!(!scene.path("out.csv").exists());
    let run = scene.run(&format!("{command} --scores named.npz"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        scene.text("out.csv").lines().nth(1).unwrap(),
        "0.8999999761581421,0.8999999761581421"
    );
}

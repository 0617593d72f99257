//! Checkpoints with a state that no run can be in: an error, and the checkpoint is kept.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use rulebound::dataset::{Builtin, Dataset};
use rulebound::train::{Configuration, Method, Monitor, RunPaths, TrainError, Trainer};

use super::forge::Parts;
use super::same::StopAfter;
use super::scene::{bytes, early, problem, quick, run};

/// A run with two members that has a second phase.
fn configuration() -> Configuration {
    Configuration { members: 2, stopping: early(Monitor::Loss, true), ..quick(Method::Ccn) }
}

fn trainer<'a>(path: &Path, configuration: &Configuration) -> Trainer<'a> {
    let checkpoint = Some(path.to_owned());
    let paths = RunPaths { checkpoint, resume: true, ..RunPaths::default() };
    Trainer::new().configuration(configuration.clone()).paths(paths)
}

/// The checkpoint of a run that was stopped after this many steps.
fn stopped(data: &Dataset, configuration: &Configuration, steps: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let stop = AtomicBool::new(false);
    let observer = StopAfter { steps: AtomicUsize::new(steps), stop: &stop };
    let result = trainer(&path, configuration).observer(&observer).stop(&stop).fit(data);
    assert!(matches!(result, Err(TrainError::Stopped { .. })));
    std::fs::read(path).unwrap()
}

fn resumed(
    data: &Dataset,
    configuration: &Configuration,
    checkpoint: &[u8],
) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    std::fs::write(&path, checkpoint).unwrap();
    match trainer(&path, configuration).fit(data) {
        Ok(model) => Ok(bytes(&model)),
        Err(error) => {
            assert_eq!(std::fs::read(&path).unwrap(), checkpoint);
            Err(error.to_string())
        }
    }
}

/// Steps after which the run is in its second phase.
fn steps_to_the_second_phase(data: &Dataset, configuration: &Configuration) -> (usize, Vec<u8>) {
    let found = (20..).step_by(60).find_map(|steps| {
        let checkpoint = stopped(data, configuration, steps);
        let is_final = Parts::new(&checkpoint).text("phase") == "\"final\"";
        is_final.then_some((steps, checkpoint))
    });
    found.unwrap()
}

#[test]
fn what_a_checkpoint_says_is_checked_before_a_run_resumes() {
    let data = problem(Builtin::ThreeClasses);
    let configuration = configuration();
    let whole = bytes(&run(&data, &configuration).unwrap());
    let (_, second) = steps_to_the_second_phase(&data, &configuration);
    // On one thread the first member takes its steps before the second.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let first = alone.install(|| stopped(&data, &configuration, 130));
    for checkpoint in [&first, &second] {
        let parts = Parts::new(checkpoint);
        assert_eq!(parts.format, "rulebound checkpoint 3");
        assert!(resumed(&data, &configuration, &parts.file()) == Ok(whole.clone()));
    }
    let edited = |checkpoint: &[u8], section: &str, from: &str, to: &str| {
        let mut parts = Parts::new(checkpoint);
        parts.replace(section, from, to);
        resumed(&data, &configuration, &parts.file()).unwrap_err()
    };
    // Fewer results of the search than members: used to panic.
    let mut parts = Parts::new(&second);
    parts.set_text("searched", "[]");
    let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
    assert!(message.ends_with("its search found 0 epochs for 2 members"), "{message}");
    parts.set_text("searched", "null");
    let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
    assert!(message.ends_with("its phase does not occur in the run"), "{message}");

    let mut parts = Parts::new(&first);
    let members: Vec<serde_json::Value> = serde_json::from_str(&parts.text("members")).unwrap();
    let best = &members[0]["progress"]["best"];
    assert!(best.is_array(), "{members:?}");
    let best = format!("\"best\":{best}");
    for (section, from, to, expected) in [
        ("phase", "search", "final", "its phase does not occur in the run"),
        ("phase", "search", "third", "its `phase` cannot be read"),
        ("members", "\"seed\":7", "\"seed\":9", "member 0: its seed is not the one in the run"),
        ("members", "\"most\":8", "\"most\":9", "number of epochs is not the one in the run"),
        ("members", "\"epoch\":", "\"epoch\":9", "more epochs than the run"),
        ("members", "\"step\":", "\"step\":99999999999", "more steps than an epoch"),
        ("members", "\"total_steps\":", "\"total_steps\":9", "its steps and epochs do not match"),
        (
            "members",
            "\"has_best\":true",
            "\"has_best\":false",
            "best network and best epoch do not match",
        ),
        ("members", &best, "\"best\":[8,0.1]", "its best epoch is not one of its epochs"),
        ("members", &best, "\"best\":[0,0.1]", "its best epoch is not one of its epochs"),
        ("members", "\"is_done\":false", "\"is_done\":true", "whether it is done is wrong"),
        ("members", "\"seed\":7", "\"seed\":-7", "its `members` cannot be read"),
        ("configuration", "{", "[{", "its `configuration` cannot be read"),
    ] {
        let message = edited(&first, section, from, to);
        assert!(message.contains(expected), "{section}: {message}");
    }
    let mut parts = Parts::new(&first);
    parts.set_text("members", "[]");
    let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
    assert!(message.ends_with("it has 0 members, but the run has 2"), "{message}");
    let large = format!("[{}1]", "1,".repeat(600_000));
    parts.set_text("configuration", &large);
    let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
    assert!(message.contains("too large"), "{message}");
    parts.sections = parts.sections.replacen("network", "trees", 1);
    let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
    assert!(message.contains("newer version of rulebound (section `trees`"), "{message}");
}

/// An infinite loss is stored in a checkpoint like any other number.
#[test]
fn an_infinite_loss_survives_a_stop() {
    let data = problem(Builtin::ThreeClasses);
    let configuration = configuration();
    let mut parts = Parts::new(&stopped(&data, &configuration, 130));
    let members: Vec<serde_json::Value> = serde_json::from_str(&parts.text("members")).unwrap();
    let best = members[0]["progress"]["best"][1].to_string();
    parts.replace("members", &best, "\"inf\"");
    assert!(resumed(&data, &configuration, &parts.file()).is_ok());
}

/// Batches of 24 rows and more are trained by another arithmetic than smaller ones, which has a name.
#[test]
fn a_run_does_not_change_its_arithmetic() {
    let data = problem(Builtin::ThreeClasses);
    for (batch, named) in [(4, false), (23, false), (24, true), (50, true)] {
        let stopping = rulebound::train::Stopping::Epochs(2);
        let configuration = Configuration { batch, stopping, ..quick(Method::Ccn) };
        let checkpoint = stopped(&data, &configuration, 5);
        let mut parts = Parts::new(&checkpoint);
        assert_eq!(parts.sections.contains("kernels"), named, "{}", parts.sections);
        if !named {
            continue;
        }
        assert_eq!(parts.text("kernels"), "blocked products 1");
        parts.set_text("kernels", "blocked products 2");
        let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
        let expected = "was `blocked products 2`, now `blocked products 1`";
        assert!(message.contains(expected), "{message}");
        let mut parts = Parts::new(&checkpoint);
        parts.remove_section("kernels");
        let message = resumed(&data, &configuration, &parts.file()).unwrap_err();
        assert!(message.contains("was `fused steps`, now `blocked products 1`"), "{message}");
        assert!(message.contains("or remove the checkpoint"), "{message}");
    }
}

//! The same bits, however a run is interrupted, split and threaded.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rulebound::dataset::Builtin;
use rulebound::train::{
    Configuration, Method, Monitor, Observer, RunPaths, Stopping, TrainError, Trainer,
};
use rulebound_core::{Literal, Requirement};

use super::scene::{bytes, early, problem, quick, run};

#[test]
fn threads_change_nothing() {
    let data = problem(Builtin::NineRectangles);
    // Wide enough for several threads and shares, and a batch size above four.
    let configuration = Configuration {
        hidden: vec![300, 260],
        batch: 500,
        members: 2,
        stopping: Stopping::Epochs(2),
        ..quick(Method::Ccn)
    };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bytes(&run(&data, &configuration).unwrap()))
    };
    let one = with(1);
    assert!([2, 3, 8].into_iter().all(|threads| one == with(threads)));
}

#[test]
fn other_seeds_and_methods_change_something() {
    let data = problem(Builtin::Rectangles);
    let first = bytes(&run(&data, &quick(Method::Ccn)).unwrap());
    assert_eq!(first, bytes(&run(&data, &quick(Method::Ccn)).unwrap()));
    let seeded = Configuration { seed: 8, ..quick(Method::Ccn) };
    assert_ne!(first, bytes(&run(&data, &seeded).unwrap()));
    assert_ne!(first, bytes(&run(&data, &quick(Method::Post)).unwrap()));
}

#[test]
fn a_member_is_what_it_would_be_alone() {
    let data = problem(Builtin::ThreeClasses);
    for stopping in [Stopping::Epochs(3), early(Monitor::Auprc, true)] {
        let configuration = Configuration { members: 3, stopping, ..quick(Method::Ccn) };
        let together = run(&data, &configuration).unwrap();
        for (index, member) in together.members().iter().enumerate() {
            let seed = configuration.seed + index as u64;
            let alone = Configuration { members: 1, seed, ..configuration.clone() };
            let alone = run(&data, &alone).unwrap();
            assert_eq!(&alone.members()[0], member);
            assert_eq!(alone.training().members[0], together.training().members[index]);
        }
    }
}

/// Stops the run after this many more steps.
pub struct StopAfter<'a> {
    pub steps: AtomicUsize,
    pub stop: &'a AtomicBool,
}

impl Observer for StopAfter<'_> {
    fn examples(&self, _: usize) {
        if self.steps.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_is_stopped_and_resumed_ends_with_the_same_bits() {
    let data = problem(Builtin::ThreeClasses);
    let members = data.classes().ids().map(Literal::positive);
    let required = vec![Requirement::count([], 1, 2, members)];
    let program = data.program().clone().with_requirements(required, &[]).unwrap();
    let data = data.with_program(program).unwrap();
    for (stopping, members) in [
        (Stopping::Epochs(3), 1),
        (early(Monitor::Auprc, true), 1),
        (early(Monitor::Loss, false), 2),
        (early(Monitor::Loss, true), 2),
    ] {
        let configuration = Configuration { stopping, members, ..quick(Method::Ccn) };
        let whole = bytes(&run(&data, &configuration).unwrap());
        for every in [1, 17, 50, 101] {
            let folder = tempfile::tempdir().unwrap();
            let places = RunPaths {
                checkpoint: Some(folder.path().join("checkpoint")),
                resume: true,
                log: Some(folder.path().join("log")),
                checkpoint_interval: Duration::from_secs(1000),
                ..RunPaths::default()
            };
            let mut stops = 0;
            // One step at a time only for a while, else the test takes too long.
            let model = loop {
                let stop = AtomicBool::new(false);
                let steps = if stops > 25 { usize::MAX } else { every };
                let observer = StopAfter { steps: AtomicUsize::new(steps), stop: &stop };
                match Trainer::new()
                    .configuration(configuration.clone())
                    .paths(places.clone())
                    .observer(&observer)
                    .stop(&stop)
                    .fit(&data)
                {
                    Ok(model) => break model,
                    Err(TrainError::Stopped { checkpoint: Some(_) }) => stops += 1,
                    Err(error) => panic!("{error}"),
                }
            };
            assert!(stops > 0 && bytes(&model) == whole, "every {every} steps: {stops} stops");
            check_log(&folder.path().join("log"), &model);
        }
    }
}

/// Every epoch of every member occurs once, in order.
fn check_log(path: &std::path::Path, model: &rulebound::model::Model) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["event"], "start");
    assert_eq!(lines[0]["configuration"]["seed"], 7);
    assert_eq!(lines[lines.len() - 1]["event"], "finish");
    for seed in model.training().members.iter().map(|member| member.seed) {
        for phase in ["search", "final"] {
            let epochs: Vec<u64> = lines
                .iter()
                .filter(|l| l["event"] == "epoch" && l["phase"] == phase && l["seed"] == seed)
                .map(|line| line["epoch"].as_u64().unwrap())
                .collect();
            assert!(epochs.iter().copied().eq(1..=epochs.len() as u64), "{phase}: {epochs:?}");
        }
    }
}

#[test]
fn a_checkpoint_is_of_one_run_only() {
    let data = problem(Builtin::ThreeClasses);
    let configuration = quick(Method::Ccn);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let places =
        RunPaths { checkpoint: Some(path.clone()), resume: true, log: None, ..RunPaths::default() };
    let stop = AtomicBool::new(false);
    let observer = StopAfter { steps: AtomicUsize::new(5), stop: &stop };
    let stopped = Trainer::new()
        .configuration(configuration.clone())
        .paths(places.clone())
        .observer(&observer)
        .stop(&stop)
        .fit(&data);
    assert!(matches!(stopped, Err(TrainError::Stopped { .. })));

    let fresh = RunPaths { resume: false, ..places.clone() };
    let refused =
        Trainer::new().configuration(configuration.clone()).paths(fresh.clone()).fit(&data);
    assert!(matches!(refused, Err(TrainError::Unfinished { .. })));

    let other = Configuration { dropout: 0.3, ..configuration.clone() };
    let error =
        Trainer::new().configuration(other.clone()).paths(places.clone()).fit(&data).unwrap_err();
    assert!(error.to_string().contains("dropout was 0.2, now 0.3"), "{error}");

    let moved = Builtin::ThreeClasses.generate(rulebound::dataset::Step::INSIDE, 3).unwrap();
    let error = Trainer::new()
        .configuration(configuration.clone())
        .paths(places.clone())
        .fit(&moved)
        .unwrap_err();
    assert!(error.to_string().contains("data or the rules have changed"), "{error}");

    let mut damaged = std::fs::read(&path).unwrap();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = Trainer::new()
        .configuration(configuration.clone())
        .paths(places.clone())
        .fit(&data)
        .unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

//! Members that were trained alone become the ensemble of one run.

use rulebound::dataset::Builtin;
use rulebound::model::{MergeError, Model};
use rulebound::train::{Configuration, Method, Monitor, Stopping};
use rulebound_core::Thresholds;

use super::scene::{bytes, early, problem, quick, run};

fn trained(configuration: &Configuration) -> Model {
    run(&problem(Builtin::ThreeClasses), configuration).unwrap()
}

fn with_seed(configuration: &Configuration, seed: u64) -> (String, Model) {
    let configuration = Configuration { seed, ..configuration.clone() };
    (format!("seed{seed}"), trained(&configuration))
}

#[test]
fn members_trained_alone_are_the_ensemble_of_one_run_bit_for_bit() {
    let settings = [
        quick(Method::Ccn),
        Configuration { stopping: early(Monitor::Loss, true), ..quick(Method::Ccn) },
        Configuration { stopping: early(Monitor::Loss, false), ..quick(Method::Post) },
    ];
    for configuration in settings {
        let together = trained(&Configuration { members: 3, ..configuration.clone() });
        // In any order, and with two of them merged before.
        let [a, b, c] = [7, 8, 9].map(|seed| with_seed(&configuration, seed));
        let merged = Model::merge(vec![c.clone(), a.clone(), b.clone()]).unwrap();
        assert!(merged.notes.is_empty(), "{:?}", merged.notes);
        assert_eq!(bytes(&merged.model), bytes(&together));
        let two = Model::merge(vec![c, b]).unwrap().model;
        let three = Model::merge(vec![("two".to_owned(), two), a]).unwrap().model;
        assert_eq!(bytes(&three), bytes(&together));
    }
}

#[test]
fn each_member_may_have_its_own_number_of_epochs() {
    let of_each = |epochs: &[usize]| Configuration {
        stopping: Stopping::EpochsOfEach(epochs.to_vec()),
        members: epochs.len(),
        ..quick(Method::Ccn)
    };
    let together = trained(&of_each(&[2, 5]));
    let merged =
        Model::merge(vec![with_seed(&of_each(&[5]), 8), with_seed(&of_each(&[2]), 7)]).unwrap();
    assert_eq!(bytes(&merged.model), bytes(&together));
}

#[test]
fn all_differences_are_reported_with_both_values_and_files() {
    let configuration = quick(Method::Ccn);
    let (name, first) = with_seed(&configuration, 7);
    let other = Configuration { learning_rate: 0.5, hidden: vec![4], ..configuration.clone() };
    let (other_name, other) = with_seed(&other, 8);
    let other = other.with_thresholds(Thresholds::new(vec![0.5, 0.25, 0.1]).unwrap());
    let error = Model::merge(vec![(name.clone(), first.clone()), (other_name, other)]).unwrap_err();
    let MergeError::Differences(differences) = error else { unreachable!("{error}") };
    let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].starts_with("threshold of `"), "{texts:?}");
    assert!(texts[0].ends_with("(and of 1 more classes): 0.5 in seed7, but 0.25 in seed8"));
    assert_eq!(texts[1], "setting `hidden`: [12,9] in seed7, but [4] in seed8");
    assert_eq!(texts[2], "setting `learning_rate`: 0.005 in seed7, but 0.5 in seed8");

    // Other data: classes, rules, columns and rows differ, as far as they can be compared.
    let data = problem(Builtin::Rectangles);
    let elsewhere = run(&data, &Configuration { seed: 9, ..configuration.clone() }).unwrap();
    let error =
        Model::merge(vec![(name.clone(), first.clone()), ("b".to_owned(), elsewhere)]).unwrap_err();
    let text = error.to_string();
    for what in ["number of classes: ", "class 1: `"] {
        assert!(text.contains(what), "{what}: {text}");
    }

    let again = Model::merge(vec![(name.clone(), first.clone()), ("copy".to_owned(), first)]);
    let message = "the same seed occurs twice: seed 7 is in seed7 and in copy";
    assert_eq!(again.unwrap_err().to_string(), message);
    let one = Model::merge(vec![with_seed(&configuration, 7)]).unwrap_err();
    assert_eq!(one, MergeError::TooFew(1));
}

#[test]
fn what_does_not_matter_is_said() {
    let configuration = quick(Method::Ccn);
    let (a, b) = (with_seed(&configuration, 3), with_seed(&configuration, 5));
    let merged = Model::merge(vec![b, a]).unwrap();
    assert_eq!(merged.notes.len(), 1);
    assert!(merged.notes[0].starts_with("the seeds 3, 5 do not follow each other"));
    let seeds: Vec<u64> = merged.model.training().members.iter().map(|one| one.seed).collect();
    assert_eq!((seeds, merged.model.configuration().members), (vec![3, 5], 2));
}

#[test]
fn other_methods_have_no_members() {
    let configuration = quick(Method::PRIOR);
    let models = vec![with_seed(&configuration, 3), with_seed(&configuration, 4)];
    let error = Model::merge(models).unwrap_err();
    assert!(error.to_string().starts_with("seed3 is of method `prior`; only networks"), "{error}");
}

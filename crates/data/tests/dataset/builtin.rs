//! The built-in problems: the paper's geometry, rules that hold, reproducible by seed.

use rulebound_data::dataset::{Builtin, ReadOptions, Source, Split, Step, Summary};

use crate::scene::{labels, rules};

#[test]
fn every_problem_is_coherent_and_half_train_half_test() {
    for problem in Builtin::ALL {
        for step in (1..=9).map(|step| Step::new(step).unwrap()) {
            let data = problem.generate(step, 3).unwrap();
            let summary = Summary::new(&data);
            assert_eq!(summary.rows[&Split::Train], 2500);
            assert_eq!(summary.rows[&Split::Test], 2500);
            assert_eq!(summary.incoherent_rows[&Split::Train], 0);
            assert_eq!(summary.incoherent_rows[&Split::Test], 0);
            assert_eq!(summary.never_positive[&Split::Train], [""; 0]);
        }
    }
}

#[test]
fn the_rules_are_the_papers() {
    let of = |problem: Builtin| rules(&problem.generate(Step::HALFWAY, 0).unwrap());
    assert_eq!(of(Builtin::Rectangles), ["A1 -> A"]);
    assert_eq!(of(Builtin::ThreeClasses), ["A1 -> A", "A2 -> A", "A, not A1 -> A2"]);
    let nine = of(Builtin::NineRectangles);
    assert_eq!(nine.len(), 14);
    assert!(nine.contains(&"A7 -> A5".to_owned()) && nine.contains(&"A3 -> A9".to_owned()));
}

#[test]
fn points_are_labelled_by_where_they_lie() {
    let data = Builtin::NineRectangles.generate(Step::INSIDE, 11).unwrap();
    let mut met = std::collections::HashSet::new();
    for row in 0..data.rows() {
        let [x, y] = data.features(row).to_vec()[..] else { panic!() };
        let third = |v: f32| match v {
            v if (0.1..0.4).contains(&v) => Some(0),
            v if (0.45..0.55).contains(&v) => Some(1),
            v if (0.6..0.9).contains(&v) => Some(2),
            _ => None,
        };
        // The paper counts from the top left.
        let rectangle =
            third(x).zip(third(y)).map(|(column, from_below)| (2 - from_below) * 3 + column + 1);
        let expected: Vec<String> = match rectangle {
            None => vec![],
            Some(3) => (1..=9).map(|class| format!("A{class}")).collect(),
            Some(5) => vec!["A5".into()],
            Some(class) => {
                let mut both = [class, 5];
                both.sort();
                both.map(|class| format!("A{class}")).to_vec()
            }
        };
        assert_eq!(labels(&data, row), expected, "{x} {y}");
        met.insert(rectangle);
    }
    assert_eq!(met.len(), 10);
}

#[test]
fn arrangements_differ_in_where_r1_is() {
    let both = |step| {
        let data = Builtin::ThreeClasses.generate(step, 5).unwrap();
        let count =
            |name: &str| (0..5000).filter(|&row| labels(&data, row).contains(&name)).count();
        (count("A"), count("A1"), count("A2"))
    };
    let (outside, halfway, inside) = (both(Step::OUTSIDE), both(Step::HALFWAY), both(Step::INSIDE));
    // When they are apart, A is as large as both together; when R1 is inside, as large as R2.
    assert_eq!(outside.0, outside.1 + outside.2);
    assert!(outside.0 > halfway.0 && halfway.0 > inside.0);
    assert!(inside.2 < outside.2, "R2 without R1 loses what R1 covers");
}

#[test]
fn only_the_seed_changes_the_points() {
    let read = |seed, name: &str| {
        let options = ReadOptions { seed, ..ReadOptions::default() };
        name.parse::<Source>().unwrap().read(&options).unwrap()
    };
    assert!(read(1, "rectangles") == read(1, "rectangles"));
    assert!(read(1, "rectangles") != read(2, "rectangles"));
    assert_eq!(read(1, "rectangles").features(17), read(1, "three-classes").features(17));
    // The mean of 10 000 uniform numbers is within 5 standard deviations of a half.
    let data = read(9, "rectangles");
    let sum: f64 = (0..5000).flat_map(|row| data.features(row)).map(|&v| f64::from(v)).sum();
    assert!((sum / 10_000.0 - 0.5).abs() < 5.0 * (1.0 / 12.0 / 10_000.0f64).sqrt());
}

#[test]
fn names_are_sources() {
    assert!(matches!("nine-rectangles".parse(), Ok(Source::Builtin(Builtin::NineRectangles))));
    assert!(matches!("./rectangles".parse(), Ok(Source::Path(_))));
    assert!(matches!("genes.csv".parse(), Ok(Source::Path(_))));
}

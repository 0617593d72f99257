//! Splitting: shares, columns, groups and folds, against their definitions.

use std::collections::HashMap;

use proptest::prelude::*;
use rulebound_core::{LabelId, Labels, Program};
use rulebound_data::dataset::{
    Column, Dataset, DatasetBuilder, DatasetError, Folds, LabelColumns, ReadOptions, Split,
    SplitError, SplitRecipe,
};

use crate::scene::Scene;

/// Rows numbered by their only feature; the classes of each, and a group.
fn numbered(rows: &[(Vec<bool>, u8)]) -> Dataset {
    let classes = rows.first().map_or(0, |(labels, _)| labels.len());
    let names = (0..classes).map(|class| format!("c{class}"));
    let columns = vec![Column::numeric("row")];
    let mut builder =
        DatasetBuilder::new("numbered", columns, vec!["group".into()], classes).unwrap();
    for (number, (labels, group)) in rows.iter().enumerate() {
        let row = builder.push(&[number as f32], &[Some(&format!("g{group}"))]).unwrap();
        for class in (0..classes).filter(|&class| labels[class]) {
            builder.labels_mut().insert(row, LabelId::new(class));
        }
    }
    builder.finish(Program::new(Labels::new(names).unwrap(), vec![]).unwrap()).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<(Vec<bool>, u8)>> {
    let row = (proptest::collection::vec(any::<bool>(), 4), 0..12u8);
    proptest::collection::vec(row, 20..120)
}

/// The original numbers of the rows of a split, in order.
fn numbers(data: &Dataset, split: Split) -> Vec<usize> {
    data.split(split).unwrap_or_default().map(|row| data.features(row)[0] as usize).collect()
}

proptest! {
    #[test]
    fn every_row_is_in_exactly_one_split_of_the_requested_size(
        rows in rows(), seed in 0..50u64, stratify in any::<bool>(),
    ) {
        let data = numbered(&rows);
        let (test_share, valid_share) = (Some(0.25), Some(0.1));
        let recipe = SplitRecipe { test_share, valid_share, stratify, seed, ..Default::default() };
        let split = recipe.apply(data.clone()).unwrap();
        let size = |share: f64| (rows.len() as f64 * share).round() as usize;
        prop_assert_eq!(numbers(&split, Split::Test).len(), size(0.25));
        prop_assert_eq!(numbers(&split, Split::Valid).len(), size(0.1));
        let mut all: Vec<usize> = Vec::new();
        for part in Split::ALL {
            let part = numbers(&split, part);
            prop_assert!(part.is_sorted(), "rows keep their order");
            all.extend(part);
        }
        for row in 0..split.rows() {
            let number = split.features(row)[0] as usize;
            prop_assert_eq!(split.labels().row(row), data.labels().row(number));
            prop_assert_eq!(&split.identifiers()[0].values[row], &data.identifiers()[0].values[number]);
        }
        all.sort_unstable();
        prop_assert_eq!(all, (0..rows.len()).collect::<Vec<_>>());
        prop_assert!(recipe.apply(data).unwrap() == split, "the same seed gives the same splits");
    }

    #[test]
    fn a_group_is_never_torn_apart(rows in rows(), seed in 0..50u64, folds in 2..5usize) {
        let data = numbered(&rows);
        let group_column = Some("group".to_owned());
        let recipe = SplitRecipe { test_share: Some(0.3), group_column, seed, ..Default::default() };
        let Ok(splits) = recipe.assign(&data) else { return Ok(()) };
        let mut split_of: HashMap<u8, Split> = HashMap::new();
        for ((_, group), split) in rows.iter().zip(splits) {
            prop_assert_eq!(*split_of.entry(*group).or_insert(split), split);
        }
        let Ok(folds) = Folds::deal(&data, folds, &recipe) else { return Ok(()) };
        let mut fold_of: HashMap<u8, Option<usize>> = HashMap::new();
        for (row, (_, group)) in rows.iter().enumerate() {
            let fold = folds.fold_of(row);
            prop_assert_eq!(*fold_of.entry(*group).or_insert(fold), fold);
        }
    }

    #[test]
    fn folds_have_equal_sizes_and_cover_every_row_once(rows in rows(), count in 2..6usize) {
        let data = numbered(&rows);
        let folds = Folds::deal(&data, count, &SplitRecipe::default()).unwrap();
        let mut met = vec![0; rows.len()];
        for fold in 0..count {
            let size = folds.rows(fold).count();
            prop_assert!(size == rows.len() / count || size == rows.len().div_ceil(count));
            folds.rows(fold).for_each(|row| met[row] += 1);
            let part = folds.data(&data, fold).unwrap();
            prop_assert_eq!(numbers(&part, Split::Test), folds.rows(fold).collect::<Vec<_>>());
            prop_assert_eq!(part.rows(), rows.len());
        }
        prop_assert!(met.iter().all(|&times| times == 1));
    }
}

/// What stratification is for: the share of each class in each part is that of the whole.
#[test]
fn classes_are_spread_evenly() {
    let rows: Vec<(Vec<bool>, u8)> = (0..400)
        .map(|row| (vec![row % 2 == 0, row % 10 == 3, row % 50 == 7, row % 40 < 3], 0))
        .collect();
    let data = numbered(&rows);
    let positives = |rows: &[usize], class: usize| {
        rows.iter().filter(|&&row| data.labels().contains(row, LabelId::new(class))).count()
    };
    for seed in 0..20 {
        let recipe = SplitRecipe { test_share: Some(0.25), seed, ..Default::default() };
        let split = recipe.apply(data.clone()).unwrap();
        let test = numbers(&split, Split::Test);
        for (class, whole) in [(0, 200.0), (1, 40.0), (2, 8.0), (3, 30.0)] {
            let found = positives(&test, class) as f64;
            assert!((found - whole / 4.0).abs() <= 1.0, "seed {seed}, class {class}: {found}");
        }
        let folds = Folds::deal(&data, 4, &recipe).unwrap();
        for fold in 0..4 {
            let rows: Vec<usize> = folds.rows(fold).collect();
            assert_eq!(positives(&rows, 2), 2, "seed {seed}, fold {fold}");
        }
    }
    let split = |seed: u64| {
        let recipe = SplitRecipe { test_share: Some(0.25), seed, ..Default::default() };
        numbers(&recipe.apply(data.clone()).unwrap(), Split::Test)
    };
    assert_ne!(split(1), split(2));
}

const TABLE: &str = "who,part,x,a,b\np,train,1,1,0\np,train,2,0,1\nq,test,3,1,0\nr,dev,4,1,1\n";

fn options(splitting: SplitRecipe) -> ReadOptions {
    ReadOptions { labels: Some(LabelColumns::Last(2)), splitting, ..ReadOptions::default() }
}

fn refusal(table: &str, splitting: SplitRecipe) -> SplitError {
    let scene = Scene::new();
    scene.write("t.csv", table);
    match scene.read_file("t.csv", &options(splitting)).unwrap_err() {
        DatasetError::Split(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn a_column_names_the_splits() {
    let scene = Scene::new();
    scene.write("t.csv", TABLE);
    let recipe = SplitRecipe { split_column: Some("part".into()), ..Default::default() };
    let data = scene.read_file("t.csv", &options(recipe.clone())).unwrap();
    let cells =
        |split| data.split(split).unwrap().map(|row| data.features(row)[1]).collect::<Vec<_>>();
    assert_eq!(cells(Split::Train), [1.0, 2.0]);
    assert_eq!(cells(Split::Valid), [4.0]);
    assert_eq!(cells(Split::Test), [3.0]);
    assert!(data.identifiers().is_empty(), "the column is neither a feature nor an identifier");
    assert_eq!(data.columns().len(), 2);

    let wrong = TABLE.replace("r,dev", "r,later");
    let error = refusal(&wrong, recipe.clone());
    assert_eq!(
        error.to_string(),
        "row 4: `later` in the column `part` is not a split (train, valid or test)"
    );
    let valid = SplitRecipe { valid_share: Some(0.5), ..recipe };
    assert_eq!(
        refusal(TABLE, valid).to_string(),
        "`t` already has 1 valid rows, so no valid share can be drawn"
    );
}

#[test]
fn shares_must_make_sense() {
    let share =
        |test, valid| SplitRecipe { test_share: test, valid_share: valid, ..Default::default() };
    for (recipe, text) in [
        (share(Some(1.0), None), "the test share is 1; it must be above 0 and below 1"),
        (share(None, Some(f64::NAN)), "the valid share is NaN; it must be above 0 and below 1"),
        (
            share(Some(0.5), Some(0.5)),
            "the test and validation shares add up to 1; they must leave training rows",
        ),
        (
            share(Some(0.45), Some(0.45)),
            "4 rows cannot be divided into 3 parts of the requested sizes",
        ),
    ] {
        assert_eq!(refusal(TABLE, recipe).to_string(), text);
    }
    let groups = SplitRecipe { group_column: Some("who".into()), ..share(Some(0.3), Some(0.3)) };
    assert_eq!(
        refusal(&TABLE.replace('r', "q"), groups).to_string(),
        "2 groups cannot be divided into 3 parts of the requested sizes"
    );
    let data = numbered(&[(vec![true], 0), (vec![false], 0)]);
    let folds = |count| Folds::deal(&data, count, &SplitRecipe::default()).unwrap_err().to_string();
    assert_eq!(folds(1), "1 folds: there must be at least 2 and at most 1000");
    assert_eq!(folds(3), "2 rows cannot be divided into 3 parts of the requested sizes");
}

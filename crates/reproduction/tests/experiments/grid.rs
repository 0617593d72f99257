//! The paper's grids of hyperparameters.

use rulebound::dataset::Dataset;
use rulebound::dataset::ReadOptions;
use rulebound::tune::Point;
use rulebound_reproduction::{CATALOGUE, DataSource, hierarchy_grid, paper_grid, rules_grid};

/// By hand: 8 + 8 sizes, 3 rates, 2 dropouts, 2 decays, 3 batches; 10 + 8 sizes and three of each.
#[test]
fn the_grids_of_the_paper() {
    let (hierarchy, rules) = (hierarchy_grid(), rules_grid());
    assert_eq!(hierarchy.points().unwrap().len(), 16 * 3 * 2 * 2 * 3);
    assert_eq!(rules.points().unwrap().len(), 18 * 3 * 3 * 3 * 3);
    assert_eq!(hierarchy.hidden[..9], [250, 500, 750, 1000, 1250, 1500, 1750, 2000, 3000]);
    assert_eq!(hierarchy.hidden.last(), Some(&10_000));
    assert_eq!(rules.hidden[8..12], [900, 1000, 1500, 2000]);
    assert_eq!(rules.hidden.last(), Some(&5000));
    // The paper's choices are on its own grid.
    for entry in &CATALOGUE {
        let grid = paper_grid(&DataSource::Catalogue(entry), data("rectangles").program());
        let chosen = entry.hyperparameters;
        let is_chosen = |point: &Point| {
            point.hidden == chosen.hidden
                && point.learning_rate == chosen.learning_rate
                && point.dropout == chosen.dropout
                && point.weight_decay == chosen.weight_decay
                && point.batch == chosen.batch
        };
        assert_eq!(grid.points().unwrap().iter().filter(|p| is_chosen(p)).count(), 1, "{entry:?}");
    }
}

#[test]
fn other_data_gets_a_grid_by_its_rules() {
    let read = |name: &str| {
        let source: DataSource = name.parse().unwrap();
        let data = source.read(&ReadOptions::default(), None).unwrap();
        (paper_grid(&source, data.program()), data.program().is_hierarchy())
    };
    let (rectangles, three) = (read("rectangles"), read("three-classes"));
    assert_eq!(rectangles, (hierarchy_grid(), true));
    assert_eq!(three, (rules_grid(), false));
}

fn data(name: &str) -> Dataset {
    let source: DataSource = name.parse().unwrap();
    source.read(&ReadOptions::default(), None).unwrap()
}

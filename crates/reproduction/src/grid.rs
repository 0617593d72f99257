//! The paper's grids of hyperparameters.

use rulebound::dataset::Source;
use rulebound::tune::Grid;
use rulebound_core::Program;

use crate::catalogue::Collection;
use crate::source::DataSource;

/// The paper's grid for hierarchies: 576 points.
pub fn hierarchy_grid() -> Grid {
    Grid {
        hidden: steps(250, 2000, 250).chain(steps(3000, 10_000, 1000)).collect(),
        learning_rates: vec![1e-3, 1e-4, 1e-5],
        dropouts: vec![0.6, 0.7],
        weight_decays: vec![1e-3, 1e-5],
        batches: vec![4, 64, 256],
    }
}

/// The paper's grid for general rules: 1458 points.
pub fn rules_grid() -> Grid {
    Grid {
        hidden: steps(100, 1000, 100).chain(steps(1500, 5000, 500)).collect(),
        learning_rates: vec![1e-3, 1e-4, 1e-5],
        dropouts: vec![0.6, 0.7, 0.8],
        weight_decays: vec![1e-3, 1e-4, 1e-5],
        batches: vec![4, 64, 256],
    }
}

/// The grid that the paper would use: the published one for its data sets, else by the kind of
/// rules.
pub fn paper_grid(source: &DataSource, program: &Program) -> Grid {
    let hierarchy = match source {
        DataSource::Catalogue(entry) => entry.collection == Collection::Hmc,
        DataSource::Other(Source::Builtin(_) | Source::Path(_)) => program.is_hierarchy(),
    };
    if hierarchy { hierarchy_grid() } else { rules_grid() }
}

fn steps(from: usize, to: usize, step: usize) -> impl Iterator<Item = usize> {
    (from..=to).step_by(step)
}

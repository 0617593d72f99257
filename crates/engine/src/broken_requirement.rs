//! How often a requirement is broken, with its line.

use rulebound_core::{Program, RequirementId, broken_requirements};
use serde::Serialize;

/// How often a requirement is broken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BrokenRequirement {
    /// The requirement as text.
    pub requirement: String,
    /// Its line in the file; 0 if it was not read from one.
    pub line: u32,
    /// How many rows break it.
    pub rows: u64,
}

impl BrokenRequirement {
    /// One for each requirement of a program, in order, broken in no row yet.
    pub fn none(program: &Program) -> Vec<Self> {
        let one = |id: RequirementId| Self {
            requirement: program.requirement(id).display(program.labels()).to_string(),
            line: program.requirement_span(id).line,
            rows: 0,
        };
        program.requirement_ids().map(one).collect()
    }

    /// The requirements that predictions, row-major `[rows × classes]`, break, in order.
    ///
    /// ```
    /// use rulebound::broken_requirement::BrokenRequirement;
    /// use rulebound::core::Program;
    /// let program: Program = "exclusive(red, green)\nred | green".parse()?;
    /// let broken = BrokenRequirement::count(&program, &[true, true, true, false]);
    /// assert_eq!((broken.len(), broken[0].line, broken[0].rows), (1, 1, 1));
    /// # Ok::<(), rulebound::core::RuleErrors>(())
    /// ```
    pub fn count(program: &Program, predicted: &[bool]) -> Vec<Self> {
        let mut all = Self::none(program);
        for (_, id) in broken_requirements(program, predicted) {
            all[id.index()].rows += 1;
        }
        all.retain(|one| one.rows > 0);
        all
    }
}

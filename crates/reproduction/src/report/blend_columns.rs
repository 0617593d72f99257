//! Columns that say of a blend what it consists of.

use super::document::{Cell, Column, Table};
use super::evidence::Evidence;
use super::number::fixed;
use crate::reproduce::{Plan, PlanRequest, Subject, System, Target};

/// The text above a table of blends.
pub(super) const EXPLAINED: &str = "A blend is one model: the weighted mean of the probabilities of its learners, each made \
     coherent, with the constraint layer last. Its weights were chosen on rows that are not test \
     rows, with learners that were not fitted on them; then every learner was fitted on all rows that are \
     not test rows. `±` is the standard deviation of ten blends that each leave out one network of each kind \
     and grow the forest with another seed.";

/// Adds the weights of the learners to the rows of a table: one column per method of any blend.
pub(super) fn add_weights(
    table: &mut Table,
    evidence: &Evidence<'_>,
    target: Target,
    subjects: &[Subject],
) {
    let request =
        PlanRequest { targets: vec![target], sets: Vec::new(), ..evidence.request.clone() };
    let batches = Plan::new(&request).map(|plan| plan.batches).unwrap_or_default();
    let mut methods = Vec::new();
    for learner in batches.iter().flat_map(|batch| batch.learners()) {
        if !methods.contains(&learner.method) {
            methods.push(learner.method);
        }
    }
    let name = |method| Column { name: format!("weight of {method}"), is_number: true };
    table.columns.extend(methods.iter().map(name));
    for (row, subject) in table.rows.iter_mut().zip(subjects) {
        let batch = batches.iter().find(|batch| batch.subject == *subject);
        let known = evidence.ensemble(*subject, System::Blend);
        let known = known.or_else(|| evidence.rows(*subject, System::Blend).first());
        let weights = known.and_then(|row| row.facts.as_ref()).map(|facts| &facts.weights[..]);
        for method in &methods {
            let place = batch
                .and_then(|batch| batch.learners().position(|learner| learner.method == *method));
            let weight = place.zip(weights).and_then(|(place, weights)| weights.get(place));
            row.push(
                weight
                    .map_or_else(Cell::none, |&weight| Cell::with_value(weight, fixed(weight, 2))),
            );
        }
    }
}

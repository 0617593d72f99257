//! Requirements without hidden classes: one that has no rules never holds.

use super::Program;
use super::hide::{HidingError, moved};
use crate::label::LabelId;
use crate::requirement::{Claim, Requirement};
use crate::rule::Literal;

impl Program {
    /// The requirements of this program, in which hidden classes do not hold, with `program`, which is
    /// this one without them.
    pub(super) fn hide_in_requirements(
        &self,
        program: Self,
        visible: &[bool],
        new: &[LabelId],
    ) -> Result<Self, HidingError> {
        let is_hidden = |literal: &Literal| !visible[literal.label().index()];
        let name = |literal: &Literal| self.labels.name(literal.label()).to_owned();
        let mut first_hidden = None;
        let (mut requirements, mut spans) = (Vec::new(), Vec::new());
        for id in self.requirement_ids() {
            let one = self.requirement(id);
            let hidden: Vec<Literal> = one.literals().filter(is_hidden).collect();
            if let Some(derived) = hidden.iter().find(|one| !self.rules_of(one.label()).is_empty())
            {
                let requirement = one.display(&self.labels).to_string();
                return Err(HidingError::Required { class: name(derived), requirement });
            }
            first_hidden = first_hidden.or(hidden.first().map(name));
            // A guard that never holds asks for nothing, and one that holds is left out.
            if one.guard().iter().any(|literal| is_hidden(literal) && !literal.is_negated()) {
                continue;
            }
            let left = |literals: &[Literal]| -> Vec<Literal> {
                let left = literals.iter().filter(|literal| !is_hidden(literal));
                left.map(|&literal| moved(literal, new)).collect()
            };
            let held = |literal: &&Literal| is_hidden(literal) && literal.is_negated();
            let held = one.members().iter().filter(held).count() as u32;
            let (guard, members) = (left(one.guard()), left(one.members()));
            let size = members.len() as u32;
            requirements.push(match one.claim() {
                Claim::Any(_) if held > 0 => continue,
                Claim::Any(_) => Requirement::any(guard, members),
                Claim::Count { most, .. } if *most < held => Requirement::any(guard, []),
                Claim::Count { least, most, .. } => {
                    let (least, most) = (least.saturating_sub(held), most - held);
                    if least == 0 && most >= size {
                        continue;
                    }
                    Requirement::count(guard, least, most, members)
                }
            });
            spans.push(self.requirement_span(id));
        }
        let preferred = self.preferred().iter().filter(|id| visible[id.index()]);
        let preferred: Vec<LabelId> = preferred.map(|id| new[id.index()]).collect();
        let class = first_hidden.unwrap_or_default();
        program
            .with_settle_limit(self.settle_limit())
            .with_written_requirements(requirements, spans, &preferred)
            .map_err(|problem| HidingError::Unsatisfiable { class, problem })
    }
}

//! How every class of one row got its side: the trail, read aloud.

use super::knowledge::Source;
use super::trail::{HOLDS, Reason};
use super::{Question, SettleSpace, Settler, Stopped, Switches, Unsettled};
use crate::label::LabelId;
use crate::margin::Margin;
use crate::requirement::{Requirement, RequirementId};
use crate::rule::{Literal, Rule, RuleId};
use std::cell::LazyCell;

/// What gave a class its side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettledBy {
    /// Nothing surer decides it: it keeps the side it had.
    Own,
    /// These rules and requirements, of which there is more than one only where what follows from
    /// them together decided: each of them is needed, as far as that was found within the limit.
    Lines {
        /// The rules.
        rules: Vec<RuleId>,
        /// The requirements.
        requirements: Vec<RequirementId>,
    },
    /// Its other side contradicts surer classes; from which lines that follows was not found within the
    /// limit.
    Clash,
}

/// How one class was settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settled {
    /// Its side.
    pub predicted: bool,
    /// Whether the model, after the rules, was on the other side.
    pub is_overruled: bool,
    /// What gave it its side.
    pub by: SettledBy,
    /// The literals, settled before it, from which that follows.
    pub because: Vec<Literal>,
    /// The assumption at whose strength it was settled: its own literal, or a surer one; `None` if it
    /// follows from nothing.
    pub decider: Option<Literal>,
}

/// How the classes of one row were settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    classes: Vec<Settled>,
}

impl Settlement {
    /// How a class was settled.
    pub fn of(&self, label: LabelId) -> &Settled {
        &self.classes[label.index()]
    }
}

impl Settler {
    /// How a row of margins that satisfy the rules is settled, given the rules and requirements it was
    /// compiled from.
    pub fn settlement<F: Margin>(
        &self,
        before: &[F],
        rules: &[Rule],
        requirements: &[Requirement],
        space: &mut SettleSpace,
    ) -> Result<Settlement, Unsettled> {
        self.search(before, space)?;
        let switches = LazyCell::new(|| Switches::new(before.len(), rules, requirements, &[]));
        let mut question: Option<Question<'_>> = None;
        let sources = (rules.len() + requirements.len()) as Source;
        let rules = rules.len();
        let mut classes = Vec::with_capacity(before.len());
        for (class, value) in before.iter().enumerate() {
            let search = &mut space.search;
            let predicted = search.trail.holds[2 * class] == HOLDS;
            let literal = (class as u32) << 1 | u32::from(!predicted);
            let by = match search.trail.reason[class] {
                Reason::Assumed => SettledBy::Own,
                Reason::Clash { .. } => SettledBy::Clash,
                Reason::Unit(source) | Reason::Implied { source, .. } => self.lines(source, rules),
                Reason::Clause(clause) => {
                    self.lines(self.knowledge.clause_sources[clause as usize], rules)
                }
                Reason::Group { group, .. } => {
                    self.lines(self.knowledge.groups[group as usize].source, rules)
                }
            };
            let because = match by {
                SettledBy::Own => Vec::new(),
                _ => search.trail.antecedents(&self.knowledge, literal),
            };
            let by = match by {
                // The trail knows what the other side contradicts, and not by which lines.
                SettledBy::Clash => {
                    let question = question.get_or_insert_with(|| {
                        let mut question = switches.question();
                        question.allow(self.limit());
                        question
                    });
                    let mut assumed = because.clone();
                    assumed.push(literal ^ 1);
                    match question.why(0..sources, &assumed) {
                        Ok(Some(clash)) => self.lines_of(&clash.sources, rules),
                        Ok(None) | Err(Stopped) => SettledBy::Clash,
                    }
                }
                by => by,
            };
            let level = search.trail.level[class] as usize;
            let decider = level.checked_sub(1).map(|at| search.assumptions[at].literal);
            classes.push(Settled {
                predicted,
                is_overruled: predicted != value.is_predicted(),
                by,
                because: because.into_iter().map(Literal::from_code).collect(),
                decider: decider.map(Literal::from_code),
            });
        }
        Ok(Settlement { classes })
    }

    fn lines(&self, source: Source, rules: usize) -> SettledBy {
        self.lines_of(&self.derived.written_of(source), rules)
    }

    fn lines_of(&self, sources: &[Source], rules: usize) -> SettledBy {
        let (mut of_rules, mut requirements) = (Vec::new(), Vec::new());
        for &source in sources {
            match (source as usize).checked_sub(rules) {
                Some(requirement) => requirements.push(RequirementId::new(requirement)),
                None => of_rules.push(RuleId::new(source as usize)),
            }
        }
        SettledBy::Lines { rules: of_rules, requirements }
    }
}

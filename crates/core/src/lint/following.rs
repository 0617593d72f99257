//! Which requirements follow from the others together.
//!
//! A requirement follows if every way of breaking it contradicts the others: a question to a solver, which
//! keeps what it learns from one requirement for the next.

use crate::program::Program;
use crate::requirement::RequirementId;
use crate::rule::RuleId;
use crate::settle::{Broken, Question, SettleLimit, Source, Stopped, Switches, broken_ways};

/// All questions together may spend so many times the limit of one.
const QUESTIONS: u64 = 10;

/// The ways in which each requirement can be broken, to be asked about.
pub(super) struct Following {
    switches: Switches,
    /// Of each requirement: literals that hold where it is broken in one way.
    ways: Vec<Vec<Vec<u32>>>,
}

/// Rules and requirements.
pub(super) type Lines = (Vec<RuleId>, Vec<RequirementId>);

/// The questions asked so far.
pub(super) struct Asked<'a> {
    following: &'a Following,
    question: Question<'a>,
    left: u64,
    limit: SettleLimit,
}

impl Following {
    /// Of the requirements of a program.
    pub fn new(program: &Program) -> Self {
        let mut counts = Vec::new();
        let mut ways: Vec<Vec<(Vec<u32>, Option<usize>)>> = Vec::new();
        for requirement in program.requirements() {
            let of_way = |Broken { literals, count }: Broken| {
                let at = count.map(|count| {
                    counts.push(count);
                    counts.len() - 1
                });
                (literals, at)
            };
            ways.push(broken_ways(requirement).into_iter().map(of_way).collect());
        }
        let (rules, requirements) = (program.rules(), program.requirements());
        let switches = Switches::new(program.labels().len(), rules, requirements, &counts);
        let with_switch = |(mut literals, at): (Vec<u32>, Option<usize>)| {
            literals.extend(at.map(|at| switches.asked(at)));
            literals
        };
        let ways =
            ways.into_iter().map(|ways| ways.into_iter().map(with_switch).collect()).collect();
        Self { switches, ways }
    }

    /// Begins to ask.
    pub fn ask(&self, program: &Program) -> Asked<'_> {
        let limit = program.settle_limit();
        let left = limit.conflicts().saturating_mul(QUESTIONS);
        Asked { following: self, question: self.switches.question(), left, limit }
    }
}

impl<'a> Asked<'a> {
    /// Some rules and requirements, among those that are `kept`, from which a requirement follows; none
    /// if it does not follow, and `Err` if that was not found within the limit.
    pub fn why(
        &mut self,
        program: &Program,
        id: RequirementId,
        kept: impl Fn(RequirementId) -> bool,
    ) -> Result<Option<Lines>, Stopped> {
        let others = others(program, id, kept);
        let mut used: Vec<Source> = Vec::new();
        let following = self.following;
        for way in &following.ways[id.index()] {
            let found = self.spend(|question| question.why(others.iter().copied(), way));
            let Some(clash) = found? else { return Ok(None) };
            used.extend(clash.sources);
        }
        used.sort_unstable();
        used.dedup();
        Ok(Some(program.lines_of(&used)))
    }

    /// Whether a requirement follows from the rules, and those requirements that are `kept`.
    pub fn follows(
        &mut self,
        program: &Program,
        id: RequirementId,
        kept: impl Fn(RequirementId) -> bool,
    ) -> Result<bool, Stopped> {
        let others = others(program, id, kept);
        let following = self.following;
        for way in &following.ways[id.index()] {
            if self.spend(|question| question.refute(others.iter().copied(), way))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Asks one question within what is left.
    fn spend<T>(&mut self, ask: impl FnOnce(&mut Question<'a>) -> T) -> T {
        self.question.allow(SettleLimit::new(self.limit.conflicts().min(self.left)));
        let before = self.question.spent().conflicts();
        let answer = ask(&mut self.question);
        self.left = self.left.saturating_sub(self.question.spent().conflicts() - before);
        answer
    }
}

/// All rules, and the requirements that are kept, without one of them.
fn others(
    program: &Program,
    id: RequirementId,
    kept: impl Fn(RequirementId) -> bool,
) -> Vec<Source> {
    let rules = program.rules().len() as Source;
    let requirements = program.requirement_ids().filter(|&other| other != id && kept(other));
    (0..rules).chain(requirements.map(|other| rules + other.index() as Source)).collect()
}

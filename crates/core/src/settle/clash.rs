//! Lines that clash, and lines that follow from others: questions about which rules and requirements
//! are there, asked of a solver in which each has a switch.

use super::counting;
use super::derived::Derived;
use super::knowledge::{Knowledge, Source};
use super::limit::SettleLimit;
use super::oracle::{Answer, Oracle};
use super::satisfiable::root;
use crate::requirement::Requirement;
use crate::rule::{Literal, Rule};

/// Rules and requirements that no prediction satisfies together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clash {
    pub sources: Vec<Source>,
    /// Whether none of them can be left out; otherwise that was not found within the limit.
    pub is_smallest: bool,
}

/// Rules and requirements that can be there or not.
pub(crate) struct Switches {
    knowledge: Knowledge,
    classes: usize,
    written: usize,
    /// The first of the requirements that were added to be asked about.
    asked: usize,
}

/// What was asked of some switches.
pub(crate) struct Question<'a> {
    oracle: Oracle<'a>,
    switches: &'a Switches,
}

/// The limit was reached before there was an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stopped;

impl Switches {
    /// All of these; each of `asked` can be assumed like any other.
    pub fn new(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        asked: &[Requirement],
    ) -> Self {
        let written = rules.len() + requirements.len();
        let all: Vec<Requirement> = requirements.iter().chain(asked).cloned().collect();
        let mut derived = Derived::new(rules.len() + all.len());
        counting::derive(classes, rules, &all, &mut derived);
        let knowledge = Knowledge::switched(classes, rules, &all, derived.sourced());
        Self { knowledge, classes, written, asked: written }
    }

    /// The literal that puts one of what was asked about in place.
    pub fn asked(&self, at: usize) -> u32 {
        Knowledge::switch(self.classes, (self.asked + at) as Source)
    }

    /// Begins to ask.
    pub fn question(&self) -> Question<'_> {
        let side = |variable: u32| (variable as usize >= self.classes).then_some(false);
        let oracle = Oracle::new(&self.knowledge, side, SettleLimit::new(0));
        Question { oracle, switches: self }
    }
}

impl Question<'_> {
    /// Lets the questions that follow spend so much, all together.
    pub fn allow(&mut self, limit: SettleLimit) {
        self.oracle.allow(limit);
    }

    /// Whether these sources contradict each other where these literals hold: if so, those of them that
    /// do.
    pub fn refute(
        &mut self,
        sources: impl IntoIterator<Item = Source>,
        literals: &[u32],
    ) -> Result<Option<Vec<Source>>, Stopped> {
        let Switches { classes, written, .. } = *self.switches;
        let on = sources.into_iter().map(|source| Knowledge::switch(classes, source));
        // What is asked comes first: a clash that needs it is found sooner.
        match self.oracle.ask(literals.iter().copied().chain(on)) {
            Answer::Yes => Ok(None),
            Answer::Undecided => Err(Stopped),
            Answer::No => {
                let sources = self.oracle.core().iter().map(|on| (on >> 1) as usize);
                let of_sources = sources.filter_map(|variable| variable.checked_sub(classes));
                let written = of_sources.filter(|&source| source < written);
                Ok(Some(written.map(|source| source as Source).collect()))
            }
        }
    }

    /// The sources without all those of them that can be left out, one after the other.
    fn smallest(&mut self, mut core: Vec<Source>, literals: &[u32]) -> Clash {
        let mut is_smallest = true;
        for source in core.clone() {
            if !core.contains(&source) {
                continue;
            }
            let rest: Vec<Source> = core.iter().copied().filter(|&one| one != source).collect();
            match self.refute(rest.iter().copied(), literals) {
                Ok(Some(smaller)) => core = smaller,
                Ok(None) => {}
                Err(Stopped) => {
                    is_smallest = false;
                    break;
                }
            }
        }
        core.sort_unstable();
        Clash { sources: core, is_smallest }
    }

    /// A smallest set of these sources that contradicts these literals, if they do; as far as that is found
    /// within the limit.
    pub fn why(
        &mut self,
        sources: impl IntoIterator<Item = Source>,
        literals: &[u32],
    ) -> Result<Option<Clash>, Stopped> {
        Ok(self.refute(sources, literals)?.map(|core| self.smallest(core, literals)))
    }

    /// What was spent so far.
    pub fn spent(&self) -> SettleLimit {
        self.oracle.spent()
    }
}

/// Rules and requirements that no prediction satisfies together, if possible so that none of them can be
/// left out. `None` if there are none, or none were found within the limit.
pub(crate) fn clash(
    classes: usize,
    rules: &[Rule],
    requirements: &[Requirement],
    limit: SettleLimit,
) -> Option<Clash> {
    let written = rules.len() + requirements.len();
    let knowledge = Knowledge::new(classes, rules, requirements, &[]);
    let switches = Switches::new(classes, rules, requirements, &[]);
    let mut question = switches.question();
    question.allow(limit);
    let core = match root(&knowledge, written) {
        Err(used) => (0..written as Source).filter(|&source| used[source as usize]).collect(),
        Ok(_) => match question.refute(0..written as Source, &[]) {
            Ok(Some(core)) => core,
            Ok(None) | Err(Stopped) => return None,
        },
    };
    question.allow(limit);
    Some(question.smallest(core, &[]))
}

/// The negation of a requirement, as requirements that hold only together with it being broken in one
/// way: what follows contradicts each of them.
pub(crate) fn broken_ways(requirement: &Requirement) -> Vec<Broken> {
    use crate::requirement::Claim;
    let guard: Vec<u32> = requirement.guard().iter().map(|literal| literal.code()).collect();
    match requirement.claim() {
        Claim::Any(literals) => {
            let denied = literals.iter().map(|literal| literal.code() ^ 1);
            vec![Broken { literals: guard.into_iter().chain(denied).collect(), count: None }]
        }
        Claim::Count { least, most, members } => {
            let mut ways = Vec::new();
            let members: Vec<Literal> = members.to_vec();
            if *least > 0 {
                let count = Requirement::count([], 0, least - 1, members.iter().copied());
                ways.push(Broken { literals: guard.clone(), count: Some(count) });
            }
            if (*most as usize) < members.len() {
                let count = Requirement::count([], most + 1, u32::MAX, members);
                ways.push(Broken { literals: guard, count: Some(count) });
            }
            ways
        }
    }
}

/// One way in which a requirement can be broken: these literals hold, and so does a count.
pub(crate) struct Broken {
    pub literals: Vec<u32>,
    pub count: Option<Requirement>,
}

//! A program as bytes: for what keeps rules beside numbers, such as a pickle or the buffer of a
//! network.
//!
//! Words of 32 bits, little-endian, so that the bytes are also a list of `i32`: a magic word, the version,
//! the number of words, of labels, of rules, of bytes in all names; the length of each name in bytes; the
//! names, filled up with zeros to a whole word; and for each rule its head, the length of its body, and its
//! literals (twice the class, plus 1 if negated). Version 2, which only programs with requirements or
//! preferences have, goes on: the number of requirements; for each the length of its guard, 0 for a clause or
//! 1 for a group, the bounds of a group, the number of members, guard and members; the number of preferred
//! classes, and these; and, where it took a solver to find one, a prediction that satisfies everything, one bit
//! per class from the lowest on, so that nothing has to be decided again. Version 3, which only programs with another
//! [limit](SettleLimit) than the usual one have, is version 2 with the limit, its lower word first, before that
//! prediction. Where rules were written is not part of it: equal programs have equal bytes.

use super::{NotStratified, Program, RequirementError};
use crate::label::{LabelError, LabelId, Labels};
use crate::requirement::{Claim, Requirement};
use crate::rule::{Literal, Rule};
use crate::settle::SettleLimit;
use crate::span::Span;

/// `RBPR`, read as a little-endian word.
const MAGIC: u32 = u32::from_le_bytes(*b"RBPR");
const VERSION: u32 = 1;
const WITH_REQUIREMENTS: u32 = 2;
const WITH_LIMIT: u32 = 3;
const HEADER: usize = 6;

/// Why bytes are not a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum BadProgramBytes {
    /// They do not start as a program does.
    #[error("not the bytes of a program of rules")]
    NotAProgram,
    /// They were written by a newer version.
    #[error("rules of version {found}, but the newest one known here is {WITH_LIMIT}")]
    NewerVersion { found: u32 },
    /// There are more or fewer bytes than they say.
    #[error("the bytes of the rules are truncated or have others behind them")]
    Length,
    /// A name is not UTF-8.
    #[error("the name of class {label} is not UTF-8")]
    Name {
        /// The class, from 0.
        label: usize,
    },
    /// The labels are not valid.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// A rule has a class that does not exist, or a literal twice.
    #[error("rule {rule} has a class that does not exist, or the same literal twice")]
    Rule {
        /// The rule, from 0.
        rule: usize,
    },
    /// A requirement has a class that does not exist, the same literal twice, or bounds that are not its own.
    #[error(
        "requirement {requirement} has a class that does not exist, the same literal twice, or wrong bounds"
    )]
    Requirement {
        /// The requirement, from 0.
        requirement: usize,
    },
    /// A preferred class does not exist, or is preferred twice.
    #[error("a preferred class does not exist, or occurs twice")]
    Preferred,
    /// What should be a prediction that satisfies everything is not.
    #[error("the prediction that should satisfy all requirements does not")]
    Witness,
    /// The rules are not stratified.
    #[error(transparent)]
    NotStratified(#[from] NotStratified),
    /// Nothing satisfies the requirements, or whether anything does is not decided.
    #[error(transparent)]
    Requirements(#[from] RequirementError),
}

impl Program {
    /// The program as bytes; their number is a multiple of four.
    ///
    /// ```
    /// use rulebound_core::Program;
    /// let program: Program = "stomach -> abdomen".parse()?;
    /// let back = Program::from_bytes(&program.to_bytes())?;
    /// assert_eq!(back.to_text(), "stomach -> abdomen\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let names: usize = self.labels.names().map(str::len).sum();
        let literals: usize = self.rules.iter().map(|rule| 2 + rule.body().len()).sum();
        let required = self.requirement_words();
        let version = match required.is_empty() {
            true => VERSION,
            false if self.settle_limit() == SettleLimit::default() => WITH_REQUIREMENTS,
            false => WITH_LIMIT,
        };
        let words = HEADER + self.labels.len() + names.div_ceil(4) + literals + required.len();
        let mut bytes = Vec::with_capacity(4 * words);
        let mut push = |word: usize| bytes.extend((word as u32).to_le_bytes());
        push(MAGIC as usize);
        push(version as usize);
        push(words);
        push(self.labels.len());
        push(self.rules.len());
        push(names);
        self.labels.names().for_each(|name| push(name.len()));
        self.labels.names().for_each(|name| bytes.extend(name.as_bytes()));
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        for rule in &self.rules {
            let header = [rule.head().index() as u32, rule.body().len() as u32];
            let codes = rule.body().iter().map(|literal| literal.code());
            header.into_iter().chain(codes).for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        required.into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    /// What version 2 has beyond version 1; nothing if there are no requirements and preferences.
    fn requirement_words(&self) -> Vec<u32> {
        if !self.has_requirements() && self.preferred().is_empty() {
            return Vec::new();
        }
        let mut words = vec![self.requirements().len() as u32];
        for one in self.requirements() {
            let (kind, least, most) = match one.claim() {
                Claim::Any(_) => (0, 0, 0),
                Claim::Count { least, most, .. } => (1, *least, *most),
            };
            words.push(one.guard().len() as u32);
            words.extend([kind, least, most, one.members().len() as u32]);
            words.extend(one.literals().map(Literal::code));
        }
        words.push(self.preferred().len() as u32);
        words.extend(self.preferred().iter().map(|class| class.index() as u32));
        let limit = self.settle_limit();
        if limit != SettleLimit::default() {
            words.extend([limit.conflicts() as u32, (limit.conflicts() >> 32) as u32]);
        }
        // Where it took a solver to find one: a prediction that satisfies everything.
        for classes in self.witness().unwrap_or_default().chunks(32) {
            let bits = classes.iter().enumerate();
            words.push(bits.fold(0, |word, (at, &is_set)| word | u32::from(is_set) << at));
        }
        words
    }

    /// Reads back what [`to_bytes`](Self::to_bytes) wrote. Any other bytes are refused.
    ///
    /// # Errors
    /// [`BadProgramBytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadProgramBytes> {
        let mut words = Words(bytes);
        if words.next() != Ok(MAGIC) {
            return Err(BadProgramBytes::NotAProgram);
        }
        let found = words.next()?;
        if !(VERSION..=WITH_LIMIT).contains(&found) {
            return Err(BadProgramBytes::NewerVersion { found });
        }
        if words.next()? as usize != bytes.len() / 4 || !bytes.len().is_multiple_of(4) {
            return Err(BadProgramBytes::Length);
        }
        let (labels, rules, size) = (words.next()? as usize, words.next()?, words.next()? as usize);
        let lengths = words.take(labels)?;
        let names = words.take(size.div_ceil(4))?;
        let (names, filling) = names.split_at(size);
        if filling.iter().any(|&byte| byte != 0) {
            return Err(BadProgramBytes::Length);
        }
        let labels = read_labels(lengths, names)?;
        let rules = (0..rules as usize)
            .map(|rule| read_rule(&mut words, labels.len(), rule))
            .collect::<Result<Vec<Rule>, _>>()?;
        let classes = labels.len();
        let program = if found >= WITH_REQUIREMENTS {
            let requirements = (0..words.next()? as usize)
                .map(|at| read_requirement(&mut words, classes, at))
                .collect::<Result<Vec<_>, _>>()?;
            let preferred = read_preferred(&mut words, classes)?;
            if requirements.is_empty() && preferred.is_empty() {
                return Err(BadProgramBytes::Length);
            }
            let limit =
                if found == WITH_LIMIT { read_limit(&mut words)? } else { SettleLimit::default() };
            let program = Self::new(labels, rules)?;
            let witness = read_witness(&mut words, classes)?;
            let is_satisfied = |witness: &Vec<bool>| program.is_satisfied(&requirements, witness);
            if !witness.as_ref().is_none_or(is_satisfied) {
                return Err(BadProgramBytes::Witness);
            }
            let spans = vec![Span::default(); requirements.len()];
            // Nothing that is read decides how long reading takes.
            program
                .require(requirements, spans, &preferred, witness.as_deref())?
                .with_settle_limit(limit)
        } else {
            Self::new(labels, rules)?
        };
        if !words.0.is_empty() {
            return Err(BadProgramBytes::Length);
        }
        Ok(program)
    }
}

/// The prediction after the requirements, if there is one.
fn read_limit(words: &mut Words<'_>) -> Result<SettleLimit, BadProgramBytes> {
    let (low, high) = (u64::from(words.next()?), u64::from(words.next()?));
    match SettleLimit::new(high << 32 | low) {
        limit if limit == SettleLimit::default() => Err(BadProgramBytes::Length),
        limit => Ok(limit),
    }
}

fn read_witness(
    words: &mut Words<'_>,
    classes: usize,
) -> Result<Option<Vec<bool>>, BadProgramBytes> {
    if words.0.is_empty() {
        return Ok(None);
    }
    let mut witness = Vec::with_capacity(classes);
    while witness.len() < classes {
        let word = words.next()?;
        let left = classes - witness.len();
        if left < 32 && word >> left != 0 {
            return Err(BadProgramBytes::Witness);
        }
        witness.extend((0..left.min(32)).map(|at| word >> at & 1 == 1));
    }
    Ok(Some(witness))
}

fn read_labels(lengths: &[u8], mut names: &[u8]) -> Result<Labels, BadProgramBytes> {
    let mut list = Vec::with_capacity(lengths.len() / 4);
    let mut lengths = Words(lengths);
    while !lengths.0.is_empty() {
        let (name, rest) =
            names.split_at_checked(lengths.next()? as usize).ok_or(BadProgramBytes::Length)?;
        let name = str::from_utf8(name).map_err(|_| BadProgramBytes::Name { label: list.len() })?;
        list.push(name);
        names = rest;
    }
    if !names.is_empty() || list.len() > LabelId::LIMIT {
        return Err(BadProgramBytes::Length);
    }
    Ok(Labels::new(list)?)
}

fn read_requirement(
    words: &mut Words,
    labels: usize,
    requirement: usize,
) -> Result<Requirement, BadProgramBytes> {
    let bad = BadProgramBytes::Requirement { requirement };
    let guards = words.next()? as usize;
    let (kind, least, most) = (words.next()?, words.next()?, words.next()?);
    let members = words.next()? as usize;
    let mut codes = Words(words.take(guards.checked_add(members).ok_or(BadProgramBytes::Length)?)?);
    let mut guard = Vec::with_capacity(guards);
    while !codes.0.is_empty() {
        guard.push(Literal::from_code(codes.next()?));
    }
    if !guard.iter().all(|literal| literal.label_index() < labels) {
        return Err(bad);
    }
    let claimed = guard.split_off(guards);
    let read = match kind {
        0 if (least, most) == (0, 0) => Requirement::any(guard, claimed),
        1 => Requirement::count(guard, least, most, claimed),
        _ => return Err(bad),
    };
    let bounds = match read.claim() {
        Claim::Any(_) => (0, 0, 0),
        Claim::Count { least, most, .. } => (1, *least, *most),
    };
    let is_same = read.guard().len() == guards && read.members().len() == members;
    if is_same && bounds == (kind, least, most) { Ok(read) } else { Err(bad) }
}

fn read_preferred(words: &mut Words, labels: usize) -> Result<Vec<LabelId>, BadProgramBytes> {
    let count = words.next()? as usize;
    let mut read = Words(words.take(count)?);
    let mut preferred = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while !read.0.is_empty() {
        let class = read.next()? as usize;
        if class >= labels || !seen.insert(class) {
            return Err(BadProgramBytes::Preferred);
        }
        preferred.push(LabelId::new(class));
    }
    Ok(preferred)
}

fn read_rule(words: &mut Words, labels: usize, at: usize) -> Result<Rule, BadProgramBytes> {
    let (head, length) = (words.next()? as usize, words.next()? as usize);
    let mut codes = Words(words.take(length)?);
    let mut body = Vec::with_capacity(length);
    while !codes.0.is_empty() {
        body.push(Literal::from_code(codes.next()?));
    }
    let exists = |literal: &Literal| literal.label_index() < labels;
    if head >= labels || !body.iter().all(exists) {
        return Err(BadProgramBytes::Rule { rule: at });
    }
    let rule = Rule::new(LabelId::new(head), body);
    if rule.body().len() == length { Ok(rule) } else { Err(BadProgramBytes::Rule { rule: at }) }
}

/// The words that were not read yet.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<u32, BadProgramBytes> {
        let (word, rest) = self.0.split_first_chunk().ok_or(BadProgramBytes::Length)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*word))
    }

    /// The bytes of the next words.
    fn take(&mut self, words: usize) -> Result<&'a [u8], BadProgramBytes> {
        let bytes = words.checked_mul(4).ok_or(BadProgramBytes::Length)?;
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(BadProgramBytes::Length)?;
        self.0 = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::RuleText;

    fn program() -> Program {
        let labels = Labels::new(["unused", "a", "ß \"q\"", "b"]).unwrap();
        let text = "a, not b -> \"ß \\\"q\\\"\"\n-> b\na, a -> a";
        RuleText::new(text).labels(labels).parse().unwrap().program
    }

    #[test]
    fn bytes_are_read_back_as_the_same_program() {
        let program = program();
        let bytes = program.to_bytes();
        let back = Program::from_bytes(&bytes).unwrap();
        assert_eq!(back.rules(), program.rules());
        assert!(back.labels().names().eq(program.labels().names()));
        assert_eq!(back.to_bytes(), bytes);
        assert_eq!(bytes.len() % 4, 0);
        let empty = program.without_rules();
        assert_eq!(Program::from_bytes(&empty.to_bytes()).unwrap().rules(), []);
    }

    #[test]
    fn the_form_is_this() {
        let program: Program = "a, not b -> c".parse().unwrap();
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut expected: Vec<u8> = words(&[0x5250_4252, 1, 14, 3, 1, 3, 1, 1, 1]);
        expected.extend(b"abc\0");
        expected.extend::<Vec<u8>>(words(&[2, 2, 0, 3]));
        assert_eq!(program.to_bytes(), expected);
    }

    #[test]
    fn whatever_byte_is_changed_or_missing_nothing_breaks() {
        let bytes = program().to_bytes();
        for length in 0..bytes.len() {
            assert!(Program::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                // What is accepted is that program and no other.
                if let Ok(program) = Program::from_bytes(&changed) {
                    assert_eq!(program.to_bytes(), changed);
                }
            }
        }
    }

    #[test]
    fn requirements_make_another_version_that_is_read_back() {
        let program = program();
        let [a, b] = ["a", "b"].map(|name| Literal::positive(program.labels().find(name).unwrap()));
        let c = Literal::positive(LabelId::new(0));
        let requirements = vec![
            Requirement::any([a], [!b, c]),
            Requirement::count([!c], 0, 1, [a, b]),
            Requirement::any([a, c], []),
        ];
        let with = program.with_requirements(requirements, &[LabelId::new(1)]).unwrap();
        let bytes = with.to_bytes();
        assert_eq!(bytes[4], 2);
        let back = Program::from_bytes(&bytes).unwrap();
        assert_eq!(back.requirements(), with.requirements());
        assert_eq!(back.preferred(), with.preferred());
        assert_eq!(back.to_bytes(), bytes);
        for length in 0..bytes.len() {
            assert!(Program::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 2, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Ok(program) = Program::from_bytes(&changed) {
                    assert_eq!(program.to_bytes(), changed);
                }
            }
        }
    }

    #[test]
    fn every_refusal_says_why() {
        let bytes = program().to_bytes();
        assert_eq!(Program::from_bytes(b"RB").unwrap_err(), BadProgramBytes::NotAProgram);
        let mut newer = bytes.clone();
        newer[4] = 9;
        assert_eq!(
            Program::from_bytes(&newer).unwrap_err(),
            BadProgramBytes::NewerVersion { found: 9 }
        );
        let cyclic: Vec<u8> = [
            &0x5250_4252u32.to_le_bytes()[..],
            &[1, 0, 0, 0, 11, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
            b"a\0\0\0",
            &[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
        ]
        .concat();
        let error = Program::from_bytes(&cyclic).unwrap_err();
        assert!(matches!(error, BadProgramBytes::NotStratified(_)), "{error}");
    }
}

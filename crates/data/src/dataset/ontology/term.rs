//! Terms of an ontology as their lines are read.

use std::str::SplitWhitespace;

use rulebound_core::Span;

use crate::dataset::complaint::{Mistakes, Problem};

/// A term while its lines are read.
#[derive(Default)]
pub(super) struct Term {
    pub(super) line: u64,
    pub(super) id: Option<String>,
    pub(super) span: Span,
    pub(super) parents: Vec<Parent>,
    pub(super) alternatives: Vec<(Span, String)>,
    pub(super) namespace: Option<String>,
    pub(super) obsolete: bool,
    /// What takes the place of an obsolete term, and what may.
    pub(super) replaced_by: Vec<String>,
    pub(super) consider: Vec<String>,
    /// The types of its relationships that are not parents.
    pub(super) other_relations: Vec<String>,
}

/// A term that another one is, or is part of.
pub(super) struct Parent {
    pub(super) span: Span,
    pub(super) id: String,
    pub(super) is_part: bool,
}

impl Term {
    /// Adds one line `tag: value ! comment`.
    pub(super) fn line(&mut self, text: &str, line: u64, mistakes: &mut Mistakes) {
        let Some((tag, value)) = text.split_once(':') else {
            return;
        };
        let mut words = value.split_whitespace();
        let mut id = |words: &mut SplitWhitespace<'_>| match words.next() {
            Some(id) if !id.starts_with(['!', '{']) => Some(id.to_owned()),
            _ => {
                mistakes.push(line, 1, text, Problem::NoTerm);
                None
            }
        };
        let span = |id: &str| Span {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(tag.chars().count()).unwrap_or(u32::MAX).saturating_add(3),
            length: u32::try_from(id.chars().count()).unwrap_or(u32::MAX),
        };
        let mut place = |words: &mut SplitWhitespace<'_>| id(words).map(|id| (span(&id), id));
        let parent = |is_part: bool| move |(span, id)| Parent { span, id, is_part };
        match tag {
            "id" => {
                if let Some((span, id)) = place(&mut words) {
                    (self.span, self.id) = (span, Some(id));
                }
            }
            "alt_id" => self.alternatives.extend(place(&mut words)),
            "namespace" => self.namespace = words.next().map(str::to_owned),
            "is_a" => self.parents.extend(place(&mut words).map(parent(false))),
            "relationship" => match words.next() {
                Some("part_of") => self.parents.extend(place(&mut words).map(parent(true))),
                other => self.other_relations.extend(other.map(str::to_owned)),
            },
            "is_obsolete" => self.obsolete = words.next() == Some("true"),
            "replaced_by" => self.replaced_by.extend(place(&mut words).map(|(_, id)| id)),
            "consider" => self.consider.extend(place(&mut words).map(|(_, id)| id)),
            _ => {}
        }
    }
}

//! The search: for each head, every body that forms a rule and is not redundant.
//!
//! Apriori's two ideas, candidates by prefix and pruning by support, on columns of bits and depth
//! first, so that only the bodies on the path to the current one are in memory. Pruning is safe: it
//! never loses a rule that is not redundant.
//!
//! - A body that is a rule is not extended, and its last literal is not tried again below it.
//! - A literal that leaves too few hits or too few rows is excluded from everything below; so is
//!   one that removes no miss, since without it the confidence is at least as high.
//! - Every literal needs a critical miss (see [`Node`]), and no part of a body may be a rule.
//! - To become a rule, a body must lose all misses but those that its hits outweigh. The literals
//!   are tried by the misses they remove, most first; if even the best remaining literals cannot
//!   remove enough within the remaining body length, the rest of the list is not tried.
//!
//! At confidence 1 no miss is outweighed, and the last pruning is most effective.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use rulebound_core::{LabelId, Literal, Rule};

use super::bar::Bar;
use super::columns::Columns;
use super::error::MineError;
use super::mined::MinedRule;
use super::node::{Node, Open};
use super::options::Options;
use super::row_set;

pub(super) struct Search<'a> {
    columns: &'a Columns,
    bar: Bar,
    options: &'a Options,
    arch: Arch,
    rules_found: AtomicUsize,
    bodies_seen: AtomicU64,
}

/// A literal that a body may be extended with.
struct Extension {
    literal: Literal,
    hits: u32,
    misses: u32,
    /// Its position in the order in which extensions are tried.
    rank: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(columns: &'a Columns, bar: Bar, options: &'a Options) -> Self {
        Self {
            columns,
            bar,
            options,
            arch: Arch::new(),
            rules_found: AtomicUsize::new(0),
            bodies_seen: AtomicU64::new(0),
        }
    }

    /// The rules of all heads, in no particular order.
    pub(super) fn run(&self) -> Result<Vec<MinedRule>, MineError> {
        let heads: Vec<LabelId> = self.columns.labels().collect();
        let found: Vec<Vec<MinedRule>> =
            heads.into_par_iter().map(|head| self.rules_of(head)).collect::<Result<_, _>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn rules_of(&self, head: LabelId) -> Result<Vec<MinedRule>, MineError> {
        let root = Node::root(self.columns, head, self.options.negation);
        let mut found = Vec::new();
        if !self.bar.is_supported(root.hits, root.misses) {
            return Ok(found);
        }
        if self.bar.is_confident(root.hits, root.misses) {
            self.push(head, Vec::new(), root.hits, root.misses, &mut found)?;
            return Ok(found);
        }
        if self.options.max_body == 0 {
            return Ok(found);
        }
        let (extensions, order) = self.extend(head, &root, &mut found)?;
        let below: Vec<Vec<MinedRule>> = (0..order.len())
            .into_par_iter()
            .map(|rank| {
                let mut found = Vec::new();
                self.descend(head, &root, &extensions, &order, rank, &mut found)?;
                Ok(found)
            })
            .collect::<Result<_, MineError>>()?;
        found.extend(below.into_iter().flatten());
        Ok(found)
    }

    /// All rules below the body extended with the extension of this rank.
    fn descend(
        &self,
        head: LabelId,
        node: &Node,
        extensions: &[Extension],
        order: &[usize],
        rank: usize,
        found: &mut Vec<MinedRule>,
    ) -> Result<(), MineError> {
        let next = &extensions[order[rank]];
        let places = self.options.max_body - node.body.len();
        let removed = |&place: &usize| u64::from(node.misses - extensions[place].misses);
        let most: u64 = order[rank..].iter().take(places).map(removed).sum();
        if most < u64::from(node.misses.saturating_sub(self.bar.allowed_misses(next.hits))) {
            return Ok(());
        }
        let Some(mut child) = node.child(self.columns, next.literal) else {
            return Ok(());
        };
        if self.has_rule_within(head, &node.body, next.literal)? {
            return Ok(());
        }
        (child.hits, child.misses) = (next.hits, next.misses);
        child.open = open_after(extensions, rank, next.literal.label());
        let (extensions, order) = self.extend(head, &child, found)?;
        (0..order.len())
            .try_for_each(|rank| self.descend(head, &child, &extensions, &order, rank, found))
    }

    /// Tries every open extension of a body: finds the rules that are one literal longer, and
    /// returns the extensions to continue with, in label order, and the position of every rank in
    /// that list.
    fn extend(
        &self,
        head: LabelId,
        node: &Node,
        found: &mut Vec<MinedRule>,
    ) -> Result<(Vec<Extension>, Vec<usize>), MineError> {
        let literals = |open: &Open| u64::from(open.positive) + u64::from(open.negative);
        let tried: u64 = node.open.iter().map(literals).sum();
        self.charge(tried)?;
        let is_last = node.body.len() + 1 == self.options.max_body;
        let mut extensions = Vec::new();
        let mut closing = Vec::new();
        self.arch.dispatch(Try {
            search: self,
            node,
            is_last,
            extensions: &mut extensions,
            closing: &mut closing,
        });
        for Extension { literal, hits, misses, .. } in closing {
            if node.stays_critical(self.columns, literal)
                && !self.has_rule_within(head, &node.body, literal)?
            {
                let body = node.body.iter().copied().chain([literal]).collect();
                self.push(head, body, hits, misses, found)?;
            }
        }
        let mut order: Vec<usize> = (0..extensions.len()).collect();
        order.sort_unstable_by_key(|&place| (extensions[place].misses, place));
        for (rank, &place) in order.iter().enumerate() {
            extensions[place].rank = rank as u32;
        }
        Ok((extensions, order))
    }

    /// Whether the literal and a proper subset of the body already form a rule; then no body with
    /// both is needed. Subsets without the literal were checked when the body was created.
    ///
    /// At confidence 1 there is no such subset if every literal has a critical miss, because
    /// dropping a literal adds its critical misses. Below 1 the hits that are added with them can
    /// outweigh them.
    fn has_rule_within(
        &self,
        head: LabelId,
        body: &[Literal],
        literal: Literal,
    ) -> Result<bool, MineError> {
        if self.bar.is_exact() || body.is_empty() {
            return Ok(false);
        }
        let whole = (1u32 << body.len()) - 1;
        self.charge(whole.into())?;
        // From the largest subset down: one of them is likely to be as confident as the whole body.
        Ok((0..whole).rev().any(|part| {
            let part = body.iter().enumerate().filter(|(place, _)| part >> place & 1 == 1);
            let part = part.map(|(_, literal)| *literal).chain([literal]);
            let (hits, misses) = self.arch.dispatch(|| self.count(head, part));
            self.bar.is_confident(hits, misses)
        }))
    }

    /// Counts `bodies` more examined bodies.
    fn charge(&self, bodies: u64) -> Result<(), MineError> {
        let limit = self.options.max_bodies;
        match self.bodies_seen.fetch_add(bodies, Ordering::Relaxed) + bodies {
            seen if seen > limit => Err(MineError::TooManyBodies { limit }),
            _ => Ok(()),
        }
    }

    /// The hits and misses of a body.
    #[inline(always)]
    fn count(&self, head: LabelId, body: impl Iterator<Item = Literal>) -> (u32, u32) {
        let literals: Vec<(&[u64], u64)> =
            body.map(|l| (self.columns.column(l.label()), Columns::flip(l))).collect();
        let (mut hits, mut misses) = (0, 0);
        let heads = self.columns.column(head).iter().zip(self.columns.all_rows());
        for (at, (head, rows)) in heads.enumerate() {
            let holds =
                literals.iter().fold(rows, |holds, (column, flip)| holds & (column[at] ^ flip));
            hits += (holds & head).count_ones();
            misses += (holds & !head).count_ones();
        }
        (hits, misses)
    }

    fn push(
        &self,
        head: LabelId,
        mut body: Vec<Literal>,
        hits: u32,
        misses: u32,
        found: &mut Vec<MinedRule>,
    ) -> Result<(), MineError> {
        if self.rules_found.fetch_add(1, Ordering::Relaxed) >= self.options.max_rules {
            return Err(MineError::TooManyRules { limit: self.options.max_rules });
        }
        body.sort_unstable_by_key(|literal| (literal.is_negated(), *literal));
        found.push(MinedRule {
            rule: Rule::new(head, body),
            body_rows: (hits + misses) as usize,
            hits: hits as usize,
            rows: self.columns.rows(),
        });
        Ok(())
    }
}

/// What is open below the extension of this rank: later extensions of other labels.
fn open_after(extensions: &[Extension], rank: usize, label: LabelId) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::with_capacity(extensions.len());
    for extension in extensions {
        let literal = extension.literal;
        if extension.rank as usize <= rank || literal.label() == label {
            continue;
        }
        match open.last_mut() {
            // Of one label, the positive literal comes first.
            Some(last) if last.label == literal.label() => last.negative = true,
            _ => open.push(Open {
                label: literal.label(),
                positive: !literal.is_negated(),
                negative: literal.is_negated(),
            }),
        }
    }
    open
}

/// The counting of [`Search::extend`], compiled for the CPU's instruction set.
struct Try<'t, 'a> {
    search: &'t Search<'a>,
    node: &'t Node,
    is_last: bool,
    extensions: &'t mut Vec<Extension>,
    closing: &'t mut Vec<Extension>,
}

impl NullaryFnOnce for Try<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { search, node, is_last, extensions, closing } = self;
        let bar = &search.bar;
        // If this is the last literal, only an immediate rule is useful.
        let most = if is_last { bar.allowed_misses(node.hits) } else { u32::MAX };
        for open in &node.open {
            let column = search.columns.column(open.label);
            let Some((inside, outside)) = row_set::divide(node.miss_rows(), column, most) else {
                continue;
            };
            let hits = row_set::count_shared(node.hit_rows(), column);
            let literals = [
                (open.positive, Literal::positive(open.label), hits, inside),
                (open.negative, Literal::negative(open.label), node.hits - hits, outside),
            ];
            for (is_open, literal, hits, misses) in literals {
                if !is_open || misses == node.misses || !bar.is_supported(hits, misses) {
                    continue;
                }
                let extension = Extension { literal, hits, misses, rank: 0 };
                if bar.is_confident(hits, misses) {
                    closing.push(extension);
                } else if !is_last {
                    extensions.push(extension);
                }
            }
        }
    }
}

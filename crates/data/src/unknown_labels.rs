//! Classes that rules know and the data does not.
//!
//! By default those that only rules name are hidden: they have the score −∞ and are not written, and what
//! they imply is kept, also under negation, because the rules are rewritten without them
//! ([`Program::hiding`]). A requirement says less without a class, or nothing, so one that names an unknown
//! class is a mistake unless hiding is asked for. A name that is nearly a known one is a mistake whatever
//! is asked for.

use rulebound_core::{
    LabelId, Labels, Literal, NearNames, Numbering, ParsedRules, Program, RuleError, RuleErrors,
    Span,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

rulebound_core::named_enum! {
    /// What to do with classes that rules know and the data does not.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum UnknownLabels: "a way to treat unknown labels" {
        /// Those that only rules name are hidden; one that a requirement names is an error.
        #[default]
        #[serde(rename = "hide-in-rules")]
        HideInRules = "hide-in-rules",
        /// They are never true by themselves and are not written; what they imply is kept.
        Hide = "hide",
        /// They are an error.
        Error = "error",
        /// They become classes.
        Keep = "keep",
    }
}

/// The most unknown names that are reported one by one.
const REPORTED: usize = 19;

impl UnknownLabels {
    /// Whether classes that only rules name are hidden.
    pub fn hides(self) -> bool {
        matches!(self, Self::HideInRules | Self::Hide)
    }
}

/// A requirement about a class that is not known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnknownInRequirement {
    /// The class.
    pub class: String,
    /// The requirement as text.
    pub requirement: String,
    /// Its line in the file; 0 if it was not read from one.
    pub line: u32,
    /// The most similar known class.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownInRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, requirement, line, nearest } = self;
        write!(f, "`{class}` in `{requirement}`")?;
        match (line, nearest) {
            (0, None) => Ok(()),
            (0, Some(nearest)) => write!(f, " (did you mean `{nearest}`?)"),
            (line, None) => write!(f, " (line {line})"),
            (line, Some(nearest)) => write!(f, " (line {line}; did you mean `{nearest}`?)"),
        }
    }
}

/// Why the classes of rules are not those of a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum UnmatchedClasses {
    /// Requirements name classes that the table does not have.
    #[error("requirements name classes that are not known: {}", listed(missing))]
    Required {
        /// Each of them, with its requirement.
        missing: Vec<UnknownInRequirement>,
    },
    /// Both number their classes, from different numbers on.
    #[error(
        "the rules number their classes from {rules}, and the columns are numbered from {table}"
    )]
    Numbering {
        /// The first number of the rules.
        rules: usize,
        /// The first number of the table.
        table: usize,
    },
    /// The rules say how many classes there are, and the table has another number of them.
    #[error("the rules number {rules} classes, and {table} columns are numbered so")]
    Count {
        /// How many classes the rules have.
        rules: usize,
        /// How many numbered columns the table has.
        table: usize,
    },
    /// Two columns of the table are one term of the ontology.
    #[error("the columns `{one}` and `{other}` are one term of the ontology, `{term}`")]
    SameTerm { one: String, other: String, term: String },
}

/// The most classes of requirements that are named in one message.
const NAMED: usize = 20;

fn listed(missing: &[UnknownInRequirement]) -> String {
    let shown: Vec<String> = missing.iter().take(NAMED).map(ToString::to_string).collect();
    let more = missing.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

impl UnmatchedClasses {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Required { .. } => {
                "correct the names; --unknown-labels hide takes such classes as never predicted"
            }
            Self::Numbering { .. } => {
                "list the columns in their order with --labels: the first is the first class of the rules"
            }
            Self::Count { .. } => {
                "correct the header of the rules, or list the columns in their order with --labels: there \
                 must be as many as the rules have classes"
            }
            Self::SameTerm { .. } => "make one column of them, for example with the larger score",
        }
    }

    /// Looks for what hiding would not mend. `columns` are the names that the table has. Numbers are compared
    /// whatever is asked for, because those that are one off are the wrong classes.
    pub fn find(
        program: &Program,
        columns: &[String],
        is_known: impl Fn(LabelId) -> bool,
        treatment: UnknownLabels,
    ) -> Option<Self> {
        let has_unknown = program.mentioned().any(|id| !is_known(id));
        if let Some(problem) = Self::of_numbers(program, columns, has_unknown) {
            return Some(problem);
        }
        if treatment != UnknownLabels::HideInRules {
            return None;
        }
        let missing =
            unknown_in_requirements(program, columns.iter().map(String::as_str), is_known);
        let missing: Vec<UnknownInRequirement> = missing.into_iter().map(|(_, one)| one).collect();
        (!missing.is_empty()).then_some(Self::Required { missing })
    }

    /// Compares the numbers of classes with those of columns.
    fn of_numbers(program: &Program, columns: &[String], has_unknown: bool) -> Option<Self> {
        let labels = program.labels();
        let of_rules: BTreeSet<usize> = labels.names().filter_map(number_of).collect();
        let of_table: BTreeSet<usize> = columns.iter().filter_map(|name| number_of(name)).collect();
        let (&least, &most) = (of_table.first()?, of_table.last()?);
        let Some(Numbering { first, classes }) = program.numbering() else {
            // Names that are numbers may be meant as such, unless one is just past the last column.
            let &rules = of_rules.first().filter(|_| of_rules.len() == labels.len())?;
            let is_shifted = rules == 0 || of_rules.last() == Some(&(most + 1));
            let is_found = rules + least == 1 && has_unknown && is_shifted;
            return is_found.then_some(Self::Numbering { rules, table: least });
        };
        // Numbers from 0 may lack some, the 0 too, unless they are all of those from 1.
        let is_shifted = match first {
            0 => least == 1 && (most == of_table.len() || has_unknown),
            _ => least == 0,
        };
        if is_shifted {
            return Some(Self::Numbering { rules: first, table: least });
        }
        let (rules, table) = (classes?, of_table.len());
        (rules != table).then_some(Self::Count { rules, table })
    }
}

/// The number of a class or a column that is called `3` or `y_3`.
fn number_of(name: &str) -> Option<usize> {
    name.strip_prefix("y_").unwrap_or(name).parse().ok()
}

/// The unknown classes of requirements and preferences, each once per requirement, in order, with the place of
/// that.
fn unknown_in_requirements<'a>(
    program: &Program,
    known: impl Iterator<Item = &'a str>,
    is_known: impl Fn(LabelId) -> bool,
) -> Vec<(Span, UnknownInRequirement)> {
    let labels = program.labels();
    let mut places: Vec<(LabelId, Span, String)> = Vec::new();
    for id in program.requirement_ids() {
        let requirement = program.requirement(id);
        let mut seen: Vec<LabelId> = Vec::new();
        for class in requirement.literals().map(Literal::label) {
            if !is_known(class) && !seen.contains(&class) {
                seen.push(class);
                let text = requirement.display(labels).to_string();
                places.push((class, program.requirement_span(id), text));
            }
        }
    }
    for (place, &class) in program.preferred().iter().enumerate() {
        if !is_known(class) {
            let text = format!("prefer {}", Literal::positive(class).display(labels));
            places.push((class, program.preferred_span(place), text));
        }
    }
    // Columns may occur twice; then there is nothing to suggest.
    let names = match places.is_empty() {
        true => Labels::default(),
        false => Labels::new(known.collect::<Vec<_>>()).unwrap_or_default(),
    };
    let found = places.into_iter().enumerate().map(|(at, (class, span, requirement))| {
        let class = labels.name(class);
        let nearest = (at < SUGGESTED).then(|| names.nearest(class)).flatten();
        let (class, nearest) = (class.to_owned(), nearest.map(str::to_owned));
        (span, UnknownInRequirement { class, requirement, line: span.line, nearest })
    });
    found.collect()
}

/// Finding the most similar name reads all of them, so only so many unknown ones get one.
const SUGGESTED: usize = 100;

/// The program with its classes named `y_0`, `y_1` and so on, where they are numbers and the table names
/// its columns so, as PiShield does.
pub(crate) fn numbered_as_columns(program: &Program, columns: &[String]) -> Option<Program> {
    let labels = program.labels();
    let has = |name: &str| columns.iter().any(|column| column == name);
    let is_number = |name: &str| name.parse::<usize>().is_ok();
    let named = |name: &str| format!("y_{name}");
    let fits = !labels.is_empty()
        && labels.names().all(|name| is_number(name) && !has(name))
        && labels.names().any(|name| has(&named(name)));
    let names = fits.then(|| Labels::new(labels.names().map(named)))?.ok()?;
    Some(program.renumbered(names, |id| id).with_numbering(program.numbering()))
}

/// Rules about known classes.
#[derive(Clone, Debug)]
pub struct FittedRules {
    /// The rules; of the classes that are not known, only kept ones are among its labels.
    pub program: Program,
    /// The classes that are not known, in the order of the rules.
    pub unknown: Vec<String>,
}

/// Fits rules to the classes that are known.
///
/// # Errors
/// With every name that is nearly a known one; with the unknown names, if they are an error; if a
/// class cannot be hidden.
pub fn fit(
    parsed: &ParsedRules,
    known: &Labels,
    treatment: UnknownLabels,
) -> Result<FittedRules, RuleErrors> {
    let program = &parsed.program;
    let labels = program.labels();
    let is_unknown = |name: &str| known.find(name).is_none();
    let unknown: Vec<_> = labels.ids().filter(|&id| is_unknown(labels.name(id))).collect();
    if unknown.is_empty() {
        return Ok(FittedRules { program: program.clone(), unknown: Vec::new() });
    }
    let place = |id: LabelId| parsed.places.get(id.index()).copied().unwrap_or_default();
    let near = NearNames::new(known.names());
    let mut errors: Vec<RuleError> = Vec::new();
    for &id in &unknown {
        let name = labels.name(id);
        if let Some(nearest) = near.find(name) {
            let (name, nearest) = (name.to_owned(), nearest.to_owned());
            errors.push(RuleError::NearLabel { span: place(id), name, nearest });
        }
    }
    // Rules about nothing that is known are the wrong rules.
    let none_known = program.rules().iter().all(|rule| {
        let body = rule.body().iter().map(|literal| literal.label());
        body.chain([rule.head()]).all(|id| is_unknown(labels.name(id)))
    }) && program.requirements().iter().all(|requirement| {
        requirement.literals().all(|literal| is_unknown(labels.name(literal.label())))
    });
    let refused = treatment == UnknownLabels::Error || (none_known && treatment.hides());
    if errors.is_empty() && refused {
        for &id in unknown.iter().take(REPORTED) {
            let name = labels.name(id).to_owned();
            errors.push(RuleError::UnknownLabel { span: place(id), name, nearest: None });
        }
        if let Some(&first) = unknown.get(REPORTED) {
            let more = unknown.len() - REPORTED;
            errors.push(RuleError::MoreUnknownLabels { span: place(first), more });
        }
    }
    if treatment == UnknownLabels::HideInRules && errors.is_empty() {
        errors.extend(in_requirements(program, known));
    }
    if !errors.is_empty() {
        return Err(RuleErrors(errors));
    }
    let program = match treatment {
        UnknownLabels::HideInRules | UnknownLabels::Hide => {
            program.hiding(|id| !is_unknown(labels.name(id))).map_err(|problem| {
                let span = labels.find(problem.class()).map(place).unwrap_or_default();
                RuleErrors(vec![RuleError::CannotHide { span, problem }])
            })?
        }
        UnknownLabels::Error | UnknownLabels::Keep => program.clone(),
    };
    let unknown = unknown.into_iter().map(|id| labels.name(id).to_owned()).collect();
    Ok(FittedRules { program, unknown })
}

/// Requirements about unknown classes as mistakes.
fn in_requirements(program: &Program, known: &Labels) -> Vec<RuleError> {
    let is_known = |id: LabelId| known.find(program.labels().name(id)).is_some();
    let mut missing = unknown_in_requirements(program, known.names(), is_known);
    let more = missing.len().saturating_sub(REPORTED);
    let next = missing.get(REPORTED).map(|(span, _)| *span);
    missing.truncate(REPORTED);
    let error = |(span, one): (Span, UnknownInRequirement)| RuleError::UnknownInRequirement {
        span,
        name: one.class,
        nearest: one.nearest,
    };
    let mut errors: Vec<RuleError> = missing.into_iter().map(error).collect();
    if let Some(span) = next {
        errors.push(RuleError::MoreUnknownLabels { span, more });
    }
    errors
}

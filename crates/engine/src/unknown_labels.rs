//! Classes that rules know and the data does not.
//!
//! By default they are hidden: they have the score −∞ and are not written, and what they imply is
//! kept, also under negation, because the rules are rewritten without them
//! ([`Program::hiding`]). A name that is nearly a known one is a mistake whatever is asked for.

use rulebound_core::{LabelId, Labels, NearNames, ParsedRules, Program, RuleError, RuleErrors};
use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// What to do with classes that rules know and the data does not.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum UnknownLabels: "a way to treat unknown labels" {
        /// They are never true by themselves and are not written; what they imply is kept.
        #[default]
        Hide = "hide",
        /// They are an error.
        Error = "error",
        /// They become classes.
        Keep = "keep",
    }
}

/// The most unknown names that are reported one by one.
const REPORTED: usize = 19;

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
    let refused =
        treatment == UnknownLabels::Error || (none_known && treatment == UnknownLabels::Hide);
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
    if !errors.is_empty() {
        return Err(RuleErrors(errors));
    }
    let program = match treatment {
        UnknownLabels::Hide => {
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

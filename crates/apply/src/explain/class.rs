//! What is said of one class, as data.

use rulebound_core::{LabelId, Literal, RuleId, Settled};
use serde::{Serialize, Serializer};

use super::{Explanation, MemberDecision, MemberDecisions};

/// A class of a row: its score, and where that comes from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedClass {
    /// The coherent score.
    #[serde(serialize_with = "number")]
    pub score: f64,
    /// What the network said; of several members, the mean of what they say, each coherent by itself.
    #[serde(serialize_with = "number")]
    pub network: f64,
    /// Whether the class is predicted.
    pub predicted: bool,
    /// The literal that decided.
    pub delegate: String,
    /// The rule that gave the score, if one did.
    pub rule: Option<ExplainedRule>,
    /// Otherwise the rule that comes closest, if there is one.
    pub closest_rule: Option<ExplainedRule>,
    /// Who decided it in the members, if several became one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<ExplainedDecision>>,
    /// What decided in their place, if a requirement or something surer did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<ExplainedSettlement>,
}

/// Members in which the same literal decided a class.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedDecision {
    /// The literal.
    pub delegate: String,
    /// How many members.
    pub members: usize,
    /// Their share in the mean.
    pub share: f64,
}

/// How a class got its side from what is surer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedSettlement {
    /// Whether the class was on the other side, after the rules.
    pub overruled: bool,
    /// The requirements and rules, with their lines, in words; a few of them where there are many.
    pub by: String,
    /// The lines of all of them.
    pub lines: Vec<u32>,
    /// The class at whose strength it was settled, if there is one.
    pub decider: Option<String>,
    /// Why that one came first: it is `preferred`, or `surer`.
    pub decider_is: Option<&'static str>,
    /// What they rest on.
    pub because: Vec<ExplainedLiteral>,
}

/// A rule, and what its body is worth in the row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedRule {
    /// The rule as text.
    pub rule: String,
    /// Its line in the file.
    pub line: u32,
    /// Its body.
    pub body: Vec<ExplainedLiteral>,
}

/// A literal of a body.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedLiteral {
    /// The literal as text.
    pub literal: String,
    /// What it is worth, as a score of its class.
    #[serde(serialize_with = "number")]
    pub score: f64,
    /// Whether the value of the rule hangs on it.
    pub limits: bool,
}

impl Explanation<'_> {
    /// All that is said of a class.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class(&self, label: LabelId) -> ExplainedClass {
        let found = self.rule(label).map(|(rule, limit)| self.explained_rule(rule, limit));
        let (rule, closest_rule) = match (self.is_by_rule(label), self.settled(label)) {
            (true, _) => (found, None),
            (false, None) => (None, found),
            (false, Some(_)) => (None, None),
        };
        let delegate = self.derivation.delegate(label);
        ExplainedClass {
            score: self.score(label),
            network: self.network_score(label),
            predicted: self.is_predicted(label),
            delegate: delegate.display(self.program.labels()).to_string(),
            rule,
            closest_rule,
            members: self.members().map(|members| self.explained_decisions(members, label)),
            settled: self.settled(label).map(|settled| self.explained_settlement(settled)),
        }
    }

    fn explained_decisions(
        &self,
        members: &MemberDecisions,
        label: LabelId,
    ) -> Vec<ExplainedDecision> {
        let labels = self.program.labels();
        let explained = |decision: MemberDecision| ExplainedDecision {
            delegate: decision.delegate.display(labels).to_string(),
            members: decision.members,
            share: decision.share,
        };
        members.of(label).into_iter().map(explained).collect()
    }

    fn explained_settlement(&self, settled: &Settled) -> ExplainedSettlement {
        let because = settled.because.iter().map(|&literal| ExplainedLiteral {
            literal: literal.display(self.program.labels()).to_string(),
            score: self.literal_score(literal),
            limits: Some(literal) == settled.decider,
        });
        ExplainedSettlement {
            overruled: settled.is_overruled,
            by: self.settled_by(settled),
            lines: self.settled_lines(settled),
            decider: settled.decider.map(|one| one.display(self.program.labels()).to_string()),
            decider_is: self.precedence(settled),
            because: because.collect(),
        }
    }

    fn explained_rule(&self, rule: RuleId, limit: Option<Literal>) -> ExplainedRule {
        let labels = self.program.labels();
        let body = self.program.rule(rule).body().iter().map(|&literal| ExplainedLiteral {
            literal: literal.display(labels).to_string(),
            score: self.literal_score(literal),
            limits: Some(literal) == limit,
        });
        ExplainedRule {
            rule: self.program.rule(rule).display(labels).to_string(),
            line: self.program.span(rule).line,
            body: body.collect(),
        }
    }
}

/// JSON has no infinities; they are written as text.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        serializer.serialize_str(&value.to_string())
    }
}

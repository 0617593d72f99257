//! Rules and what they mean: text → a stratified program, margins → coherent
//! margins, delegates, loss and violations. No files, no clock, no randomness.
//!
//! ```text
//! text ── RuleText ──> Program ──> ConstraintLayer ──> coherent margins, delegates
//!                        │    └──> ConstraintLoss ───> loss, gradient
//!                        └───────> lint, closure, Violations
//! ```
//!
//! From rules and the scores of a network to scores that satisfy the rules:
//!
//! ```
//! use rulebound_core::{
//!     ConstraintLayer, ConstraintLoss, Delegate, LabelId, Program, Thresholds, Violations,
//! };
//!
//! // Three classes, in the order in which they first occur.
//! let program: Program = "
//!     stomach -> abdomen
//!     abdomen, not stomach -> other
//! "
//! .parse()?;
//! let labels = program.labels();
//! assert!(labels.names().eq(["stomach", "abdomen", "other"]));
//!
//! // The network is confident of a stomach, but not of an abdomen.
//! let thresholds = Thresholds::half(labels.len());
//! let probabilities = [0.9f32, 0.2, 0.3];
//! let margins: Vec<f32> = labels
//!     .ids()
//!     .map(|class| thresholds.margin_of_probability(class, probabilities[class.index()]))
//!     .collect();
//! let predicted: Vec<bool> = margins.iter().map(|&margin| margin > 0.0).collect();
//! assert_eq!(Violations::logical(&program, &predicted).total(), 1);
//!
//! // The layer makes the scores coherent and names the class that decided each.
//! let layer = ConstraintLayer::new(&program, thresholds);
//! let mut coherent = [0.0; 3];
//! let mut delegates = [Delegate::default(); 3];
//! let mut workspace = layer.workspace();
//! layer.forward_with_delegates(&margins, &mut coherent, &mut delegates, &mut workspace)?;
//! assert_eq!(coherent, [margins[0], margins[0], margins[2]]);
//! assert_eq!(delegates[1].display(labels).to_string(), "stomach");
//! let abdomen = layer.thresholds().probability_of_margin(LabelId::new(1), coherent[1]);
//! assert!((abdomen - 0.9).abs() < 1e-6);
//!
//! // The loss trains a network that knows it will be corrected by the layer.
//! let loss = ConstraintLoss::new(&program);
//! let mut gradient = [0.0; 3];
//! let truth = [true, true, false];
//! let value = loss.forward_backward(&margins, &truth, &mut gradient, &mut loss.workspace())?;
//! assert!(value.value > 0.0 && value.broken_rows == 0);
//! // Both the stomach and the abdomen are learned through the stomach's logit.
//! assert!(gradient[0] < 0.0 && gradient[1] == 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coherence;
mod delegate;
mod derivation;
mod flat;
mod gpu_schedule;
mod label;
mod layer;
mod lint;
mod loss;
mod margin;
pub mod metrics;
mod name;
mod named_enum;
mod near;
mod parse;
mod program;
#[doc(hidden)]
pub mod reference;
mod requirement;
mod rule;
mod settle;
mod span;
mod sparse_layer;
mod threshold;

pub use coherence::{
    Violation, Violations, broken_requirements, constraint_violations, known_broken_requirements,
    known_violations, logical_violations,
};
pub use delegate::Delegate;
pub use derivation::{Derivation, RuleAttempt};
pub use gpu_schedule::{GpuSchedule, ScheduleLevel};
pub use label::{LabelError, LabelId, LabelIdOutOfRange, Labels};
pub use layer::{ConstraintLayer, LayerError, LayerWorkspace, UnsettledRows};
pub use lint::{
    FixedRules, Lint, LintKind, LintReport, RequirementLint, RequirementLintKind, RequirementLints,
    fix_rules, lint, lint_deep, lint_requirements, similar_names,
};
pub use loss::{ConstraintLoss, LossValue, LossWorkspace, Reduction};
pub use margin::{FloatMargin, Margin};
pub use named_enum::UnknownName;
pub use near::NearNames;
pub use parse::{Dialect, ParsedRules, RuleError, RuleErrors, RuleText, RulesAs, SyntaxProblem};
pub use program::{
    Ancestors, BadProgramBytes, ClashingLine, ClosureTooLarge, Components, CycleStep, Dependency,
    DependencyGraph, HidingError, NegativeCycle, NotStratified, Numbering, Program, ProgramKind,
    RequirementError, Strata, Undecided, Unsatisfiable, closure, ends,
};
pub use requirement::{Claim, Requirement, RequirementId};
pub use rule::{Literal, Rule, RuleId};
pub use settle::{Counter, SearchNeed, SettleLimit, SettlePlan, Settled, SettledBy, Settlement};
pub use span::Span;
pub use sparse_layer::{SparseError, SparseLayer, SparseMargin, SparseWorkspace};
pub use threshold::{BadThreshold, Thresholds};

//! Rules and what they mean: text to a stratified program, margins to coherent
//! margins, who decided, loss and violations. No files, no clock, no
//! randomness.
//!
//! ```text
//! text ── parse ──> Program ──> ConstraintLayer ──> coherent margins, delegates
//!                     │    └──> ConstraintLoss ───> loss, gradient
//!                     └───────> lint, closure, coherence
//! ```

mod closure;
mod coherence;
mod delegate;
mod derivation;
mod graph;
mod label;
mod layer;
mod lint;
mod loss;
mod margin;
pub mod metrics;
mod parse;
mod program;
pub mod reference;
mod rule;
mod schedule;
mod strata;
mod threshold;

pub use closure::{ClosureTooLarge, closure};
pub use coherence::{
    Violation, Violations, constraint_violations, count_constraint, count_logical,
    logical_violations,
};
pub use delegate::Delegate;
pub use derivation::{Attempt, Derivation};
pub use graph::{Components, Dependency, DependencyGraph};
pub use label::{LabelError, LabelId, Labels};
pub use layer::{ConstraintLayer, LayerError, Workspace};
pub use lint::{Lint, Oddity, Warning, lint, lint_deep};
pub use loss::{ConstraintLoss, LossValue, LossWorkspace, Reduction};
pub use margin::{Margin, Real};
pub use parse::{
    Dialect, Parsed, RuleError, RuleErrors, Span, SyntaxProblem, UnknownDialect, parse,
};
pub use program::{CycleStep, Kind, NegativeCycle, NotStratified, Program};
pub use rule::{Literal, Rule, RuleId};
pub use schedule::{Level, Schedule};
pub use strata::Strata;
pub use threshold::{BadThreshold, Thresholds};

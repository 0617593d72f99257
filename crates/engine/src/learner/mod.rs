//! Learners: what turns encoded rows into logits, and how each kind is fitted.
//!
//! ```text
//! a name ── registry: LearnerMethod ──> LearnerSettings (any Fit: defaults, checks, JSON, abilities, options)
//! FitRows (encoded rows, labels, rules) ── Fit::fit(seed, plan, Watch) ──> a member: any Fitted
//! Fitted ── logits(encoded rows) ──> one logit per row and class
//! Fitted ── tensors ──> NamedTensors in a model file ── Fit::restore ──> Fitted
//! ```
//!
//! A learner is a type of settings that is [`Fit`], a type that is [`Fitted`], and a [`LearnerMethod`] for each name
//! under which it can be chosen. Nothing outside of its own folder names it, except the table of ONNX nodes and
//! what trains it on a GPU; `prior.rs` is the smallest example, `tests/registry.rs` one in another crate.
//!
//! Invariants of every learner: its logits depend on the row alone, not on the other rows of the
//! batch nor on the number of threads; equal rows, labels, settings and seed give equal bits. A
//! probability of 0 or 1 is a logit of ∓∞. Rules are not its business: the constraint layer comes
//! last, in [`predict`](crate::predict).

mod camel;
mod chain;
mod clus;
mod epochs;
mod fit;
mod fitted;
mod forest;
mod kind;
mod labelset;
mod level_network;
mod levels;
mod lmlp;
mod logistic;
mod matrix;
mod mean_probability;
mod memory_need;
mod mixture;
mod named_tensors;
mod option;
mod ordered_json;
mod prior;
#[cfg(test)]
mod reference_problem;
mod registry;
mod rows;
mod settings;
#[cfg(test)]
pub(crate) mod toy;
mod tree;
mod two_way;
mod watch;

pub use camel::{Camel, CamelSettings};
pub use chain::{ChainSettings, Chains};
pub use clus::{Clus, ClusSettings};
#[cfg(feature = "cuda")]
pub(crate) use epochs::Validation;
pub use epochs::{EpochPlan, EpochsOfMember, FittedMember, MemberPlan};
pub use fit::{Abilities, Fit, FitTask, Restored, Setting};
pub use fitted::{Comparable, Fitted};
pub use forest::{Forest, ForestSettings, SplitThresholds};
pub use kind::{Learner, Members};
pub use labelset::{LabelsetDraw, LabelsetSettings, Labelsets};
pub use level_network::{LevelNetwork, LevelNetworkSettings, LevelWiring};
#[cfg(feature = "cuda")]
pub(crate) use level_network::{LevelProblem, Wiring};
pub use lmlp::{Lmlp, LmlpSettings};
pub use logistic::{LogisticSet, LogisticSettings};
pub use named_tensors::{NamedTensors, TensorValues};
pub use option::{LearnerOption, SetOption, learner_options};
pub use prior::{Prior, PriorSettings};
pub use registry::{LearnerMethod, RegisterError, method, methods};
pub(crate) use registry::{register, sections};
pub use rows::{FitError, FitRows};
pub use settings::LearnerSettings;
#[cfg(feature = "cuda")]
pub(crate) use two_way::TwoWayProblem;
pub use two_way::{TwoWay, TwoWaySettings};
pub use watch::Watch;

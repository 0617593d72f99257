//! The methods of the tables that are not networks, by their names in the registry of learners.

use rulebound::train::Method;

/// A classifier chain in the order of the data.
pub const CC: Method = Method::Learner("cc");
/// Classifier chains in random orders.
pub const ECC: Method = Method::Learner("ecc");
/// RAkEL: overlapping label sets.
pub const RAKEL: Method = Method::Learner("rakel");
/// RAkELd: a partition into label sets.
pub const RAKEL_D: Method = Method::Learner("rakel-d");
/// CAMEL.
pub const CAMEL: Method = Method::Learner("camel");
/// Predictive clustering trees: Clus-HMC, Clus-Ens.
pub const CLUS: Method = Method::Learner("clus");
/// HMC-LMLP.
pub const LMLP: Method = Method::Learner("lmlp");
/// HMCN-F.
pub const HMCN_F: Method = Method::Learner("hmcn-f");
/// HMCN-R.
pub const HMCN_R: Method = Method::Learner("hmcn-r");
/// DHN.
pub const DHN: Method = Method::Learner("dhn");

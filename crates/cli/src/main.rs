//! The command line of rulebound.
fn main() {}

//! What a rule with one head is: a rule, or a clause like any other.

crate::named_enum! {
    /// What rules are read as.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum RulesAs: "a reading of rules" {
        /// Where its body holds, the head is raised.
        #[default]
        Rules = "rules",
        /// A requirement: whichever of its classes the model is least sure of gives way.
        Clauses = "clauses",
    }
}

//! An invalid number in a configuration.

/// An invalid number in a configuration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{what} is {found}; it must be {expected}")]
pub struct BadConfiguration {
    /// Which number.
    pub what: &'static str,
    /// Its value.
    pub found: String,
    /// The valid range.
    pub expected: &'static str,
}

/// Collects what is invalid.
///
/// ```
/// use rulebound::configuration::Checks;
/// let mistakes = Checks::new().expect(false, "trees", 0, "at least 1").mistakes();
/// assert_eq!(mistakes[0].to_string(), "trees is 0; it must be at least 1");
/// ```
#[derive(Debug, Default)]
pub struct Checks {
    mistakes: Vec<BadConfiguration>,
}

impl Checks {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mistake unless something holds.
    #[must_use]
    pub fn expect(
        mut self,
        holds: bool,
        what: &'static str,
        found: impl ToString,
        expected: &'static str,
    ) -> Self {
        if !holds {
            self.mistakes.push(BadConfiguration { what, found: found.to_string(), expected });
        }
        self
    }

    /// All mistakes.
    pub fn mistakes(self) -> Vec<BadConfiguration> {
        self.mistakes
    }
}

//! A learner of a blend as people write it: `forest:200`.

use std::fmt;
use std::str::FromStr;

use crate::configuration::{Configuration, Method};

/// A method, and how many networks, trees or chains of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LearnerChoice {
    /// The method.
    pub method: Method,
    /// How many; unset: as many as the method has by itself.
    pub count: Option<usize>,
}

impl LearnerChoice {
    /// A configuration with this method and number, where the settings of networks are those of
    /// `base`.
    ///
    /// # Errors
    /// If the method has no such number.
    pub fn configuration(self, base: &Configuration) -> Result<Configuration, ParseChoiceError> {
        let mut chosen = Configuration { method: self.method, ..base.clone() };
        if let Some(count) = self.count {
            match chosen.learner_settings() {
                Some(settings) => match settings.counted(count) {
                    Some(counted) => chosen.learner = Some(counted),
                    None if !settings.abilities().is_deterministic => chosen.members = count,
                    None => {
                        return Err(ParseChoiceError::NoCount { method: self.method, count });
                    }
                },
                None => chosen.members = count,
            }
        }
        Ok(chosen)
    }
}

/// Why a learner of a blend is not one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ParseChoiceError {
    /// There is no such method.
    #[error("`{found}` is not a method; there are {}", Method::names().join(", "))]
    Method {
        /// The text.
        found: String,
    },
    /// What follows the colon is not a number.
    #[error("`{found}` is not a number of networks or trees; it must be at least 1")]
    Count { found: String },
    /// The method has no number of anything.
    #[error("`{method}:{count}`: `{method}` is deterministic and needs no number")]
    NoCount { method: Method, count: usize },
}

impl FromStr for LearnerChoice {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, count) = match text.split_once(':') {
            Some((name, count)) => (name, Some(count)),
            None => (text, None),
        };
        let method = name.trim().parse();
        let method = method.map_err(|_| ParseChoiceError::Method { found: name.to_owned() })?;
        let number = |count: &str| {
            let number = count.trim().parse().ok().filter(|&number: &usize| number > 0);
            number.ok_or_else(|| ParseChoiceError::Count { found: count.to_owned() })
        };
        Ok(Self { method, count: count.map(number).transpose()? })
    }
}

impl fmt::Display for LearnerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "{}:{count}", self.method),
            None => write!(f, "{}", self.method),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_method_and_a_number() {
        let choice: LearnerChoice = "ccn:10".parse().unwrap();
        assert_eq!(choice, LearnerChoice { method: Method::Ccn, count: Some(10) });
        assert_eq!(choice.to_string(), "ccn:10");
        assert_eq!(choice.configuration(&Configuration::default()).unwrap().members, 10);
        assert_eq!("prior".parse::<LearnerChoice>().unwrap().count, None);
        let wrong = |text: &str| text.parse::<LearnerChoice>().unwrap_err().to_string();
        assert!(wrong("tree:3").starts_with("`tree` is not a method; there are ccn, "));
        assert_eq!(
            wrong("ccn:0"),
            "`0` is not a number of networks or trees; it must be at least 1"
        );
        let prior = LearnerChoice { method: Method::PRIOR, count: Some(2) };
        let error = prior.configuration(&Configuration::default()).unwrap_err();
        assert_eq!(error.to_string(), "`prior:2`: `prior` is deterministic and needs no number");
    }
}

//! How a text of rules numbers its classes.

use super::Program;

/// The numbers of the classes of a text that has no names for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Numbering {
    /// The number of the first class: 0 or 1.
    pub first: usize,
    /// How many classes there are, if the text says so.
    pub classes: Option<usize>,
}

impl Program {
    /// How the text of these rules numbers its classes; `None` if it names them, or if a list of labels did.
    ///
    /// ```
    /// use rulebound_core::Program;
    /// let program: Program = "p cnf 3 1\n1 -2 0".parse()?;
    /// let numbering = program.numbering().ok_or("no numbers")?;
    /// assert_eq!((numbering.first, numbering.classes), (1, Some(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn numbering(&self) -> Option<Numbering> {
        self.numbering
    }

    /// The same with classes that are called after their numbers.
    #[must_use]
    pub fn with_numbering(self, numbering: Option<Numbering>) -> Self {
        Self { numbering, ..self }
    }
}

//! What can be wrong in a data file.

use rulebound_io::input::{self, NotUtf8};

/// One mistake in a data file.
pub type Mistake = input::Mistake<Problem>;

/// The mistakes of one data file: the first twenty, and how many there are in total.
pub type Mistakes = input::Mistakes<Problem>;

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum Problem {
    /// A numeric cell is not a number.
    #[error("is not a number (column `{column}`)")]
    NotANumber { column: String },
    /// A numeric cell is infinite, too large for 32 bits, or NaN spelled out.
    #[error("is not a finite 32-bit number (column `{column}`)")]
    NotFinite { column: String },
    /// A nominal cell has a value that the column does not list.
    #[error("is not a value of column `{column}`")]
    UnknownValue { column: String },
    /// A class that the file does not declare.
    #[error("is not a class of the hierarchy")]
    UnknownClass,
    /// A label cell that is neither 0 nor 1.
    #[error("is not 0 or 1 (label `{label}`)")]
    NotALabel { label: String },
    /// A row has too many fields; the text is the first one too many.
    #[error("is one field too many: the row has {found}, but there are {expected} columns")]
    TooManyFields {
        expected: usize,
        /// How many fields the row has.
        found: usize,
    },
    /// A row has too few fields.
    #[error("ends a row of {found} fields, but there are {expected} columns")]
    TooFewFields {
        expected: usize,
        /// How many fields the row has.
        found: usize,
    },
    /// An index of a sparse row is not a number, or past the last attribute.
    #[error("is not a valid column number; they range from {first} to {last}")]
    BadIndex {
        /// The first index there is.
        first: usize,
        /// The last index there is.
        last: usize,
    },
    /// A duplicate index in a sparse row.
    #[error("occurs twice in the row")]
    DuplicateIndex,
    /// An entry of a sparse row is not an index and a value.
    #[error("is not an index and a value")]
    NotAPair,
    /// A sparse row is not closed, or has text after its end.
    #[error("does not end a sparse row, which is `{{index value, …}}`")]
    OpenBrace,
    /// A quotation mark is never closed.
    #[error("opens a quotation mark that is never closed")]
    OpenQuote,
    /// Text after a closing quotation mark.
    #[error("follows a closing quotation mark")]
    AfterQuote,
    /// The bytes are not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// A line of an ARFF header is neither an attribute nor a comment.
    #[error("is not a line of an ARFF header")]
    NotAHeader,
    /// An attribute without a name or a type.
    #[error("is not an attribute: it needs a name and a type")]
    NotAnAttribute,
    /// An unsupported attribute type.
    #[error("is not a supported attribute type")]
    UnknownType,
    /// A second hierarchical attribute.
    #[error("is a second hierarchy; a file has one")]
    SecondHierarchy,
    /// An entry of a hierarchy with an empty name.
    #[error("contains an empty name")]
    EmptyClass,
    /// A class with too many ancestors in its path.
    #[error("has more than {limit} levels")]
    TooDeep {
        /// The most levels a path may have.
        limit: usize,
    },
    /// A label that is not an attribute.
    #[error("is listed as a label, but there is no such column")]
    LabelWithoutColumn,
    /// A line of a table of labels is not an id and a label.
    #[error("is not an id and a label: the line has {found} field{}", if *found == 1 { "" } else { "s" })]
    NotTwoFields {
        /// How many fields the line has.
        found: usize,
    },
    /// A line of a table of labels without an id or without a label.
    #[error("lacks an id or a label")]
    NotAnAnnotation,
    /// A duplicate label in the list.
    #[error("is listed as a label twice")]
    DuplicateLabel,
    /// An XML label without a name.
    #[error("is a label without a name")]
    LabelWithoutName,
    /// The text is not XML.
    #[error("is not well-formed XML")]
    NotXml,
    /// A term of an ontology without an id.
    #[error("is a term without an id")]
    TermWithoutId,
    /// A line that should name another term and does not.
    #[error("does not name a term")]
    NoTerm,
    /// A term that is not defined anywhere.
    #[error("is not a term of the ontology")]
    UnknownTerm,
    /// A term that is defined twice.
    #[error("is defined twice")]
    DuplicateTerm,
    /// An alternative id of two terms.
    #[error("is an alternative id of another term, too")]
    AlternativeTwice,
}

impl From<NotUtf8> for Problem {
    fn from(NotUtf8: NotUtf8) -> Self {
        Self::NotUtf8
    }
}

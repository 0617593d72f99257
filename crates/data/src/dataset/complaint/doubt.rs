//! Columns of an untyped table that are probably not what they were taken for.
//!
//! | a column | is called | because |
//! |---|---|---|
//! | text, all of whose values are dates | date | each date would become an input of its own |
//! | text of more than 50 values that are more than a twentieth of the rows, or of more than 1000 | text | so would each value |
//! | integers called `id`, or that count the rows | id | they say nothing about a new row |
//!
//! Columns whose kind the caller gave are not judged, nor are formats that declare their kinds.

rulebound_core::named_enum! {
    /// What a column probably is.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum DoubtKind: "a doubtful kind of column" {
        /// Text, or names.
        Text = "text",
        /// Dates.
        Date = "date",
        /// The numbers of the rows.
        Id = "id",
    }
}

/// A column that is probably not what it was taken for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnDoubt {
    /// Its name.
    pub name: String,
    /// What it probably is.
    pub kind: DoubtKind,
    /// How many different values it has.
    pub distinct: usize,
    /// The first value.
    pub example: String,
    /// Whether it is a feature; otherwise it was left out because it has a different value in nearly
    /// every row.
    pub is_feature: bool,
}

impl ColumnDoubt {
    /// Whether training on it must be asked for.
    pub fn is_refused(&self) -> bool {
        self.is_feature && self.kind != DoubtKind::Id
    }
}

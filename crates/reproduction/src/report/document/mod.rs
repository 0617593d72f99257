//! The contents of a report, independent of its output format.
//!
//! Texts are plain; a part between backticks is code.

mod html;
mod markdown;

pub use markdown::Markdown;

/// A report.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// What comes before the table of contents.
    pub lead: Vec<Block>,
    /// Its parts.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// The name that links lead to: letters, digits and hyphens.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its conclusion, in one sentence; empty if nothing is judged.
    pub verdict: String,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A title within the section.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A highlighted paragraph.
    Note(String),
    /// Lines for a terminal.
    Code(String),
    /// A long, collapsed list under its title.
    Folded(String, Vec<String>),
    /// A table.
    Table(Table),
    /// Pictures side by side, as far as space allows.
    Figures(String, Vec<Figure>),
}

/// Rows and columns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The columns; the first names the rows.
    pub columns: Vec<Column>,
    /// The rows, with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its header.
    pub name: String,
    /// Whether it holds numbers.
    pub is_number: bool,
}

/// A cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// The displayed text.
    pub text: String,
    /// The value to sort by, if it is a number.
    pub value: Option<f64>,
    /// How it is highlighted.
    pub mark: Option<Mark>,
}

/// How a cell is highlighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The best in its row.
    Best,
    /// As expected.
    Fits,
    /// Not as expected.
    Differs,
}

/// A picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Its file name, without extension.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The picture as SVG, with a title.
    pub svg: String,
}

impl Table {
    /// A table without rows; columns from the second on hold numbers.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Self {
        let column =
            |(at, name): (usize, &&str)| Column { name: (*name).into(), is_number: at > 0 };
        let columns = columns.iter().enumerate().map(column).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }
}

impl Cell {
    /// A cell with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None, mark: None }
    }

    /// A cell with text that represents a number.
    pub fn with_value(value: f64, text: impl Into<String>) -> Self {
        Self { text: text.into(), value: Some(value), mark: None }
    }

    /// A number with this many decimals.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::with_value(value, crate::report::number::fixed(value, decimals))
    }

    /// Like [`number`](Self::number), or a dash.
    pub fn maybe(value: Option<f64>, decimals: usize) -> Self {
        value.map_or_else(Self::none, |value| Self::number(value, decimals))
    }

    /// A dash.
    pub fn none() -> Self {
        Self::text("–")
    }

    /// The same, highlighted if the condition holds.
    #[must_use]
    pub fn marked(mut self, mark: Mark, condition: bool) -> Self {
        if condition {
            self.mark = Some(mark);
        }
        self
    }
}

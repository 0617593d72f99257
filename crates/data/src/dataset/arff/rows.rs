//! The rows of an ARFF file, one by one.

use super::super::column::Column;
use super::super::complaint::Mistakes;
use super::super::error::DatasetError;
use super::super::file_rows::{FileRows, Role};
use super::super::labels::matrix::LabelMatrix;
use super::super::labels::named::NamedLabels;
use super::header::{Header, column};
use super::line_reader::LineReader;
use rulebound_io::features::FeatureRow;
use rulebound_io::input::Lines;

/// The rows of one file, read one by one.
pub(in super::super) struct ArffRows {
    lines: Lines,
    reader: LineReader,
}

impl ArffRows {
    /// The rows under a header; `columns` are the features of the roles.
    pub(in super::super) fn new(
        lines: Lines,
        header: Header,
        roles: Vec<Role>,
        columns: &[Column],
    ) -> Self {
        Self { lines, reader: LineReader::new(header, roles, columns) }
    }
}

impl FileRows for ArffRows {
    fn advance(
        &mut self,
        _: &mut Vec<Column>,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        loop {
            let number = self.lines.number() + 1;
            let Some(line) = self.lines.next(mistakes)? else {
                return Ok(false);
            };
            let text = line.trim_start();
            if text.is_empty() || text.starts_with('%') {
                continue;
            }
            if let Err((at, problem)) = self.reader.read(&line, number, mistakes) {
                mistakes.push(number, column(&line, at), &line[at..], problem);
            }
            return Ok(true);
        }
    }

    fn features(&self) -> FeatureRow<'_> {
        self.reader.features()
    }

    fn identifiers(&self) -> &[Option<String>] {
        self.reader.identifiers()
    }

    fn label(&mut self, row: usize, labels: &mut LabelMatrix, _: &mut NamedLabels) {
        self.reader.label(row, labels);
    }
}

//! Rows for a model: streamed from a file, or those of a data source.

use super::{ForModel, ModelRequest, SourceDetails, print_notes, source};
use crate::failure::Failure;
use rulebound::dataset::{FileFormat, IndexBase, RowOptions, RowReader, Source};
use rulebound::model::Model;
use rulebound_io::input::is_standard;
use rulebound_reproduction::DataSource;
use std::path::Path;

/// Where the rows of a model come from.
pub struct RowSource<'a> {
    pub input: &'a str,
    pub id_column: Option<&'a str>,
    pub in_format: Option<FileFormat>,
    pub split: Option<&'a str>,
    pub details: &'a SourceDetails,
}

impl RowSource<'_> {
    /// Opens the rows and does something with them.
    pub fn open<T>(
        &self,
        model: &Model,
        then: impl FnOnce(RowReader<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut options = RowOptions {
            id_column: self.id_column.map(str::to_owned),
            remembered_id: model
                .source()
                .and_then(|memory| memory.columns.identifiers.first().cloned()),
            index_base: self.details.index_base(),
            format: self.in_format,
            column_names: self.details.column_names()?,
        };
        if let (Some(memory), IndexBase::Detect) = (model.source(), options.index_base) {
            options.index_base = memory.index_base;
        }
        match source(self.input) {
            DataSource::Other(Source::Path(path))
                if self.is_streamed(&path) && self.split.is_none() =>
            {
                self.details.expect_none_for_rows()?;
                let rows = RowReader::open(&path, model.pipeline(), &options)?;
                print_notes(rows.note());
                then(rows)
            }
            _ => {
                let identifiers: Vec<String> =
                    self.id_column.into_iter().map(str::to_owned).collect();
                let request = ModelRequest {
                    identifiers: &identifiers,
                    split: self.split,
                    is_unlabelled: true,
                    ..ModelRequest::default()
                };
                let ForModel { data, rows, .. } =
                    self.details.read_for_models(self.input, &request, &[model])?;
                then(RowReader::from_dataset(&data, rows, model.pipeline(), &options)?)
            }
        }
    }

    /// Whether rows can be streamed from the path: standard input, or a file of a known format.
    fn is_streamed(&self, path: &Path) -> bool {
        let is_known = || self.in_format.is_some() || FileFormat::from_path(path).is_ok();
        is_standard(path) || !path.is_dir() && is_known()
    }
}

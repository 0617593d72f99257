//! The rows of an ARFF file of any dialect, dense or sparse.
//!
//! Nominal values are those in the header of this file, which may list more of them than were
//! fitted, or in another order.

use std::path::Path;

use super::super::arff::{self, AttributeKind, Header, Role};
use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::mistake::Mistakes;
use super::super::pipeline::Pipeline;
use super::matched_columns::MatchedColumns;
use super::{Opened, RawRow, RowOptions, Rows};
use rulebound_io::input::{Fallback, Lines};

pub(super) struct ArffRows {
    lines: Lines,
    rows: arff::Rows,
    id: Id,
}

/// Where the identifier of a row is.
enum Id {
    None,
    /// It is a text attribute of the row.
    Text,
    /// It is also this feature.
    Feature(usize, Column),
}

impl ArffRows {
    pub(super) fn open<'a>(
        path: &Path,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Opened<'a>, DatasetError> {
        let mut lines = Lines::open(path, Fallback::Latin1)?;
        let header = Header::read(&mut lines)?;
        let attributes = &header.attributes;
        let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
        let asked = options.id_among(names.iter().map(String::as_str));
        let is_text = |place: usize| matches!(attributes[place].kind, AttributeKind::Text);
        let is_label = meka_labels(&header);
        let is_last =
            |place| is_text(place) || is_label(place) || asked == Some(names[place].as_str());
        let found = MatchedColumns::new(&names, is_last, pipeline);
        let id_place = found.id(asked, is_text, path)?;
        let (mut columns, mut roles, mut id) = (Vec::new(), Vec::new(), Id::None);
        for (place, attribute) in attributes.iter().enumerate() {
            let is_id = id_place == Some(place);
            let column = match &attribute.kind {
                _ if !found.is_fitted(place) => None,
                AttributeKind::Numeric => Some(Column::numeric(found.name(place))),
                AttributeKind::Nominal(values) => Some(Column::nominal(found.name(place), values)),
                AttributeKind::Text | AttributeKind::Hierarchical(_) => None,
            };
            roles.push(match column {
                None if is_id => {
                    id = Id::Text;
                    Role::Text(0)
                }
                None => Role::Ignored,
                Some(column) => {
                    if is_id {
                        id = Id::Feature(columns.len(), column.clone());
                    }
                    columns.push(column);
                    Role::Feature(columns.len() - 1)
                }
            });
        }
        let id_name = id_place.map(|place| found.name(place).to_owned());
        let rows = arff::Rows::new(header, roles, &columns);
        Ok(Opened { rows: Box::new(Self { lines, rows, id }), columns, id: id_name, note: None })
    }
}

/// The attributes that are labels according to MEKA: they do not take a name away from a feature.
fn meka_labels(header: &Header) -> impl Fn(usize) -> bool + use<> {
    let (all, count) = (header.attributes.len(), header.meka_labels().unwrap_or(0));
    let labels = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX).min(all);
    let labels = if count < 0 { all - labels..all } else { 0..labels };
    move |place| labels.contains(&place)
}

impl Rows for ArffRows {
    fn next(&mut self, row: &mut RawRow, mistakes: &mut Mistakes) -> Result<bool, DatasetError> {
        if !self.rows.advance(&mut self.lines, mistakes)? {
            return Ok(false);
        }
        row.cells.copy_from_slice(self.rows.features());
        row.id = match &self.id {
            Id::None => None,
            Id::Text => self.rows.text(0).map(str::to_owned),
            Id::Feature(feature, column) => column.show(row.cells[*feature]),
        };
        Ok(true)
    }
}

//! The rows of a data set in memory.

use std::ops::Range;

use super::super::error::DatasetError;
use super::super::mistake::Mistakes;
use super::super::set::Dataset;
use super::{Opened, RawRow, RowOptions, Rows};

pub(super) struct DatasetRows<'a> {
    data: &'a Dataset,
    rows: Range<usize>,
    id: Id,
}

/// Where the identifier of a row is.
enum Id {
    None,
    Identifier(usize),
    Feature(usize),
}

impl<'a> DatasetRows<'a> {
    pub(super) fn open(
        data: &'a Dataset,
        rows: Range<usize>,
        options: &RowOptions,
    ) -> Result<Opened<'a>, DatasetError> {
        let ids = data.identifiers();
        let names = ids.iter().map(|id| id.name.as_str());
        let names = names.chain(data.columns().iter().map(|column| column.name.as_str()));
        let (id, name) = match options.id_among(names) {
            None if ids.is_empty() => (Id::None, None),
            None => (Id::Identifier(0), Some(ids[0].name.clone())),
            Some(name) => {
                let id = ids.iter().position(|id| id.name == name).map(Id::Identifier);
                let feature = || data.columns().iter().position(|column| column.name == name);
                let id = id.or_else(|| feature().map(Id::Feature));
                let absent =
                    || DatasetError::NoColumn { path: data.name().into(), name: name.to_owned() };
                (id.ok_or_else(absent)?, Some(name.to_owned()))
            }
        };
        let columns = data.columns().to_vec();
        Ok(Opened { rows: Box::new(Self { data, rows, id }), columns, id: name, note: None })
    }
}

impl Rows for DatasetRows<'_> {
    fn next(&mut self, row: &mut RawRow, _: &mut Mistakes) -> Result<bool, DatasetError> {
        let Some(place) = self.rows.next() else {
            return Ok(false);
        };
        self.data.features(place).copy_to(&mut row.cells);
        row.id = match self.id {
            Id::None => None,
            Id::Identifier(id) => self.data.identifiers()[id].values[place].clone(),
            Id::Feature(column) => self.data.columns()[column].show(row.cells[column]),
        };
        Ok(true)
    }
}

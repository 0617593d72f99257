//! The rows of a file of each format, or of a data set, with the columns that a model was fitted on.
//!
//! The kinds of the columns of a table are those of fitting: a cell of a numeric column must be a number, a cell of a
//! nominal column is a fitted value or an unseen one. Nominal values of an ARFF file are those in its header, which may
//! list more of them than were fitted, or in another order.

use std::ops::Range;
use std::path::Path;

use super::super::arff::{self, ArffRows, AttributeKind, Header};
use super::super::array_file::ArrayRows;
use super::super::column::Column;
use super::super::complaint::{Mistakes, ReadNote};
use super::super::error::DatasetError;
use super::super::file_rows::{FileRows, Role};
use super::super::pipeline::{FittedColumn, Pipeline};
use super::super::set::Dataset;
use super::super::source::FileFormat;
use super::super::svmlight::{IndexBase, SvmlightRows, Wanted};
use super::super::table::{Delimiter, Table, TableRows, Unlisted};
use super::RowOptions;
use super::matched_columns::MatchedColumns;
use rulebound_io::features::FeatureRow;
use rulebound_io::input::Fallback;
use rulebound_io::table::MISSING;

/// Rows that can be read, and their columns.
pub(super) struct Opened<'a> {
    pub(super) rows: Box<dyn FileRows + 'a>,
    pub(super) columns: Vec<Column>,
    pub(super) id: Option<RowId>,
    pub(super) note: Option<ReadNote>,
}

/// What identifies a row.
pub(super) struct RowId {
    pub(super) name: String,
    /// The feature that it is; otherwise it is the first identifier.
    pub(super) feature: Option<usize>,
}

impl<'a> Opened<'a> {
    fn new(rows: impl FileRows + 'a, columns: Vec<Column>, id: Option<RowId>) -> Self {
        Self { rows: Box::new(rows), columns, id, note: None }
    }

    pub(super) fn table(
        path: &Path,
        format: FileFormat,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        let table = Table::open(path, format, Delimiter::Detected)?;
        let names = table.names();
        let asked = options.id_among(names.iter().map(String::as_str));
        let found =
            MatchedColumns::new(names, |place| asked == Some(names[place].as_str()), pipeline);
        let id = found.id(asked, |_| false, path)?;
        let (mut columns, mut wanted) = (Vec::new(), Vec::new());
        for fitted in pipeline.columns() {
            let Some(place) = found.place(fitted.name()) else { continue };
            table.check_feature(place)?;
            wanted.push((place, Role::Feature(columns.len())));
            columns.push(match fitted {
                FittedColumn::Number { name, .. }
                | FittedColumn::Untouched { name, values: None } => Column::numeric(name),
                FittedColumn::OneHot { name, values, .. }
                | FittedColumn::Untouched { name, values: Some(values) } => {
                    Column::nominal(name, values)
                }
            });
        }
        // It may be a feature, too; then its cells are read as text once more.
        wanted.extend(id.map(|place| (place, Role::Identifier(0))));
        let id = id.map(|place| RowId { name: found.name(place).to_owned(), feature: None });
        let note = table.note();
        let rows = TableRows::new(table, &wanted, &columns, Unlisted::PastTheEnd, &MISSING)?;
        Ok(Self { note, ..Self::new(rows, columns, id) })
    }

    pub(super) fn arff(
        path: &Path,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        let (lines, header) = arff::open(path, Fallback::Latin1)?;
        let attributes = &header.attributes;
        let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
        let asked = options.id_among(names.iter().map(String::as_str));
        let is_text = |place: usize| matches!(attributes[place].kind, AttributeKind::Text);
        let is_label = meka_labels(&header);
        let is_last =
            |place| is_text(place) || is_label(place) || asked == Some(names[place].as_str());
        let found = MatchedColumns::new(&names, is_last, pipeline);
        let id = found.id(asked, is_text, path)?;
        let (mut columns, mut roles) = (Vec::new(), vec![Role::Ignored; names.len()]);
        for (place, attribute) in attributes.iter().enumerate() {
            let column = match &attribute.kind {
                _ if !found.is_fitted(place) => continue,
                AttributeKind::Numeric => Column::numeric(found.name(place)),
                AttributeKind::Nominal(values) => Column::nominal(found.name(place), values),
                AttributeKind::Text | AttributeKind::Hierarchical(_) => continue,
            };
            roles[place] = Role::Feature(columns.len());
            columns.push(column);
        }
        let id = id.map(|place| {
            let name = found.name(place).to_owned();
            match roles[place] {
                Role::Feature(feature) => RowId { name, feature: Some(feature) },
                _ => {
                    roles[place] = Role::Identifier(0);
                    RowId { name, feature: None }
                }
            }
        });
        let rows = ArffRows::new(lines, header, roles, &columns);
        Ok(Self::new(rows, columns, id))
    }

    /// Features by number; those that are not listed are 0.
    pub(super) fn svmlight(
        path: &Path,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        options.expect_no_id(path)?;
        // In a data set of such a file, features are named by their numbers.
        let number = |name: &str| name.parse::<u32>().ok().filter(|n| n.to_string() == name);
        let numbers = pipeline.columns().iter().filter_map(|column| number(column.name()));
        let numbers: Vec<u32> = numbers.collect();
        let columns = numbers.iter().map(|number| Column::numeric(number.to_string())).collect();
        let first = match options.index_base {
            IndexBase::Zero => 0,
            IndexBase::One => 1,
            // A feature 0 where none was fitted: this file numbers its features differently.
            IndexBase::Detect => u32::from(!numbers.contains(&0)),
        };
        let places = numbers.into_iter().enumerate().map(|(place, number)| (number, place));
        let rows = SvmlightRows::open(path, first, Wanted::These(places.collect()))?;
        Ok(Self::new(rows, columns, None))
    }

    pub(super) fn array(path: &Path, options: &RowOptions) -> Result<Self, DatasetError> {
        options.expect_no_id(path)?;
        let rows = ArrayRows::open(path)?;
        let columns = rows.columns(options.column_names.as_deref())?;
        Ok(Self::new(rows, columns, None))
    }

    pub(super) fn dataset(
        data: &'a Dataset,
        rows: Range<usize>,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        let ids = data.identifiers();
        let names = ids.iter().map(|id| id.name.as_str());
        let names = names.chain(data.columns().iter().map(|column| column.name.as_str()));
        let wanted = options.id_among(names).or(ids.first().map(|id| id.name.as_str()));
        let identifier = ids.iter().position(|id| Some(id.name.as_str()) == wanted);
        let id = match wanted {
            None => None,
            Some(name) => {
                let is_it = |column: &Column| column.name == name;
                let feature = data.columns().iter().position(is_it);
                let feature = feature.filter(|_| identifier.is_none());
                if feature.or(identifier).is_none() {
                    let (path, name) = (data.name().into(), name.to_owned());
                    return Err(DatasetError::NoColumn { path, name });
                }
                Some(RowId { name: name.to_owned(), feature })
            }
        };
        let rows = DatasetRows { data, next: rows, row: 0, identifier };
        Ok(Self::new(rows, data.columns().to_vec(), id))
    }
}

/// The attributes that are labels according to MEKA: they do not take a name away from a feature.
fn meka_labels(header: &Header) -> impl Fn(usize) -> bool + use<> {
    let (all, count) = (header.attributes.len(), header.meka_labels().unwrap_or(0));
    let labels = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX).min(all);
    let labels = if count < 0 { all - labels..all } else { 0..labels };
    move |place| labels.contains(&place)
}

/// The rows of a data set in memory.
struct DatasetRows<'a> {
    data: &'a Dataset,
    next: Range<usize>,
    row: usize,
    identifier: Option<usize>,
}

impl FileRows for DatasetRows<'_> {
    fn advance(&mut self, _: &mut Vec<Column>, _: &mut Mistakes) -> Result<bool, DatasetError> {
        let next = self.next.next();
        self.row = next.unwrap_or(self.row);
        Ok(next.is_some())
    }

    fn features(&self) -> FeatureRow<'_> {
        self.data.features(self.row)
    }

    fn identifiers(&self) -> &[Option<String>] {
        match self.identifier {
            None => &[],
            Some(id) => &self.data.identifiers()[id].values[self.row..self.row + 1],
        }
    }
}

//! ARFF files: Clus with a hierarchy, MULAN with an XML list, MEKA with `-C`.
//!
//! | dialect | where the labels are |
//! |---|---|
//! | Clus HMC | one attribute of type `hierarchical`; a row names its most specific classes `a@b@c` |
//! | MULAN | the attributes that the XML list names, in the order of the *attributes* |
//! | MEKA | the first (`-C 6`) or last (`-C -6`) attributes |
//!
//! Whatever the dialect, rows are read one by one; only the data set itself is held.

mod header;
mod line_reader;
mod plan;
mod rows;
mod words;
mod xml;

use std::path::Path;

use rulebound_core::Program;

use self::plan::Plan;
use super::builder::DatasetBuilder;
use super::cell::Places;
use super::column::ColumnKind;
use super::complaint::Difference;
use super::error::DatasetError;
use super::file_rows::{Known, Role, Roles};
use super::set::Dataset;
use super::split::SplitFile;
use rulebound_io::input::{Fallback, Lines};
use rulebound_io::storage::Storage;

pub(super) use self::header::{AttributeKind, Header};
pub(super) use self::plan::LabelPlace;
pub(super) use self::rows::ArffRows;
pub(super) use self::words::quote;

/// Reads the ARFF files of a data set, in the order of their splits.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    place: LabelPlace<'_>,
    identifiers: &[String],
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let path = &files[0].path;
    let (lines, first) = open(path, Fallback::Latin1)?;
    let Plan { roles, classes, rules, evaluated } = Plan::new(&first, path, place, identifiers)?;
    let Roles { roles, columns, identifiers } = roles;
    let builder = DatasetBuilder::new(name, columns, identifiers, classes.len())?;
    let mut builder = builder.stored_in(storage);
    let mut opened = Some((lines, first.clone()));
    for file in files {
        let (lines, header) = match opened.take() {
            Some(opened) => opened,
            None => {
                let (lines, header) = open(&file.path, Fallback::Latin1)?;
                fit(&header, (&first, path), &roles, &file.path, &mut builder)?;
                (lines, header)
            }
        };
        builder.begin(file.split)?;
        let mut rows = ArffRows::new(lines, header, roles.clone(), builder.columns());
        builder.fill(&mut rows, &file.path)?;
    }
    builder.split_off_identifiers();
    builder.finish_with(Program::new(classes, rules)?, evaluated)
}

/// Opens a file and reads its header.
pub(super) fn open(path: &Path, fallback: Fallback) -> Result<(Lines, Header), DatasetError> {
    let mut lines = Lines::open(path, fallback)?;
    let header = Header::read(&mut lines)?;
    Ok((lines, header))
}

/// Reads ARFF files whose attributes are known: identifiers, features, labels, in this order.
pub(super) fn read_fixed(
    name: &str,
    files: &[SplitFile],
    known: Known<'_>,
    (program, evaluated): (Program, Vec<bool>),
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let Roles { roles, columns, identifiers } = known.roles();
    let builder = DatasetBuilder::new(name, columns, identifiers, program.labels().len())?;
    let mut builder = builder.stored_in(storage);
    for file in files {
        let (lines, header) = open(&file.path, Fallback::None)?;
        let (expected, found) = (roles.len(), header.attributes.len());
        if expected != found {
            let (first, path) = (files[0].path.clone(), file.path.clone());
            let difference = Difference::Columns { expected, found };
            return Err(DatasetError::SplitsDiffer { first, path, difference });
        }
        builder.begin(file.split)?;
        let mut rows = ArffRows::new(lines, header, roles.clone(), builder.columns());
        builder.fill(&mut rows, &file.path)?;
    }
    builder.finish_with(program, evaluated)
}

/// Adds values that only this file lists to the nominal columns of `builder`, and checks that the
/// file has the same attributes as the first one.
fn fit(
    header: &Header,
    first: (&Header, &Path),
    roles: &[Role],
    path: &Path,
    builder: &mut DatasetBuilder,
) -> Result<(), DatasetError> {
    let differ = |difference| {
        Err(DatasetError::SplitsDiffer {
            first: first.1.to_path_buf(),
            path: path.to_path_buf(),
            difference,
        })
    };
    let (expected, found) = (first.0.attributes.len(), header.attributes.len());
    if expected != found {
        return differ(Difference::Columns { expected, found });
    }
    let pairs = first.0.attributes.iter().zip(&header.attributes).zip(roles);
    for (place, ((one, other), role)) in pairs.enumerate() {
        if one.name != other.name {
            let (expected, found) = (one.name.clone(), other.name.clone());
            return differ(Difference::Column { column: place + 1, expected, found });
        }
        match (&one.kind, &other.kind) {
            (AttributeKind::Numeric, AttributeKind::Numeric)
            | (AttributeKind::Text, AttributeKind::Text) => {}
            (AttributeKind::Nominal(_), AttributeKind::Nominal(more)) => {
                let Role::Feature(feature) = role else {
                    continue;
                };
                if let ColumnKind::Nominal { values } = &mut builder.columns_mut()[*feature].kind
                    && more != values
                {
                    let mut places = Places::new(values);
                    for value in more {
                        places.intern(value, values);
                    }
                }
            }
            (AttributeKind::Hierarchical(one), AttributeKind::Hierarchical(other)) => {
                if one != other {
                    let (expected, found) = (one.len(), other.len());
                    return differ(Difference::Hierarchy { expected, found });
                }
            }
            _ => return differ(Difference::Kind { name: one.name.clone() }),
        }
    }
    Ok(())
}

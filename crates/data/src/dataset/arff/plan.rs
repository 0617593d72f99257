//! The role of each attribute of an ARFF file: a feature, a label, the hierarchy, or text.

use std::collections::HashSet;
use std::path::Path;

use rulebound_core::{LabelId, Labels, Literal, Rule};

use super::super::column::Column;
use super::super::complaint::{Mistakes, Problem};
use super::super::error::DatasetError;
use super::super::file_rows::{Role, Roles};
use super::super::labels::columns::LabelColumns;
use super::header::{AttributeKind, Header};
use super::xml::LabelList;

/// Where the labels of an ARFF file are: in the requested columns if there are any, else a
/// hierarchical attribute, else the attributes in the XML list, else MEKA's `-C`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct LabelPlace<'a> {
    /// The XML list next to the file.
    pub(in super::super) xml: Option<&'a Path>,
    /// The requested columns.
    pub(in super::super) columns: Option<&'a LabelColumns>,
}

/// The roles of the attributes of a file, and what its labels are.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) roles: Roles,
    pub(super) classes: Labels,
    pub(super) rules: Vec<Rule>,
    pub(super) evaluated: Vec<bool>,
}

impl Plan {
    pub(super) fn new(
        header: &Header,
        path: &Path,
        place: LabelPlace<'_>,
        identifiers: &[String],
    ) -> Result<Self, DatasetError> {
        let named = |source| DatasetError::Labels { path: path.to_path_buf(), source };
        header.check_hierarchy(path)?;
        let (labels, classes, rules, evaluated) = match header.hierarchy() {
            Some((_, hierarchy)) if place.columns.is_none() => {
                let classes = hierarchy.labels().map_err(named)?;
                (Vec::new(), classes, hierarchy.rules(), hierarchy.evaluated())
            }
            _ => {
                let (labels, edges) = label_attributes(header, path, place)?;
                let names = labels.iter().map(|&label| header.attributes[label].name.clone());
                let classes = Labels::new(names).map_err(named)?;
                let literal = |name: &str| classes.find(name);
                let rules = edges.iter().filter_map(|(child, parent)| {
                    Some(Rule::new(literal(parent)?, [Literal::positive(literal(child)?)]))
                });
                let rules = rules.collect();
                let evaluated = vec![true; classes.len()];
                (labels, classes, rules, evaluated)
            }
        };
        let wanted: HashSet<&str> = identifiers.iter().map(String::as_str).collect();
        let roles = assign(header, &labels, &wanted, place.columns.is_none());
        if let Some(name) = identifiers.iter().find(|name| !roles.identifiers.contains(name)) {
            let (path, name) = (path.to_path_buf(), name.clone());
            return Err(DatasetError::NoColumn { path, name });
        }
        Ok(Self { roles, classes, rules, evaluated })
    }
}

/// Gives each attribute its role; `is_class` says whether a hierarchy holds the labels.
fn assign(header: &Header, labels: &[usize], identifiers: &HashSet<&str>, is_class: bool) -> Roles {
    let mut all = Roles::default();
    let mut next_label = labels.iter().copied().enumerate().peekable();
    for (place, attribute) in header.attributes.iter().enumerate() {
        if let Some((id, _)) = next_label.next_if(|&(_, label)| label == place) {
            all.roles.push(Role::Label(LabelId::new(id)));
            continue;
        }
        let is_text = identifiers.contains(attribute.name.as_str());
        match &attribute.kind {
            AttributeKind::Hierarchical(_) if is_class => all.roles.push(Role::Hierarchy),
            AttributeKind::Numeric if !is_text => all.feature(Column::numeric(&attribute.name)),
            AttributeKind::Nominal(values) if !is_text => {
                all.feature(Column::nominal(&attribute.name, values));
            }
            _ => all.identifier(&attribute.name),
        }
    }
    all
}

type Edges = Vec<(String, String)>;

/// The attributes that are labels, in attribute order.
fn label_attributes(
    header: &Header,
    path: &Path,
    place: LabelPlace<'_>,
) -> Result<(Vec<usize>, Edges), DatasetError> {
    let attributes = header.attributes.len();
    let names = || header.attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let too_few = |wanted| DatasetError::TooFewColumns {
        path: path.to_path_buf(),
        wanted,
        columns: attributes,
    };
    match place {
        LabelPlace { columns: Some(columns), .. } => {
            let names: Vec<String> = names();
            if let LabelColumns::Joined(_) = columns {
                let (path, wanted) = (path.to_path_buf(), columns.to_string());
                return Err(DatasetError::NoLabelColumn { path, wanted });
            }
            Ok((columns.places(&names, path)?, Vec::new()))
        }
        LabelPlace { xml: Some(xml), .. } => {
            let list = LabelList::read(xml)?;
            let wanted: HashSet<&str> = list.names.iter().map(String::as_str).collect();
            let names: Vec<String> = names();
            let known: HashSet<&str> = names.iter().map(String::as_str).collect();
            let mut mistakes = Mistakes::default();
            for (name, &(line, column)) in list.names.iter().zip(&list.places) {
                if !known.contains(name.as_str()) {
                    mistakes.push(line, column, name, Problem::LabelWithoutColumn);
                }
            }
            if !mistakes.is_empty() {
                return Err(DatasetError::Broken { path: xml.to_path_buf(), mistakes });
            }
            let is_label = |&place: &usize| wanted.contains(names[place].as_str());
            Ok(((0..attributes).filter(is_label).collect(), list.edges))
        }
        LabelPlace { .. } => {
            let count = header.meka_labels();
            let count = count.ok_or(DatasetError::NoLabels { path: path.to_path_buf() })?;
            let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let first = attributes.checked_sub(wanted).ok_or(too_few(wanted))?;
            let labels = if count < 0 { first..attributes } else { 0..wanted };
            Ok((labels.collect(), Vec::new()))
        }
    }
}

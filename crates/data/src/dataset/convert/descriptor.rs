//! The descriptor of a converted data set: what its other files do not contain.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::set::Dataset;
use super::super::split::Split;
use super::ConvertFormat;
use rulebound_io::input::read_text;

/// The version this program writes and reads.
const VERSION: u32 = 1;

/// Describes the files of a data set. Each has the columns identifiers, features, labels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Descriptor {
    version: u32,
    pub(super) name: String,
    pub(super) format: ConvertFormat,
    /// How a missing cell is written in CSV.
    pub(super) missing: String,
    pub(super) splits: Vec<Split>,
    pub(super) identifiers: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) labels: Vec<String>,
    /// The labels that are excluded from the loss and the metrics.
    pub(super) not_evaluated: Vec<String>,
}

impl Descriptor {
    pub(super) fn new(data: &Dataset, format: ConvertFormat) -> Self {
        let not_evaluated = data.classes().ids().filter(|id| !data.evaluated()[id.index()]);
        Self {
            version: VERSION,
            name: data.name().to_owned(),
            format,
            missing: missing(data),
            splits: data.splits().map(|(split, _)| split).collect(),
            identifiers: data.identifiers().iter().map(|id| id.name.clone()).collect(),
            columns: data.columns().to_vec(),
            labels: data.classes().names().map(str::to_owned).collect(),
            not_evaluated: not_evaluated.map(|id| data.classes().name(id).to_owned()).collect(),
        }
    }

    pub(super) fn read(path: &Path) -> Result<Self, DatasetError> {
        let text = read_text(path)?;
        let wrong = |source| DatasetError::Descriptor { path: path.to_path_buf(), source };
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version: found } = serde_json::from_str(&text).map_err(wrong)?;
        if found != VERSION {
            let (path, known) = (path.to_path_buf(), VERSION);
            return Err(DatasetError::DescriptorVersion { path, found, known });
        }
        serde_json::from_str(&text).map_err(wrong)
    }
}

/// A text that is not a value of the data set, to represent a missing cell.
fn missing(data: &Dataset) -> String {
    let is_taken = |text: &str| {
        let mut values = data.columns().iter().filter_map(Column::values).flatten();
        let mut ids = data.identifiers().iter().flat_map(|id| &id.values).flatten();
        values.any(|value| value == text) || ids.any(|value| value == text)
    };
    let numbered = (1..).map(|number| format!("missing{number}"));
    let candidates = ["", "?", "NA"].map(str::to_owned).into_iter().chain(numbered);
    candidates.into_iter().find(|text| !is_taken(text)).unwrap_or_default()
}

//! The rows of an svmlight file: features by number; those not listed are 0.

use std::collections::HashMap;
use std::path::Path;

use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::mistake::Mistakes;
use super::super::pipeline::Pipeline;
use super::super::svmlight::{IndexBase, read_line};
use super::{Opened, RawRow, RowOptions, Rows};
use rulebound_io::input::{Fallback, Lines};

pub(super) struct SvmlightRows {
    lines: Lines,
    /// The smallest number a feature may have.
    first: u32,
    places: HashMap<u32, usize>,
    named: Vec<(u32, f32)>,
}

impl SvmlightRows {
    pub(super) fn open<'a>(
        path: &Path,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Opened<'a>, DatasetError> {
        if let Some(name) = options.id_column.clone() {
            return Err(DatasetError::NoColumn { path: path.to_path_buf(), name });
        }
        let lines = Lines::open(path, Fallback::None)?;
        let mut columns = Vec::new();
        let mut places = HashMap::new();
        for name in pipeline.columns().iter().map(|column| column.name()) {
            // In a data set of such a file, features are named by their numbers.
            if let Some(number) = name.parse::<u32>().ok().filter(|n| n.to_string() == name) {
                places.insert(number, columns.len());
                columns.push(Column::numeric(name));
            }
        }
        let first = match options.index_base {
            IndexBase::Zero => 0,
            IndexBase::One => 1,
            // A feature 0 where none was fitted: this file numbers its features differently.
            IndexBase::Detect => u32::from(!places.contains_key(&0)),
        };
        let rows = Box::new(Self { lines, first, places, named: Vec::new() });
        Ok(Opened { rows, columns, id: None, note: None })
    }
}

impl Rows for SvmlightRows {
    fn next(&mut self, row: &mut RawRow, mistakes: &mut Mistakes) -> Result<bool, DatasetError> {
        loop {
            let number = self.lines.number() + 1;
            let Some(line) = self.lines.next(mistakes)? else {
                return Ok(false);
            };
            let text = line.split('#').next().unwrap_or_default();
            if text.trim().is_empty() {
                continue;
            }
            self.named.clear();
            read_line(text, number, self.first, &mut self.named, mistakes);
            row.cells.fill(0.0);
            for (number, value) in &self.named {
                if let Some(&place) = self.places.get(number) {
                    row.cells[place] = *value;
                }
            }
            return Ok(true);
        }
    }
}

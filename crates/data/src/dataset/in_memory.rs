//! Data sets of rows in memory.

use rulebound_core::{LabelId, Program};

use super::builder::DatasetBuilder;
use super::column::Column;
use super::error::DatasetError;
use super::set::Dataset;
use rulebound_io::table::unique_names;

impl Dataset {
    /// Training rows in memory: for each row its numbers, and for each class of the rules whether the row
    /// has it. A missing number is NaN. The columns are called `f0`, `f1` and so on; see
    /// [`with_column_names`](Self::with_column_names).
    ///
    /// ```
    /// use rulebound_core::Program;
    /// use rulebound_data::dataset::Dataset;
    /// let rules: Program = "cat -> animal".parse()?;
    /// let x = [[4.2, 1.0], [30.0, 0.0], [3.9, 1.0]];
    /// let y = [[true, true], [false, true], [true, true]];
    /// let data = Dataset::from_rows(&x, &y, rules)?;
    /// assert_eq!((data.rows(), data.columns().len()), (3, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if there is not a row of labels for each row of numbers, or a row has
    /// another length than the others; [`DatasetError::BadValue`] for an infinite number.
    pub fn from_rows<X: AsRef<[f32]>, Y: AsRef<[bool]>>(
        x: &[X],
        y: &[Y],
        program: Program,
    ) -> Result<Self, DatasetError> {
        let width = x.first().map_or(0, |row| row.as_ref().len());
        let rows = x.iter().map(AsRef::as_ref);
        Self::of_rows((width, x.len()), rows, y.len(), y.iter().map(AsRef::as_ref), program)
    }

    /// As [`from_rows`](Self::from_rows), with all rows one after the other in two slices: `x` has as many
    /// numbers for each row as are left when there is a row of `y` for each.
    ///
    /// ```
    /// use rulebound_data::dataset::Dataset;
    /// let (x, y) = ([4.2, 1.0, 30.0, 0.0], [true, true, false, true]);
    /// let data = Dataset::from_dense(&x, &y, "cat -> animal".parse()?)?;
    /// assert_eq!((data.rows(), data.columns().len()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_rows`](Self::from_rows), and if one of the slices does not hold whole rows.
    pub fn from_dense(x: &[f32], y: &[bool], program: Program) -> Result<Self, DatasetError> {
        let classes = program.labels().len();
        let rows = y.len().checked_div(classes).unwrap_or(0);
        let width = x.len().checked_div(rows).unwrap_or(0);
        for (what, expected, found) in [
            ("labels of whole rows", rows * classes, y.len()),
            ("numbers of whole rows", rows * width, x.len()),
        ] {
            if expected != found {
                return Err(DatasetError::BadLength { what, expected, found });
            }
        }
        // Without columns there are no chunks, but still rows.
        let x_rows = (0..rows).map(|row| &x[row * width..][..width]);
        let y_rows = y.chunks(classes.max(1));
        Self::of_rows((width, rows), x_rows, rows, y_rows, program)
    }

    /// The same data with other names of its columns.
    ///
    /// ```
    /// use rulebound_data::dataset::Dataset;
    /// let data = Dataset::from_dense(&[4.2, 1.0], &[true, true], "cat -> animal".parse()?)?;
    /// let data = data.with_column_names(["weight", "fur"])?;
    /// assert_eq!(data.columns()[0].name, "weight");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if there is not one name for each column. Duplicate names are made
    /// [unique](rulebound_io::table::unique_names), as those of files are.
    pub fn with_column_names(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, DatasetError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let (expected, found) = (self.columns.len(), names.len());
        if expected != found {
            return Err(DatasetError::BadLength { what: "names of columns", expected, found });
        }
        let identifiers = self.identifiers.iter().map(|identifier| identifier.name.clone());
        let names = unique_names(names.into_iter().chain(identifiers));
        for (column, name) in self.columns.iter_mut().zip(names) {
            column.name = name;
        }
        Ok(self)
    }

    fn of_rows<'r>(
        (width, rows): (usize, usize),
        x: impl Iterator<Item = &'r [f32]>,
        labelled: usize,
        y: impl Iterator<Item = &'r [bool]>,
        program: Program,
    ) -> Result<Self, DatasetError> {
        if rows != labelled {
            let what = "rows of labels";
            return Err(DatasetError::BadLength { what, expected: rows, found: labelled });
        }
        let classes = program.labels().len();
        let columns = (0..width).map(|column| Column::numeric(format!("f{column}"))).collect();
        let mut builder = DatasetBuilder::new("rows in memory", columns, Vec::new(), classes)?;
        for (x, y) in x.zip(y) {
            if y.len() != classes {
                let (what, expected, found) = ("labels of a row", classes, y.len());
                return Err(DatasetError::BadLength { what, expected, found });
            }
            let row = builder.push(x, &[])?;
            for class in (0..classes).filter(|&class| y[class]) {
                builder.labels_mut().insert(row, LabelId::new(class));
            }
        }
        builder.finish(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Program {
        "cat -> animal".parse().unwrap()
    }

    #[test]
    fn rows_and_slices_are_the_same_data() {
        let x = [[1.0, f32::NAN], [3.0, 4.0], [5.0, 6.0]];
        let y = [[true, true], [false, true], [false, false]];
        let one = Dataset::from_rows(&x, &y, rules()).unwrap();
        let flat = Dataset::from_dense(x.as_flattened(), y.as_flattened(), rules()).unwrap();
        for data in [&one, &flat] {
            assert_eq!((data.rows(), data.columns()[1].name.as_str()), (3, "f1"));
            for (row, y) in y.iter().enumerate() {
                assert_eq!(data.features(row).to_vec()[0], x[row][0]);
                let has = |class| data.labels().contains(row, LabelId::new(class));
                assert_eq!([has(0), has(1)], *y);
            }
            assert!(data.features(0).to_vec()[1].is_nan());
        }
        let named = one.with_column_names(["a", "a"]).unwrap();
        let names: Vec<&str> = named.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names[0], "a");
        assert_ne!(names[0], names[1]);
        assert!(named.with_column_names(["a"]).is_err());
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let told = |data: Result<Dataset, DatasetError>| data.unwrap_err().to_string();
        let y = [true, true, false, true];
        let x = [1.0, 2.0, 3.0];
        assert!(told(Dataset::from_dense(&x, &y, rules())).contains("3"));
        assert!(told(Dataset::from_dense(&x[..2], &y[..3], rules())).contains("3"));
        assert!(Dataset::from_dense(&[], &[], rules()).is_ok());
        let ragged = [vec![1.0], vec![1.0, 2.0]];
        assert!(Dataset::from_rows(&ragged, &[[true, true]; 2], rules()).is_err());
        assert!(Dataset::from_rows(&[[1.0]; 2], &[[true, true]], rules()).is_err());
        assert!(Dataset::from_rows(&[[1.0]], &[[true]], rules()).is_err());
        assert!(Dataset::from_rows(&[[f32::INFINITY]], &[[true, true]], rules()).is_err());
    }
}

//! Files of class weights: two columns, `class,weight`.

use std::path::Path;

use super::{ClassFileError, ClassNumbers, ClassTable};
use crate::class_names::ClassNames;

const TABLE: ClassTable<1> = ClassTable {
    numbers: &ClassNumbers {
        columns: &["weight"],
        noun: "weight",
        what: "a weight",
        expected: "a weight: a number of at least 0",
        others: "*,1",
        code: "class-weight",
        missing_code: "no-class-weight",
    },
    fits: |number| number.is_finite() && number >= 0.0,
};

/// Reads the weights of all classes.
///
/// # Errors
/// If the file cannot be read, or with all invalid lines, or with all classes that have no weight.
pub fn read_class_weights(
    path: &Path,
    classes: &ClassNames<'_>,
) -> Result<Vec<f64>, ClassFileError> {
    Ok(TABLE.read(path, classes)?.into_iter().map(|[weight]| weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::Labels;

    #[test]
    fn every_class_has_one_weight() {
        let labels = Labels::new(["a", "b", "c"]).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            read_class_weights(file.path(), &ClassNames::new(&labels))
        };
        assert_eq!(read("class,weight\nb,3\n*,0.5\n").unwrap(), [0.5, 3.0, 0.5]);
        assert_eq!(read("class,w\n*,0\n").unwrap(), [0.0; 3]);
        for (text, part) in [
            ("a,1\n", "no weight for \"b\", \"c\""),
            ("a,1\na,2\n*,1\n", "2: \"a\" already has a weight, on line 1"),
            ("a,-1\n*,1\n", "1: \"-1\" is not a weight: a number of at least 0"),
            ("d,1\n*,1\n", "1: there is no class \"d\""),
            ("*,1\na,inf\n", "2: \"inf\" is not a weight"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn columns_of_parquet_are_found_by_their_names() {
        use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
        use std::sync::Arc;
        let (labels, folder) = (Labels::new(["a", "b"]).unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path().join("weights.parquet");
        let read = |class: &str, weights: [f64; 2]| {
            let columns: [(&str, ArrayRef); 3] = [
                ("weight", Arc::new(Float64Array::from(weights.to_vec()))),
                ("rows", Arc::new(Int64Array::from(vec![7, 8]))),
                (class, Arc::new(StringArray::from(vec!["b", "a"]))),
            ];
            let rows = RecordBatch::try_from_iter(columns).unwrap();
            let file = std::fs::File::create(&path).unwrap();
            let writer = parquet::arrow::ArrowWriter::try_new(file, rows.schema(), None);
            let mut writer = writer.unwrap();
            writer.write(&rows).unwrap();
            writer.close().unwrap();
            read_class_weights(&path, &ClassNames::new(&labels)).map_err(|error| error.to_string())
        };
        assert_eq!(read("class", [0.1, 3.0]).unwrap(), [3.0, 0.1]);
        let told = read("class", [1.0, -1.0]).unwrap_err();
        assert!(told.ends_with("\n2: \"-1.0\" is not a weight: a number of at least 0"), "{told}");
        let told = read("name", [1.0, 1.0]).unwrap_err();
        assert!(told.ends_with("columns class, weight; found weight, rows, name"), "{told}");
    }
}

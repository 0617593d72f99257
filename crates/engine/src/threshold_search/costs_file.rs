//! Cost files: three columns, `class,false_positive,false_negative`.

use std::path::Path;

use super::objective::ClassCosts;
use crate::class_files::{ClassFileError, ClassNumbers, ClassTable};
use crate::class_names::ClassNames;

const TABLE: ClassTable<2> = ClassTable {
    numbers: &ClassNumbers {
        columns: &["false_positive", "false_negative"],
        noun: "costs",
        what: "costs",
        expected: "a cost: a number of at least 0",
        others: "*,1,1",
        code: "cost",
        missing_code: "no-costs",
    },
    fits: |number| number.is_finite() && number >= 0.0,
};

/// Reads the costs of all classes.
///
/// # Errors
/// If the file cannot be read, or with all invalid lines, or with all classes that have no costs.
pub fn read_costs(
    path: &Path,
    classes: &ClassNames<'_>,
) -> Result<Vec<ClassCosts>, ClassFileError> {
    let costs =
        |[false_positive, false_negative]: [f64; 2]| ClassCosts { false_positive, false_negative };
    Ok(TABLE.read(path, classes)?.into_iter().map(costs).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::Labels;

    #[test]
    fn costs_by_the_names_of_their_columns() {
        let labels = Labels::new(["a", "b"]).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        for text in [
            "class,false_positive,false_negative\nb,1,10\n*,1,2\n",
            "class,false_negative,false_positive\nb,10,1\n*,2,1\n",
        ] {
            std::fs::write(file.path(), text).unwrap();
            let costs = read_costs(file.path(), &ClassNames::new(&labels)).unwrap();
            let pairs = costs.iter().map(|costs| (costs.false_positive, costs.false_negative));
            assert_eq!(pairs.collect::<Vec<_>>(), [(1.0, 2.0), (1.0, 10.0)]);
        }
    }
}

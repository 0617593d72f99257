//! Identifiers: columns that name the examples and carry no information about them.
//!
//! The rule: text (ARFF `string`, `date` and `key`) is an identifier. In a data set of more than
//! two rows a nominal column is one if it has at least as many values as there are rows in all
//! splits together, and at least nine of ten rows have a distinct value. (Nine, not ten: two rows
//! of genbase share a protein.) Numeric columns are never identifiers unless requested.

/// A column that names the examples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identifier {
    /// The name of the column.
    pub name: String,
    /// The value of each row, where there is one.
    pub values: Vec<Option<String>>,
}

/// Whether a nominal column of `values` values is an identifier; `cells` are its cells as indices
/// of values, NaN where missing.
pub(super) fn names_its_rows(values: usize, rows: usize, cells: impl Iterator<Item = f32>) -> bool {
    if rows <= 2 || values < rows {
        return false;
    }
    let mut met = vec![false; values];
    let known = cells.filter(|cell| !cell.is_nan());
    let distinct = known.filter(|&cell| !std::mem::replace(&mut met[cell as usize], true)).count();
    distinct * 10 >= rows * 9
}

/// Whether the name of a column says that it identifies rows.
pub fn looks_like_id(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    matches!(name.as_str(), "id" | "key" | "identifier")
        || ["_id", "-id", ".id", " id"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_identify() {
        for name in ["id", "ID", " Id ", "key", "Identifier", "photo_id", "row-ID", "a.id"] {
            assert!(looks_like_id(name), "{name}");
        }
        for name in ["", "valid", "idea", "_identity", "keyboard", "paid", "idx"] {
            assert!(!looks_like_id(name), "{name}");
        }
    }

    #[test]
    fn a_distinct_value_for_nearly_every_row_makes_an_identifier() {
        let is = |values, cells: &[f32]| names_its_rows(values, cells.len(), cells.iter().copied());
        assert!(is(3, &[0., 1., 2.]));
        assert!(is(4, &[3., 1., 2.]));
        assert!(!is(3, &[0., 1., 1.]), "two rows share a value");
        assert!(!is(3, &[0., 1., f32::NAN]), "a row has none");
        assert!(!is(2, &[0., 1.]) && !is(3, &[0., 1.]), "two rows show nothing");
        assert!(!is(3, &[0., 1., 2., 0.]), "fewer values than rows");
        assert!(!is(3, &[]));
        let mut many: Vec<f32> = (0..30).map(|row| row as f32).collect();
        many[7] = 8.0;
        assert!(is(30, &many), "one pair among many");
    }
}

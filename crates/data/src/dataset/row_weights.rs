//! Weights of rows, from a column of the data.

use super::error::DatasetError;
use super::set::Dataset;

impl Dataset {
    /// The same data with the numbers of an identifier column as weights of its rows. The column
    /// goes, unless it is to stay.
    ///
    /// # Errors
    /// [`DatasetError::BadWeight`] for the first row whose weight is not a number of at least 0;
    /// [`DatasetError::NoWeights`] if there is no such column, or no row has a weight above 0.
    pub(super) fn with_row_weights(mut self, column: &str) -> Result<Self, DatasetError> {
        let absent = || DatasetError::NoWeights { data: self.name.clone(), column: column.into() };
        let found = self.identifiers.iter().find(|identifier| identifier.name == column);
        let mut weights = Vec::with_capacity(self.rows());
        for (row, value) in found.ok_or_else(absent)?.values.iter().enumerate() {
            let text = value.as_deref().unwrap_or_default().trim();
            match text.parse::<f32>() {
                Ok(weight) if weight.is_finite() && weight >= 0.0 => weights.push(weight),
                _ => {
                    let (column, text) = (column.to_owned(), text.to_owned());
                    return Err(DatasetError::BadWeight { row: row + 1, column, text });
                }
            }
        }
        if !weights.iter().any(|&weight| weight > 0.0) {
            return Err(absent());
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same data with these weights of its rows.
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if there is not one for each row, [`DatasetError::BadWeight`] for the first that is
    /// not a number of at least 0, [`DatasetError::NoWeights`] if none is above 0.
    pub fn with_weights(mut self, weights: Vec<f32>) -> Result<Self, DatasetError> {
        let column = "sample_weight";
        if weights.len() != self.rows() {
            let (expected, found) = (self.rows(), weights.len());
            return Err(DatasetError::BadLength { what: "weights of rows", expected, found });
        }
        let is_bad = |weight: &f32| !(weight.is_finite() && *weight >= 0.0);
        if let Some(row) = weights.iter().position(is_bad) {
            let (column, text) = (column.to_owned(), weights[row].to_string());
            return Err(DatasetError::BadWeight { row: row + 1, column, text });
        }
        if !weights.iter().any(|&weight| weight > 0.0) {
            return Err(DatasetError::NoWeights { data: self.name, column: column.to_owned() });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The weight of each row in the loss, if rows have weights.
    pub fn row_weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::{Builtin, Step};

    #[test]
    fn weights_are_numbers_of_at_least_0_and_one_is_above() {
        let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0).unwrap();
        let mut weights = vec![1.0; data.rows()];
        let refused = |weights: &[f32]| {
            data.clone().with_weights(weights.to_vec()).map(drop).unwrap_err().to_string()
        };
        assert!(refused(&weights[1..]).contains("weights of rows"), "{}", refused(&weights[1..]));
        assert!(refused(&vec![0.0; data.rows()]).contains("no weights above 0"));
        for bad in [-1.0, f32::NAN, f32::INFINITY] {
            weights[2] = bad;
            assert!(refused(&weights).starts_with("row 3: "), "{}", refused(&weights));
        }
        weights[2] = 0.0;
        let weighted = data.clone().with_weights(weights.clone()).unwrap();
        assert_eq!(weighted.row_weights(), Some(&weights[..]));
    }
}

//! How many test rows the sets have.

use super::super::reproduce::Subject;

/// Test points of a built-in problem.
const DRAWN: usize = 2500;

const SETS: [(&str, usize); 36] = [
    ("cellcycle_FUN", 1281),
    ("derisi_FUN", 1275),
    ("eisen_FUN", 837),
    ("expr_FUN", 1291),
    ("gasch1_FUN", 1284),
    ("gasch2_FUN", 1291),
    ("seq_FUN", 1339),
    ("spo_FUN", 1266),
    ("cellcycle_GO", 1278),
    ("derisi_GO", 1272),
    ("eisen_GO", 835),
    ("expr_GO", 1288),
    ("gasch1_GO", 1281),
    ("gasch2_GO", 1288),
    ("seq_GO", 1332),
    ("spo_GO", 1263),
    ("diatoms", 1054),
    ("enron_corr", 660),
    ("imclef07a", 1006),
    ("imclef07d", 1006),
    ("arts", 1500),
    ("business", 1500),
    ("cal500", 151),
    ("emotions", 202),
    ("enron", 579),
    ("genbase", 199),
    ("image", 600),
    ("medical", 645),
    ("rcv1subset1", 1800),
    ("rcv1subset2", 1800),
    ("rcv1subset3", 1800),
    ("rcv1subset4", 1800),
    ("rcv1subset5", 1800),
    ("science", 1500),
    ("scene", 1196),
    ("yeast", 917),
];

/// The test rows of a subject.
pub(super) fn test_rows(subject: Subject) -> usize {
    match subject {
        Subject::Synthetic(..) => DRAWN,
        Subject::Catalogue(entry) => {
            SETS.iter().find(|(name, _)| *name == entry.name).map_or(0, |(_, rows)| *rows)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::dataset::{Builtin, CATALOGUE, Split, Step};

    #[test]
    fn every_set_has_its_rows() {
        let known: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
        let sets: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        assert_eq!(known, sets);
        let data = Builtin::Rectangles.generate(Step::HALFWAY, 0).unwrap();
        assert_eq!(data.split(Split::Test).unwrap().len(), DRAWN);
    }
}

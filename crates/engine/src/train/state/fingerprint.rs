//! A digest of everything in a data set that affects training.

use sha2::{Digest, Sha256};

use crate::dataset::{Dataset, Split};
use crate::features::FeatureRow;

/// The digest, in hexadecimal. Test rows do not enter it.
pub(crate) fn fingerprint(data: &Dataset) -> String {
    let mut hash = Sha256::new();
    for (split, rows) in data.splits().filter(|(split, _)| *split != Split::Test) {
        hash.update(format!("{split} {}\n", rows.len()));
        for row in rows {
            match data.features(row) {
                FeatureRow::Dense(cells) => {
                    cells.iter().for_each(|cell| hash.update(cell.to_bits().to_le_bytes()));
                }
                sparse => sparse.stored().for_each(|(column, cell)| {
                    hash.update((column as u32).to_le_bytes());
                    hash.update(cell.to_bits().to_le_bytes());
                }),
            }
            data.labels().row(row).iter().for_each(|word| hash.update(word.to_le_bytes()));
            data.labels().unknown(row).for_each(|class| {
                hash.update(format!("unknown {}", class.index()));
            });
        }
    }
    data.columns().iter().for_each(|column| hash.update(format!("{column:?}\n")));
    data.classes().names().for_each(|name| hash.update(format!("{name:?}\n")));
    hash.update(data.program().to_text());
    hash.update(format!("{:?}", data.evaluated()));
    if let Some(weights) = data.row_weights() {
        hash.update("weights");
        weights.iter().for_each(|weight| hash.update(weight.to_bits().to_le_bytes()));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Tables of labels to mine from.

use rulebound_core::LabelId;
use rulebound_data::dataset::LabelMatrix;

/// A table with these rows of label numbers.
pub fn table<R: AsRef<[usize]>>(labels: usize, rows: impl IntoIterator<Item = R>) -> LabelMatrix {
    let mut matrix = LabelMatrix::new(labels);
    for classes in rows {
        let row = matrix.push_row();
        for &class in classes.as_ref() {
            matrix.insert(row, LabelId::new(class));
        }
    }
    matrix
}

/// Numbers from a seed: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Topics of news, as in rcv1: 101 labels in three levels (4 fields, 20 areas, 77 topics). A row is
/// about one to five topics, common ones much more often than rare ones, the second and later ones
/// mostly from the area of the first; areas and fields are nearly always marked too, and
/// occasionally a label is set by mistake. About 3.5 labels per row.
pub fn topics(rows: usize, seed: u64) -> LabelMatrix {
    const AREAS: usize = 20;
    const TOPICS: usize = 77;
    let mut numbers = Numbers(seed);
    let weights: Vec<f64> = (0..TOPICS).map(|topic| 1.0 / (topic + 2) as f64).collect();
    let total: f64 = weights.iter().sum();
    let draw = |numbers: &mut Numbers| {
        let mut left = numbers.share() * total;
        let mut passed = |weight: &f64| {
            left -= weight;
            left > 0.0
        };
        weights.iter().take_while(|weight| passed(weight)).count().min(TOPICS - 1)
    };
    let area_of = |topic: usize| (topic * 7) % AREAS;
    let rows = (0..rows).map(|_| {
        let mut classes = Vec::new();
        let first = draw(&mut numbers);
        let mut topics = vec![first];
        while topics.len() < 5 && numbers.share() < 0.35 {
            let topic = draw(&mut numbers);
            if area_of(topic) == area_of(first) || numbers.share() < 0.3 {
                topics.push(topic);
            }
        }
        for topic in topics {
            let area = area_of(topic);
            classes.push(4 + AREAS + topic);
            if numbers.share() < 0.98 {
                classes.push(4 + area);
            }
            if numbers.share() < 0.995 {
                classes.push(area % 4);
            }
        }
        if numbers.share() < 0.03 {
            classes.push(numbers.next() as usize % (4 + AREAS + TOPICS));
        }
        classes
    });
    table(4 + AREAS + TOPICS, rows)
}

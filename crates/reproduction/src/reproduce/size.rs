//! The sizes of the data sets, known without reading them.

use super::subject::Subject;
use rulebound::dataset::Builtin;

/// The number of test points of a built-in problem; it has as many training points.
const DRAWN: usize = 2500;

/// Inputs and outputs of a network for a data set, and the number of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    /// Features, encoded.
    pub inputs: usize,
    /// Classes, including roots.
    pub outputs: usize,
    /// Training and validation rows.
    pub train: usize,
    /// Test rows.
    pub test: usize,
}

/// Inputs, outputs, training and validation rows, test rows.
const SETS: [(&str, [usize; 4]); 36] = [
    ("cellcycle_FUN", [77, 500, 2476, 1281]),
    ("derisi_FUN", [63, 500, 2450, 1275]),
    ("eisen_FUN", [79, 462, 1587, 837]),
    ("expr_FUN", [561, 500, 2488, 1291]),
    ("gasch1_FUN", [173, 500, 2480, 1284]),
    ("gasch2_FUN", [52, 500, 2488, 1291]),
    ("seq_FUN", [529, 500, 2580, 1339]),
    ("spo_FUN", [86, 500, 2437, 1266]),
    ("cellcycle_GO", [77, 4126, 2473, 1278]),
    ("derisi_GO", [63, 4120, 2447, 1272]),
    ("eisen_GO", [79, 3574, 1583, 835]),
    ("expr_GO", [561, 4132, 2485, 1288]),
    ("gasch1_GO", [173, 4126, 2477, 1281]),
    ("gasch2_GO", [52, 4132, 2485, 1288]),
    ("seq_GO", [529, 4134, 2568, 1332]),
    ("spo_GO", [86, 4120, 2434, 1263]),
    ("diatoms", [371, 399, 2065, 1054]),
    ("enron_corr", [1001, 57, 988, 660]),
    ("imclef07a", [80, 97, 10000, 1006]),
    ("imclef07d", [80, 47, 10000, 1006]),
    ("arts", [462, 26, 3500, 1500]),
    ("business", [438, 30, 3500, 1500]),
    ("cal500", [68, 174, 351, 151]),
    ("emotions", [72, 6, 391, 202]),
    ("enron", [1001, 53, 1123, 579]),
    ("genbase", [2370, 27, 463, 199]),
    ("image", [294, 5, 1400, 600]),
    ("medical", [1449, 45, 333, 645]),
    ("rcv1subset1", [944, 101, 4200, 1800]),
    ("rcv1subset2", [944, 101, 4200, 1800]),
    ("rcv1subset3", [944, 101, 4200, 1800]),
    ("rcv1subset4", [937, 101, 4200, 1800]),
    ("rcv1subset5", [943, 101, 4200, 1800]),
    ("science", [743, 40, 3500, 1500]),
    ("scene", [294, 6, 1211, 1196]),
    ("yeast", [103, 14, 1500, 917]),
];

impl Subject {
    /// Its size.
    pub(crate) fn size(self) -> Size {
        let [inputs, outputs, train, test] = match self {
            Self::Synthetic(Builtin::Rectangles, _) => [2, 2, DRAWN, DRAWN],
            Self::Synthetic(Builtin::ThreeClasses, _) => [2, 3, DRAWN, DRAWN],
            Self::Synthetic(Builtin::NineRectangles, _) => [2, 9, DRAWN, DRAWN],
            Self::Catalogue(entry) => {
                SETS.iter().find(|(name, _)| *name == entry.name).map_or([0; 4], |(_, size)| *size)
            }
        };
        Size { inputs, outputs, train, test }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use crate::catalogue::CATALOGUE;
    use rulebound::dataset::{Dataset, Pipeline, Split};

    fn size(data: &Dataset) -> Size {
        let rows = |split| data.split(split).map_or(0, |rows| rows.len());
        let train = data.split(Split::Train).unwrap();
        Size {
            inputs: Pipeline::fit(data, train.take(1)).unwrap().width(),
            outputs: data.classes().len(),
            train: rows(Split::Train) + rows(Split::Valid),
            test: rows(Split::Test),
        }
    }

    #[test]
    fn every_set_of_the_catalogue_is_there() {
        let known: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
        let sets: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        assert_eq!(known, sets);
    }

    mod needs_data {
        use super::*;
        use rulebound_testing::needs;

        #[test]
        #[ignore = "needs RULEBOUND_DATA"]
        fn sizes_are_those_of_the_data() {
            let folder = needs::data();
            for subject in Target::ALL.into_iter().flat_map(Target::subjects) {
                let data = subject.read(Some(&folder), 0);
                let data = data.unwrap_or_else(|error| panic!("{subject}: {error}"));
                assert_eq!(subject.size(), size(&data), "{subject}");
            }
        }
    }
}

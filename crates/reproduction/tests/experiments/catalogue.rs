//! The 36 data sets of the paper: their counts, and that no row breaks a rule.

use std::path::Path;

use rulebound::dataset::{Dataset, Split, Summary};
use rulebound_core::{Dialect, Labels, Literal, Program, Rule, RuleText};
use rulebound_reproduction::{CATALOGUE, CatalogueEntry, SourceError, Subject};

/// The expected contents of a data set: features, encoded features, evaluated classes, rows of
/// train, valid (0 for none) and test, and rules.
struct Expected(&'static str, usize, usize, usize, [usize; 3], usize);

const EXPECTED: [Expected; 36] = [
    Expected("cellcycle_FUN", 77, 77, 499, [1628, 848, 1281], 499),
    Expected("derisi_FUN", 63, 63, 499, [1608, 842, 1275], 499),
    Expected("eisen_FUN", 79, 79, 461, [1058, 529, 837], 461),
    Expected("expr_FUN", 551, 561, 499, [1639, 849, 1291], 499),
    Expected("gasch1_FUN", 173, 173, 499, [1634, 846, 1284], 499),
    Expected("gasch2_FUN", 52, 52, 499, [1639, 849, 1291], 499),
    Expected("seq_FUN", 478, 529, 499, [1701, 879, 1339], 499),
    Expected("spo_FUN", 80, 86, 499, [1600, 837, 1266], 499),
    Expected("cellcycle_GO", 77, 77, 4122, [1625, 848, 1278], 5827),
    Expected("derisi_GO", 63, 63, 4116, [1605, 842, 1272], 5821),
    Expected("eisen_GO", 79, 79, 3570, [1055, 528, 835], 5037),
    Expected("expr_GO", 551, 561, 4128, [1636, 849, 1288], 5837),
    Expected("gasch1_GO", 173, 173, 4122, [1631, 846, 1281], 5827),
    Expected("gasch2_GO", 52, 52, 4128, [1636, 849, 1288], 5837),
    Expected("seq_GO", 478, 529, 4130, [1692, 876, 1332], 5839),
    Expected("spo_GO", 80, 86, 4116, [1597, 837, 1263], 5821),
    Expected("diatoms", 371, 371, 398, [2065, 0, 1054], 398),
    Expected("enron_corr", 1001, 1001, 56, [988, 0, 660], 56),
    Expected("imclef07a", 80, 80, 96, [10000, 0, 1006], 96),
    Expected("imclef07d", 80, 80, 46, [10000, 0, 1006], 46),
    Expected("arts", 462, 462, 26, [3500, 0, 1500], 344),
    Expected("business", 438, 438, 30, [3500, 0, 1500], 77),
    Expected("cal500", 68, 68, 174, [351, 0, 151], 39),
    Expected("emotions", 72, 72, 6, [391, 0, 202], 1),
    // Of {0,1}: one column each.
    Expected("enron", 1001, 1001, 53, [1123, 0, 579], 7),
    // 1185 attributes of {YES,NO} and an identifier.
    Expected("genbase", 1186, 2370, 27, [463, 0, 199], 88),
    Expected("image", 294, 294, 5, [1400, 0, 600], 1),
    Expected("medical", 1449, 1449, 45, [333, 0, 645], 17),
    Expected("rcv1subset1", 944, 944, 101, [4200, 0, 1800], 247),
    Expected("rcv1subset2", 944, 944, 101, [4200, 0, 1800], 81),
    Expected("rcv1subset3", 944, 944, 101, [4200, 0, 1800], 72),
    Expected("rcv1subset4", 937, 937, 101, [4200, 0, 1800], 63),
    Expected("rcv1subset5", 943, 943, 101, [4200, 0, 1800], 73),
    Expected("science", 743, 743, 40, [3500, 0, 1500], 37),
    Expected("scene", 294, 294, 6, [1211, 0, 1196], 1),
    Expected("yeast", 103, 103, 14, [1500, 0, 917], 34),
];

/// Labels that no training row has, by their numbers.
const NEVER_IN_TRAIN: [(&str, &[usize]); 6] = [
    ("arts", &[17]),
    ("business", &[24]),
    ("enron", &[45]),
    ("genbase", &[23, 24]),
    ("medical", &[8, 15, 18, 22, 29, 33, 42]),
    ("rcv1subset3", &[66, 88]),
];

fn read(name: &str, data_dir: &Path) -> Result<Dataset, SourceError> {
    Subject::Catalogue(CatalogueEntry::find(name).unwrap()).read(Some(data_dir), 0)
}

mod needs_data {
    use super::*;
    use rulebound_testing::{in_turns, needs};

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn every_set_has_its_counts_and_no_row_breaks_a_rule() {
        let data_dir = needs::data();
        for (entry, expected) in CATALOGUE.iter().zip(&EXPECTED) {
            let Expected(name, features, encoded, evaluated, rows, rules) = *expected;
            assert_eq!(entry.name, name);
            let data = Subject::Catalogue(entry).read(Some(&data_dir), 0);
            let data = data.unwrap_or_else(|error| panic!("{name}: {error}"));
            let summary = Summary::new(&data);
            assert_eq!(summary.features, features, "{name}");
            assert_eq!(summary.features_encoded, encoded, "{name}");
            assert_eq!(summary.evaluated_classes, evaluated, "{name}");
            assert_eq!(summary.rules, rules, "{name}");
            for (split, rows) in Split::ALL.into_iter().zip(rows) {
                assert_eq!(summary.rows.get(&split).copied().unwrap_or(0), rows, "{name} {split}");
                let incoherent = summary.incoherent_rows.get(&split).copied().unwrap_or(0);
                assert_eq!(incoherent, 0, "{name} {split}");
            }
            if let Some((_, never)) = NEVER_IN_TRAIN.iter().find(|(set, _)| *set == name) {
                let ids = never.iter().map(|&id| rulebound_core::LabelId::new(id));
                let never: Vec<_> = ids.map(|id| data.classes().name(id)).collect();
                assert_eq!(summary.never_positive[&Split::Train], never, "{name}");
            }
            assert!(summary.label_cardinality > 0.9, "{name}: {}", summary.label_cardinality);
            let is_identified: Vec<_> = data.identifiers().iter().map(|id| &id.name).collect();
            assert_eq!(is_identified, if name == "genbase" { vec!["protein"] } else { vec![] });
        }
    }

    /// That no row breaks a rule is only meaningful if rows break rules that are read wrongly.
    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn in_the_order_of_the_xml_list_the_rules_would_not_hold() {
        let data_dir = needs::data();
        for (name, share) in [("yeast", 0.355), ("enron", 0.069)] {
            let data = read(name, &data_dir).unwrap();
            let folder = CatalogueEntry::find(name).unwrap().folder(Some(&data_dir)).unwrap();
            let list = std::fs::read_to_string(folder.join(format!("{name}.xml"))).unwrap();
            let listed = list.split("name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            let listed = Labels::new(listed).unwrap();
            let text =
                std::fs::read_to_string(folder.join(format!("{name}_constraints.txt"))).unwrap();
            let wrong = RuleText::new(&text)
                .labels(listed.clone())
                .dialect(Dialect::Ccn)
                .parse()
                .unwrap()
                .program;
            let find = |id| data.classes().find(listed.name(id)).unwrap();
            let rules = wrong.rules().iter().map(|rule| {
                let body = rule.body().iter().map(|literal| match literal.is_negated() {
                    true => Literal::negative(find(literal.label())),
                    false => Literal::positive(find(literal.label())),
                });
                Rule::new(find(rule.head()), body)
            });
            let wrong = Program::new(data.classes().clone(), rules.collect()).unwrap();
            let rows = data.rows();
            let summary = Summary::new(&data.with_program(wrong).unwrap());
            let broken = summary.incoherent_rows.values().sum::<usize>() as f64 / rows as f64;
            assert!((broken - share).abs() < 0.001, "{name}: {broken}");
        }
    }

    /// The same features and rows, and eight times the classes.
    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn reading_time_is_not_quadratic_in_the_classes() {
        let data_dir = needs::data();
        let read = |name: &str| assert!(read(name, &data_dir).unwrap().rows() > 0);
        let [few, many] = in_turns(3, [&mut || read("expr_FUN"), &mut || read("expr_GO")]);
        println!("expr_FUN in {few:.2} s, expr_GO in {many:.2} s");
        assert!(many / few < 8.0, "{few} and {many}");
    }
}

#[test]
fn an_absent_set_names_its_expected_folder() {
    let empty = tempfile::tempdir().unwrap();
    let error = read("yeast", empty.path()).unwrap_err();
    let SourceError::Absent { entry, folder } = &error else {
        panic!("{error}");
    };
    assert_eq!((entry.name, folder), ("yeast", &empty.path().join("lcmc/yeast")));
}

#[test]
fn entries_carry_the_hyperparameters_of_the_paper() {
    let of = |name| CatalogueEntry::find(name).unwrap().hyperparameters;
    let funcat = of("cellcycle_FUN");
    assert_eq!((funcat.hidden, funcat.batch, funcat.epochs), (500, 4, Some(106)));
    assert_eq!((funcat.learning_rate, funcat.dropout, funcat.weight_decay), (1e-4, 0.7, 1e-5));
    assert_eq!((of("expr_GO").learning_rate, of("seq_GO").learning_rate), (1e-5, 1e-5));
    assert_eq!((of("diatoms").learning_rate, of("seq_GO").hidden), (1e-5, 9000));
    let yeast = of("yeast");
    assert_eq!((yeast.hidden, yeast.epochs), (4000, None));
    assert_eq!((yeast.learning_rate, yeast.dropout, yeast.weight_decay), (1e-4, 0.8, 1e-4));
}

//! Any requirements and margins: what comes out is the lexicographic optimum, found by trying all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound_core::{
    ConstraintLayer, LabelId, Labels, Literal, Margin, Program, Requirement, Rule, SearchNeed,
    Thresholds, reference,
};

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn below(&mut self, count: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % count
    }

    fn literals(&mut self, classes: usize, most: usize) -> Vec<Literal> {
        let count = self.below(most + 1);
        let literal = |at: usize| {
            let label = LabelId::new(at / 2);
            if at % 2 == 1 { Literal::negative(label) } else { Literal::positive(label) }
        };
        (0..count).map(|_| literal(self.below(2 * classes))).collect()
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let classes = 2 + bytes.below(8);
    let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
    let mut rules = Vec::new();
    for _ in 0..bytes.below(5) {
        let head = LabelId::new(bytes.below(classes));
        rules.push(Rule::new(head, bytes.literals(classes, 2)));
    }
    let mut requirements = Vec::new();
    for _ in 0..1 + bytes.below(8) {
        let guard = bytes.literals(classes, 2);
        let (least, most) = (bytes.below(4) as u32, bytes.below(5) as u32);
        let members = bytes.literals(classes, 5);
        requirements.push(match bytes.below(2) {
            0 => Requirement::any(guard, members),
            _ => Requirement::count(guard, least, most, members),
        });
    }
    let Ok(program) = Program::new(labels, rules) else { return };
    let Ok(program) = program.with_requirements(requirements, &[]) else { return };
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, 5e-324, -5e-324];
    let margins: Vec<f64> = (0..classes)
        .map(|_| match bytes.below(2) {
            0 => special[bytes.below(8)],
            _ => bytes.below(256) as f64 - 127.5,
        })
        .collect();
    let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
    let mut values = vec![0.0; classes];
    layer.forward(&margins, &mut values, &mut layer.workspace()).unwrap();
    let coherent = reference::coherent_predictions(&program);
    let expected = reference::strongest_first(&program, coherent, &margins);
    let sides = |values: &[f64]| values.iter().map(|v| v.is_predicted()).collect::<Vec<_>>();
    assert_eq!(sides(&values), sides(&expected), "{}", program.to_text());
    if program.search_need() == Some(SearchNeed::Closed) {
        assert_eq!(values, expected, "{}", program.to_text());
    }
});

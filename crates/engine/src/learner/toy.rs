//! A small hierarchy with rows, for tests.

use rulebound_core::{LabelId, Program};

use super::rows::FitRows;
use crate::dataset::LabelMatrix;
use crate::random::{Draws, Purpose, unit};

/// Rows whose labels follow from the signs of their inputs.
pub(crate) struct Toy {
    inputs: Vec<f32>,
    labels: LabelMatrix,
    program: Program,
    evaluated: Vec<bool>,
}

impl Toy {
    /// The number of inputs of a row.
    pub const WIDTH: usize = 5;

    /// Rows with `root` above `a` and `b`, `a1` and `a2` below `a`, and `ab` below both.
    pub fn new(rows: usize, seed: u64) -> Self {
        let rules = "a -> root\nb -> root\na1 -> a\na2 -> a\nab -> a\nab -> b";
        Self::with_rules(rules, rows, seed)
    }

    /// The same classes with other rules, which the labels follow if they are among the first.
    pub fn with_rules(rules: &str, rows: usize, seed: u64) -> Self {
        let program: Program = rules.parse().unwrap();
        let draws = Draws::new(seed, Purpose::Points);
        let number = |at: usize| 4.0 * unit(draws.four(at as u32, 0, 0)[0]) - 2.0;
        let inputs: Vec<f32> = (0..rows * Self::WIDTH).map(number).collect();
        let mut labels = LabelMatrix::new(program.labels().len());
        for x in inputs.chunks(Self::WIDTH) {
            let row = labels.push_row();
            let (a, b) = (x[0] > -0.5, x[1] > 0.0);
            let holds = [
                ("root", true),
                ("a", a),
                ("b", b),
                ("a1", a && x[2] > 0.0),
                ("a2", a && x[2] + x[3] < 0.0),
                ("ab", a && b && x[4] > -1.0),
            ];
            for (name, _) in holds.iter().filter(|(_, holds)| *holds) {
                if let Some(class) = program.labels().find(name) {
                    labels.insert(row, class);
                }
            }
        }
        let evaluated = program.labels().names().map(|name| name != "root").collect();
        Self { inputs, labels, program, evaluated }
    }

    /// Its rows.
    pub fn rows(&self) -> FitRows<'_> {
        let rows = FitRows::new(&self.inputs, Self::WIDTH, &self.labels, &self.program);
        rows.with_evaluated(&self.evaluated)
    }

    /// How many labels of evaluated classes have the sign of their logits, as a fraction.
    pub fn accuracy(&self, logits: impl Fn(&[f32], &mut [f32])) -> f64 {
        let rows = self.rows();
        let mut found = vec![0.0; rows.rows() * rows.classes()];
        logits(&self.inputs, &mut found);
        let (mut right, mut all) = (0, 0);
        for (row, found) in found.chunks(rows.classes()).enumerate() {
            for (class, &logit) in
                found.iter().enumerate().filter(|&(class, _)| self.evaluated[class])
            {
                all += 1;
                right +=
                    usize::from((logit > 0.0) == self.labels.contains(row, LabelId::new(class)));
            }
        }
        f64::from(right as u32) / f64::from(all as u32)
    }

    /// Asserts that the logits of all rows are those of each row by itself.
    pub fn expect_rows_alone(&self, logits: impl Fn(&[f32], &mut [f32])) {
        let rows = self.rows();
        let classes = rows.classes();
        let mut together = vec![0.0; rows.rows() * classes];
        logits(&self.inputs, &mut together);
        for (row, together) in together.chunks(classes).enumerate() {
            let mut alone = vec![0.0; classes];
            logits(rows.row(row), &mut alone);
            assert_eq!(alone, together, "row {row}");
        }
    }
}

/// The same work with one thread and with three, whose results must be equal.
pub(super) fn expect_any_threads<T: PartialEq + std::fmt::Debug + Send>(
    work: impl Fn() -> T + Send + Sync,
) -> T {
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    };
    let one = of(1);
    assert!(one == of(3), "threads change the result");
    one
}

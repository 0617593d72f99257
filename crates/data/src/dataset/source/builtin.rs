//! The paper's synthetic problems, generated from a seed.
//!
//! Each has 5000 points, uniform over the unit square, half train and half test.

use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

use super::super::builder::DatasetBuilder;
use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::set::Dataset;
use super::super::split::Split;
use super::rectangle::{R2, Rectangle, Step};
use rulebound_io::random::{Draws, Purpose, unit};

const POINTS: u64 = 5000;

rulebound_core::named_enum! {
    /// A built-in problem.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Builtin: "a built-in problem" {
        /// Two classes: `A1` is the rectangle R1, `A` is R1 or R2; the rule is `A1 -> A`.
        Rectangles = "rectangles",
        /// Nine classes and rectangles; `A5` is an ancestor and `A3` a descendant of every class.
        NineRectangles = "nine-rectangles",
        /// Three classes: `A` is R1 or R2, `A1` is R1, `A2` is R2 without R1; the rules are
        /// `A1 -> A`, `A2 -> A` and `A, not A1 -> A2`.
        ThreeClasses = "three-classes",
    }
}

/// The nine rectangles, in hundredths: R1 to R9, left, low, right, high.
const NINE: [[u8; 4]; 9] = [
    [10, 60, 40, 90],
    [45, 60, 55, 90],
    [60, 60, 90, 90],
    [10, 45, 40, 55],
    [45, 45, 55, 55],
    [60, 45, 90, 55],
    [10, 10, 40, 40],
    [45, 10, 55, 40],
    [60, 10, 90, 40],
];

impl Builtin {
    /// Whether the problem has a [`Step`].
    pub const fn has_steps(self) -> bool {
        !matches!(self, Self::NineRectangles)
    }

    /// Generates the data: the same seed gives the same points for every step.
    ///
    /// # Errors
    /// None that the caller can cause.
    pub fn generate(self, step: Step, seed: u64) -> Result<Dataset, DatasetError> {
        let program = self.program()?;
        let columns = vec![Column::numeric("x"), Column::numeric("y")];
        let classes = program.labels().len();
        let mut builder = DatasetBuilder::new(self.name(), columns, vec![], classes)?;
        let r1 = step.r1();
        for (split, points) in [(Split::Train, 0..POINTS / 2), (Split::Test, POINTS / 2..POINTS)] {
            builder.begin(split)?;
            for index in points {
                let point = point(seed, index);
                let row = builder.push(&point, &[])?;
                self.label(point, &r1, |class| {
                    builder.labels_mut().insert(row, LabelId::new(class));
                });
            }
        }
        builder.finish(program)
    }

    /// The rectangles that the classes are made of: R1, R2 and so on.
    pub fn rectangles(self, step: Step) -> Vec<Rectangle> {
        match self {
            Self::Rectangles | Self::ThreeClasses => vec![step.r1(), R2],
            Self::NineRectangles => NINE.map(nine).to_vec(),
        }
    }

    /// Gives the point its classes.
    fn label(self, point: [f32; 2], r1: &Rectangle, mut insert: impl FnMut(usize)) {
        match self {
            Self::Rectangles | Self::ThreeClasses => {
                let (in1, in2) = (r1.contains(point), R2.contains(point));
                let is_three = self == Self::ThreeClasses;
                let classes = match is_three {
                    true => [in1 || in2, in1, in2 && !in1],
                    false => [in1, in1 || in2, false],
                };
                (0..3).filter(|&class| classes[class]).for_each(&mut insert);
            }
            Self::NineRectangles => {
                let inside = NINE.iter().position(|corners| nine(*corners).contains(point));
                match inside {
                    // A3 is a descendant of every class.
                    Some(2) => (0..9).for_each(insert),
                    // A5 is an ancestor of every class.
                    Some(4) => insert(4),
                    Some(class) => {
                        insert(class);
                        insert(4);
                    }
                    None => {}
                }
            }
        }
    }

    fn program(self) -> Result<Program, DatasetError> {
        let names: Vec<String> = match self {
            Self::Rectangles => vec!["A1".into(), "A".into()],
            Self::ThreeClasses => vec!["A".into(), "A1".into(), "A2".into()],
            Self::NineRectangles => (1..=9).map(|class| format!("A{class}")).collect(),
        };
        let labels = Labels::new(names)
            .map_err(|source| DatasetError::Labels { path: self.name().into(), source })?;
        let positive = |class| Literal::positive(LabelId::new(class));
        let rule = |head, body: &[Literal]| Rule::new(LabelId::new(head), body.iter().copied());
        let rules = match self {
            Self::Rectangles => vec![rule(1, &[positive(0)])],
            Self::ThreeClasses => vec![
                rule(0, &[positive(1)]),
                rule(0, &[positive(2)]),
                rule(2, &[positive(0), !positive(1)]),
            ],
            Self::NineRectangles => {
                let between = [0, 1, 3, 5, 6, 7, 8];
                let up = between.map(|class| rule(4, &[positive(class)]));
                let down = between.map(|class| rule(class, &[positive(2)]));
                up.into_iter().chain(down).collect()
            }
        };
        Ok(Program::new(labels, rules)?)
    }
}

/// One of the nine rectangles, from its corners in hundredths.
fn nine(corners: [u8; 4]) -> Rectangle {
    let [left, low, right, high] = corners.map(|corner| f32::from(corner) / 100.0);
    Rectangle::new([left, low], [right, high])
}

/// Point number `index` of a seed, uniform over the unit square.
fn point(seed: u64, index: u64) -> [f32; 2] {
    let [x, y, ..] = Draws::new(seed, Purpose::Points).four(index as u32, (index >> 32) as u32, 0);
    [unit(x), unit(y)]
}

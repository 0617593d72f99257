//! Labels of rows as Python gives them: 0, 1, or 2 where a label is not known.

use numpy::PyReadonlyArray2;

const TRUE: u8 = 1;
const UNKNOWN: u8 = 2;

/// Labels of rows, row-major, and which of them are known.
pub struct LabelMarks {
    /// What is true; what is not known is not.
    pub truth: Vec<bool>,
    /// What is known; none if everything is.
    pub known: Option<Vec<bool>>,
    /// Rows and classes.
    pub shape: (usize, usize),
}

impl LabelMarks {
    pub fn new(marks: &PyReadonlyArray2<'_, u8>) -> Self {
        let marks = marks.as_array();
        let truth = marks.iter().map(|&mark| mark == TRUE).collect();
        let has_unknown = marks.iter().any(|&mark| mark == UNKNOWN);
        let known = has_unknown.then(|| marks.iter().map(|&mark| mark != UNKNOWN).collect());
        Self { truth, known, shape: marks.dim() }
    }

    /// The marks of labels, given which are known.
    pub fn marks(truth: &[bool], known: Option<&[bool]>) -> Vec<u8> {
        let is_known = |at: usize| known.is_none_or(|known| known[at]);
        let mark = |(at, &truth): (usize, &bool)| if is_known(at) { truth.into() } else { UNKNOWN };
        truth.iter().enumerate().map(mark).collect()
    }
}

//! Means of probabilities that stay exact near 0 and near 1.

/// The sums of the probabilities that classes are true, and that they are not.
///
/// Both are kept because 1 − p has no digits left where p is nearly 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MeanProbability {
    sums: Vec<[f64; 2]>,
}

impl MeanProbability {
    /// Nothing added yet.
    pub fn new(classes: usize) -> Self {
        Self { sums: vec![[0.0; 2]; classes] }
    }

    /// Adds the probability of a class, and that of its opposite.
    pub fn add(&mut self, class: usize, yes: f64, no: f64) {
        let [yeses, noes] = &mut self.sums[class];
        *yeses += yes;
        *noes += no;
    }

    /// Adds the probability of a class with this logit.
    pub fn add_logit(&mut self, class: usize, logit: f64) {
        let small = (-logit.abs()).exp();
        let (likely, unlikely) = (1.0 / (1.0 + small), small / (1.0 + small));
        if logit > 0.0 {
            self.add(class, likely, unlikely)
        } else {
            self.add(class, unlikely, likely)
        }
    }

    /// The logits of the means; ∓∞ where a mean is 0 or 1.
    pub fn logits(&self, out: &mut [f32]) {
        for (out, [yes, no]) in out.iter_mut().zip(&self.sums) {
            *out = (yes.ln() - no.ln()) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_one_is_itself_and_of_opposites_is_even() {
        let mut mean = MeanProbability::new(4);
        mean.add_logit(0, 40.0);
        mean.add_logit(1, f64::NEG_INFINITY);
        mean.add_logit(2, 3.0);
        mean.add_logit(2, -3.0);
        mean.add_logit(3, f64::INFINITY);
        let mut logits = [0.0; 4];
        mean.logits(&mut logits);
        assert!((logits[0] - 40.0).abs() < 1e-5 && logits[2].abs() < 1e-6);
        assert_eq!((logits[1], logits[3]), (f32::NEG_INFINITY, f32::INFINITY));
    }
}

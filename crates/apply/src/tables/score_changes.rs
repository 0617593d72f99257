//! What rules and requirements changed in scores and decisions.

/// How many scores and decisions differ from those that came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScoreChanges {
    /// How many scores are higher than before.
    pub raised_scores: u64,
    /// How many scores are lower than before.
    pub lowered_scores: u64,
    /// How many decisions are positive that the scores as they came did not make so.
    pub newly_predicted: u64,
    /// How many decisions of the scores as they came are no longer positive.
    pub no_longer_predicted: u64,
}

impl ScoreChanges {
    /// Adds decisions and scores, before and after.
    pub fn add(
        &mut self,
        before: impl Iterator<Item = (bool, f64)>,
        after: impl Iterator<Item = (bool, f64)>,
    ) {
        for ((was, before), (is, after)) in before.zip(after) {
            self.raised_scores += u64::from(after > before);
            self.lowered_scores += u64::from(after < before);
            self.newly_predicted += u64::from(is && !was);
            self.no_longer_predicted += u64::from(was && !is);
        }
    }
}

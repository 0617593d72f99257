//! Training local perceptrons, level by level.

use rulebound_core::{FloatMargin, LabelId};

use super::Lmlp;
use super::local::{Before, Local, Rates};
use super::settings::LmlpSettings;
use crate::learner::epochs::{EpochPlan, FittedMember, TrainedByEpochs, train};
use crate::learner::fitted::Fitted;
use crate::learner::levels::Levels;
use crate::learner::rows::{FitError, FitRows};
use crate::learner::watch::Watch;
use crate::random::{Draws, Purpose};

const METHOD: &str = "lmlp";

impl Lmlp {
    /// Trains perceptrons on `rows`, as long as the plan says; its numbers of epochs are rounded up
    /// to whole turns.
    ///
    /// # Errors
    /// If the rules are not a hierarchy, the error is no longer a number, or the fit is stopped.
    ///
    /// # Panics
    /// If the plan is a search and there are no validation rows.
    pub fn fit(
        rows: &FitRows<'_>,
        valid: Option<&FitRows<'_>>,
        settings: &LmlpSettings,
        plan: EpochPlan,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<FittedMember<Self>, FitError> {
        let turns = |epochs: usize| epochs.div_ceil(settings.turn);
        let plan = match plan {
            EpochPlan::Exactly(epochs) => EpochPlan::Exactly(turns(epochs)),
            EpochPlan::Search { patience, most } => {
                EpochPlan::Search { patience: turns(patience), most: turns(most) }
            }
        };
        let trainee = LmlpTrainee::new(rows, settings, seed)?;
        let fitted = train(METHOD, trainee, plan, valid, watch)?;
        Ok(FittedMember { epochs: fitted.epochs * settings.turn, ..fitted })
    }
}

/// Local perceptrons during training.
struct LmlpTrainee<'a> {
    learner: Lmlp,
    rows: &'a FitRows<'a>,
    settings: &'a LmlpSettings,
    seed: u64,
}

impl<'a> LmlpTrainee<'a> {
    fn new(rows: &'a FitRows<'a>, settings: &'a LmlpSettings, seed: u64) -> Result<Self, FitError> {
        let levels = Levels::new(METHOD, rows)?;
        let mut above = 0;
        let mut locals = Vec::new();
        let last = levels.iter().len().saturating_sub(1);
        for (level, classes) in levels.iter().enumerate() {
            let inputs = rows.width() + above;
            let [first, deepest] = settings.hidden;
            let share = first + (deepest - first) * level as f64 / last.max(1) as f64;
            let hidden = ((share * inputs as f64).round() as usize).max(1);
            locals.push(Local::random(inputs, hidden, classes.len(), seed, level));
            above = classes.len();
        }
        Ok(Self { learner: Lmlp { inputs: rows.width(), levels, locals }, rows, settings, seed })
    }

    /// The inputs of all rows for a level: those of the row, and the outputs of the level above.
    fn inputs(&self, level: usize) -> (Vec<f32>, usize) {
        let (rows, width) = (self.rows.rows(), self.rows.width());
        let mut inputs = self.rows.inputs().to_vec();
        let mut above = 0;
        let (mut hidden, mut sums) = (Vec::new(), Vec::new());
        for local in &self.learner.locals[..level] {
            let mut next = Vec::with_capacity(rows * (width + local.output.outputs));
            for inputs in inputs.chunks_exact(width + above) {
                local.sums(inputs, &mut hidden, &mut sums);
                next.extend_from_slice(&inputs[..width]);
                next.extend(sums.iter().map(|sum| sum.softplus_sigmoid().1));
            }
            inputs = next;
            above = local.output.outputs;
        }
        (inputs, width + above)
    }
}

impl TrainedByEpochs for LmlpTrainee<'_> {
    type Learner = Lmlp;

    /// A turn of every level.
    fn epoch(&mut self, turn: u32, watch: &Watch<'_>) -> Result<f64, FitError> {
        let rates = Rates::new(self.settings);
        let mut total = 0.0;
        for level in 0..self.learner.locals.len() {
            let (inputs, width) = self.inputs(level);
            let classes = self.learner.levels.classes(level);
            let local = &mut self.learner.locals[level];
            let (mut before, mut truth) = (Before::default(), vec![0.0; classes.len()]);
            for epoch in 0..self.settings.turn as u32 {
                let epoch = turn * self.settings.turn as u32 + epoch;
                let draws = Draws::in_epoch(self.seed, Purpose::Shuffle, epoch);
                before.forget();
                let mut squared = 0.0;
                for row in draws.shuffle(self.rows.rows()) {
                    watch.go_on()?;
                    let row = row as usize;
                    for (truth, &class) in truth.iter_mut().zip(classes) {
                        let class = LabelId::new(class as usize);
                        *truth = f32::from(u8::from(self.rows.labels().contains(row, class)));
                    }
                    let inputs = &inputs[row * width..][..width];
                    squared += local.learn(inputs, &truth, rates, &mut before);
                }
                if epoch + 1 == (turn + 1) * self.settings.turn as u32 {
                    total += 0.5 * squared / self.rows.rows().max(1) as f64;
                }
            }
        }
        Ok(total)
    }

    fn learner(&self) -> &Lmlp {
        &self.learner
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        self.learner.logits(inputs, logits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::toy::{Toy, expect_any_threads};
    use crate::learner::{NamedTensors, TensorValues};

    fn settings() -> LmlpSettings {
        LmlpSettings {
            hidden: [3.0, 2.0],
            learning_rates: [0.3, 0.3],
            momentum: [0.5, 0.5],
            turn: 2,
        }
    }

    #[test]
    fn it_learns_and_threads_change_nothing() {
        let (train, valid) = (Toy::new(400, 1), Toy::new(200, 2));
        let plan = EpochPlan::Search { patience: 20, most: 80 };
        let fitted = expect_any_threads(|| {
            let (rows, valid) = (train.rows(), valid.rows());
            Lmlp::fit(&rows, Some(&valid), &settings(), plan, 5, &Watch::idle()).unwrap()
        });
        assert!(fitted.best.unwrap() > 0.95 && fitted.epochs % 2 == 0, "{:?}", fitted.best);
        let lmlp = fitted.learner;
        let right = valid.accuracy(|inputs, logits| lmlp.logits(inputs, logits));
        assert!(right > 0.9, "{right}");
        valid.expect_rows_alone(|inputs, logits| lmlp.logits(inputs, logits));
        assert_eq!(Lmlp::from_tensors(lmlp.tensors(), Toy::WIDTH, 6).unwrap(), lmlp);
    }

    /// No error goes up to the levels above: the first level is trained as if it were alone.
    #[test]
    fn the_first_level_does_not_know_the_others() {
        let toy = Toy::new(50, 1);
        let alone = Toy::with_rules("a -> root\nb -> root", 50, 1);
        let fit = |toy: &Toy| {
            let (rows, plan) = (toy.rows(), EpochPlan::Exactly(4));
            Lmlp::fit(&rows, None, &settings(), plan, 5, &Watch::idle()).unwrap().learner
        };
        let (deep, flat) = (fit(&toy), fit(&alone));
        assert_eq!((deep.locals.len(), flat.locals.len()), (2, 1));
        assert_eq!(deep.locals[0], flat.locals[0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fit = |toy: &Toy| {
            let (rows, plan) = (toy.rows(), EpochPlan::Exactly(2));
            Lmlp::fit(&rows, None, &settings(), plan, 0, &Watch::idle())
        };
        let error = fit(&Toy::with_rules("a, b -> ab", 10, 1)).unwrap_err();
        assert!(matches!(error, FitError::Unsuitable { method: "lmlp", .. }), "{error}");
        let tensors = fit(&Toy::new(30, 1)).unwrap().learner.tensors();
        let read = |tensors| Lmlp::from_tensors(tensors, Toy::WIDTH, 6).map(|_| ());
        assert_eq!(read(tensors.clone()), Ok(()));
        assert!(Lmlp::from_tensors(tensors.clone(), 4, 6).is_err());
        assert!(Lmlp::from_tensors(tensors.clone(), Toy::WIDTH, 7).is_err());
        let with = |name: &str, shape: &[usize], values: TensorValues| {
            let mut changed = NamedTensors::new();
            for (other, shape, values) in tensors.iter().filter(|(other, ..)| *other != name) {
                changed.insert(other, shape, values.clone());
            }
            changed.insert(name, shape, values);
            changed
        };
        let levels =
            |levels: [u32; 6]| read(with("levels", &[6], TensorValues::U32(levels.into())));
        assert!(levels([0; 6]).is_err() && levels([1; 6]).is_err() && levels([64; 6]).is_err());
        for shape in [[0, 2], [2, 0], [16, 2]] {
            let zeros = TensorValues::F32(vec![0.0; shape[0] * shape[1]]);
            let found = read(with("output.0", &shape, zeros));
            assert_eq!(found.is_ok(), shape == [16, 2], "{shape:?}");
        }
        let nan = TensorValues::F32(vec![f32::NAN; 32]);
        assert!(read(with("output.0", &[16, 2], nan)).is_err());
    }
}

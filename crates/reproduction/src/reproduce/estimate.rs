//! How long a plan takes on this machine, estimated from a short measurement.
//!
//! A training step moves every parameter a few times, so its time has a constant part and one that
//! grows with the parameters of all members. Two short runs give both. It is only an estimate: the
//! number of epochs that early stopping finds is not known in advance, and other work on the
//! machine takes time too.

use std::time::Instant;

use super::error::ReproduceError;
use super::plan::{Batch, Plan};
use super::size::Size;
use super::subject::Subject;
use crate::source::SourceError;
use rulebound::dataset::{Builtin, Step};
use rulebound::device::Device;
use rulebound::train::{Configuration, EarlyStopping, Stopping, Trainer};
use rulebound_network::Shape;

/// The number of epochs that early stopping is assumed to find.
const FOUND: usize = 40;

/// Seconds per row, feature and class for a learner without epochs: about what trees and
/// regressions take on two cores.
const FIT: f64 = 1e-8;

/// How fast this machine trains the networks of a plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Seconds per step with a batch size of four, whatever the network.
    step: f64,
    /// Seconds per step and parameter of each member.
    parameter: f64,
    /// Seconds per epoch of a built-in problem.
    synthetic: f64,
}

impl Pace {
    /// Measures for about a second.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure(device: &Device) -> Result<Self, ReproduceError> {
        let data = Builtin::Rectangles.generate(Step::HALFWAY, 0).map_err(SourceError::from)?;
        let time = |hidden: Vec<usize>, batch: usize, epochs: usize| {
            let configuration = Configuration {
                hidden,
                batch,
                stopping: Stopping::Epochs(epochs),
                ..Configuration::default()
            };
            let start = Instant::now();
            Trainer::new().configuration(configuration.clone()).device(device).fit(&data)?;
            Ok::<f64, ReproduceError>(start.elapsed().as_secs_f64())
        };
        // The first run includes one-time initialisation.
        time(vec![4], 2500, 1)?;
        let steps = 2500.0 / 4.0;
        let small = time(vec![300, 300], 4, 1)? / steps;
        let large = time(vec![1000, 1000], 4, 1)? / steps;
        let [few, many] = [300, 1000].map(|hidden| parameters(2, hidden, 2));
        let parameter = ((large - small) / (many - few)).max(1e-12);
        let step = (small - parameter * few).max(1e-6);
        Ok(Self { step, parameter, synthetic: time(vec![4], 2500, 200)? / 200.0 })
    }

    /// Seconds for all batches, with `jobs` networks of built-in problems at a time.
    pub fn seconds(&self, plan: &Plan, jobs: usize) -> f64 {
        let share = |batch: &Batch| if batch.subject.is_drawn() { jobs.max(1) as f64 } else { 1.0 };
        plan.batches.iter().map(|batch| self.batch_seconds(batch) / share(batch)).sum()
    }

    fn batch_seconds(&self, batch: &Batch) -> f64 {
        // A blend trains everything twice: without the validation rows, and with them.
        let times = if batch.others.is_empty() { 1.0 } else { 2.0 };
        times * batch.learners().map(|of| self.learner_seconds(batch.subject, of)).sum::<f64>()
    }

    fn learner_seconds(&self, subject: Subject, configuration: &Configuration) -> f64 {
        if !configuration.method.has_epochs() {
            let Size { inputs, outputs, train, .. } = subject.size();
            return FIT * (inputs * outputs * train) as f64;
        }
        let epochs = match &configuration.stopping {
            Stopping::Epochs(epochs) => *epochs,
            Stopping::EpochsOfEach(each) => each.iter().copied().max().unwrap_or(0),
            Stopping::Early(EarlyStopping { patience, retrain, .. }) => {
                FOUND + patience + if *retrain { FOUND } else { 0 }
            }
        };
        let Subject::Catalogue(entry) = subject else {
            return self.synthetic * epochs as f64;
        };
        let Size { inputs, outputs, train, .. } = subject.size();
        let hidden = entry.hyperparameters.hidden;
        let parameters = parameters(inputs, hidden, outputs) * configuration.members as f64;
        let steps = (epochs * train.div_ceil(configuration.batch)) as f64;
        steps * (self.step + self.parameter * parameters)
    }
}

fn parameters(inputs: usize, hidden: usize, outputs: usize) -> f64 {
    Shape { inputs, hidden: vec![hidden; 2], outputs }.parameters() as f64
}

#[cfg(test)]
mod tests {
    use super::super::{PlanRequest, Target};
    use super::*;

    fn plan(target: Target, seeds: usize) -> Plan {
        let (targets, sets) = (vec![target], vec![]);
        let request = PlanRequest { targets, sets, systems: vec![], seeds, searches_epochs: false };
        Plan::new(&request).unwrap()
    }

    #[test]
    fn more_takes_longer() {
        let pace = Pace { step: 1e-4, parameter: 1e-9, synthetic: 1e-4 };
        for target in Target::ALL {
            let [few, many] = [2, 10].map(|seeds| pace.seconds(&plan(target, seeds), 1));
            assert!(0.0 < few && few < many, "{target}");
        }
        let nine = plan(Target::NineRectangles, 10);
        assert_eq!(pace.seconds(&nine, 1), 20.0 * 20_000.0 * 1e-4);
        assert_eq!(pace.seconds(&nine, 4), 5.0 * 20_000.0 * 1e-4);
    }
}

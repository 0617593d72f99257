//! A phase on the CPU: one thread per member, or all threads for one large network.

use std::time::Duration;

use rayon::prelude::*;

use super::member::{Member, Space, Task};
use crate::network::awake;
use crate::train::error::TrainError;

/// Number of parameters from which a network has work for several threads in each step.
const WORTH_STAYING_AWAKE: usize = 1 << 16;

/// Members being trained on the CPU.
pub(in crate::train) struct OnCpu {
    spaces: Vec<Space>,
    is_one_and_large: bool,
}

impl OnCpu {
    /// Working memory for `members` networks of `parameters` parameters each.
    pub fn new(task: &Task<'_>, members: usize, parameters: usize) -> Self {
        Self {
            spaces: (0..members).map(|_| Space::new(task)).collect(),
            is_one_and_large: members == 1 && parameters >= WORTH_STAYING_AWAKE,
        }
    }

    /// Trains every member for a turn.
    pub fn train(
        &mut self,
        task: &Task<'_>,
        members: &mut [Member],
        turn: Duration,
    ) -> Result<(), TrainError> {
        let members = members.par_iter_mut().zip(&mut self.spaces);
        let all = || members.try_for_each(|(member, space)| member.train(task, space, turn));
        // Several members keep the threads busy by themselves, and small networks have no work for
        // them.
        if self.is_one_and_large { awake(all) } else { all() }
    }
}

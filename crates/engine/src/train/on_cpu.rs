//! A phase on the CPU: a thread a member, or all threads for one large network.

use std::time::Duration;

use rayon::prelude::*;

use super::error::TrainError;
use super::member::{Member, Space, Task};
use crate::network::awake;

/// Parameters of a network from which on the threads of the pool have work in each step.
const WORTH_STAYING_AWAKE: usize = 1 << 16;

/// Members in training on the CPU.
pub(super) struct OnCpu {
    spaces: Vec<Space>,
    is_one_and_large: bool,
}

impl OnCpu {
    /// Room for so many members of so many parameters.
    pub fn new(task: &Task<'_>, members: usize, parameters: usize) -> Self {
        Self {
            spaces: (0..members).map(|_| Space::new(task.objective)).collect(),
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

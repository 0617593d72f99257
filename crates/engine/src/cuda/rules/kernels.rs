//! The kernels of rules, and which of them a launch needs.

use super::number::TensorNumber;
use super::plan::{Form, Plan};
use crate::cuda::image::{Images, images};

/// The kernels of this folder, compiled.
pub(in crate::cuda) const IMAGES: Images = images!("binaries", "compute_70" for (7, 0));

macro_rules! kernels {
    ($($name:ident),* $(,)?) => {
        /// Every kernel by its name; what a kernel is depends on who launches it.
        pub(in crate::cuda) struct RuleKernels<K> {
            $(pub $name: K,)*
        }

        impl<K> RuleKernels<K> {
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Every kernel as `load` gives it.
            pub fn load<E>(mut load: impl FnMut(&str) -> Result<K, E>) -> Result<Self, E> {
                Ok(Self { $($name: load(stringify!($name))?,)* })
            }
        }
    };
}

kernels!(
    layer_lines_1,
    layer_lines_2,
    layer_narrow_1,
    layer_narrow_2,
    layer_single_1,
    layer_single_2,
    layer_single_4,
    layer_single_outside,
    layer_double,
    loss_lines_1,
    loss_lines_2,
    loss_lines_4,
    loss_inside_1,
    loss_inside_2,
    loss_outside,
    select_lines_1,
    select_lines_2,
    select_single,
    select_single_2,
    select_double,
    scatter_single,
    scatter_double,
    margins_of,
);

impl<K> RuleKernels<K> {
    /// The kernel of a plan for the layer.
    pub fn layer(&self, number: TensorNumber, plan: &Plan) -> &K {
        match (number, plan.form, plan.lanes) {
            (TensorNumber::Double, ..) => &self.layer_double,
            _ if plan.outside > 0 => &self.layer_single_outside,
            (_, Form::Lines, 1) => &self.layer_lines_1,
            (_, Form::Lines, _) => &self.layer_lines_2,
            (_, Form::Narrow, 1) => &self.layer_narrow_1,
            (_, Form::Narrow, _) => &self.layer_narrow_2,
            (_, Form::Wide, 1) => &self.layer_single_1,
            (_, Form::Wide, 2) => &self.layer_single_2,
            (_, Form::Wide, _) => &self.layer_single_4,
        }
    }

    /// The kernel of a plan for the loss of training.
    pub fn loss(&self, plan: &Plan) -> &K {
        match (plan.form, plan.lanes) {
            _ if plan.outside > 0 => &self.loss_outside,
            (Form::Lines, 1) => &self.loss_lines_1,
            (Form::Lines, 2) => &self.loss_lines_2,
            (Form::Lines, _) => &self.loss_lines_4,
            (_, 1) => &self.loss_inside_1,
            (_, _) => &self.loss_inside_2,
        }
    }

    /// The kernel of a plan for the selection.
    pub fn select(&self, number: TensorNumber, plan: &Plan) -> &K {
        match (number, plan.form, plan.lanes) {
            (TensorNumber::Double, ..) => &self.select_double,
            (_, Form::Lines, 1) => &self.select_lines_1,
            (_, Form::Lines, _) => &self.select_lines_2,
            (_, _, 1) => &self.select_single,
            (_, _, _) => &self.select_single_2,
        }
    }

    /// The kernel of the scatter.
    pub fn scatter(&self, number: TensorNumber) -> &K {
        match number {
            TensorNumber::Double => &self.scatter_double,
            _ => &self.scatter_single,
        }
    }
}

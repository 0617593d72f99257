//! The sections of the report: one for each experiment of the paper, and the appendix.

mod ablation;
mod appendix;
mod hmc;
mod hmc_blend;
mod hmc_systems;
mod lcmc;
mod lcmc_blend;
mod lcmc_systems;
mod moving_rectangles;
mod nine_rectangles;
mod rectangles;
mod three_classes;

pub(super) use appendix::section as appendix;

use crate::report::document::Section;
use crate::report::evidence::Evidence;
use crate::report::section::section;
use crate::reproduce::Target;

/// The section of a target.
pub(super) fn of_target(evidence: &Evidence<'_>, target: Target) -> Section {
    if evidence.subjects(target).is_empty() {
        return section(evidence, target, "There are no results yet.".to_owned(), Vec::new());
    }
    match target {
        Target::Rectangles => rectangles::section(evidence),
        Target::MovingRectangles => moving_rectangles::rectangles(evidence),
        Target::NineRectangles => nine_rectangles::section(evidence),
        Target::ThreeClasses => three_classes::section(evidence),
        Target::MovingThreeClasses => moving_rectangles::three_classes(evidence),
        Target::Hmc => hmc::section(evidence),
        Target::HmcAblation => ablation::hmc(evidence),
        Target::Lcmc => lcmc::section(evidence),
        Target::LcmcAblation => ablation::lcmc(evidence),
        Target::HmcSystems => hmc_systems::section(evidence),
        Target::LcmcSystems => lcmc_systems::section(evidence),
        Target::HmcBlend => hmc_blend::section(evidence),
        Target::LcmcBlend => lcmc_blend::section(evidence),
    }
}

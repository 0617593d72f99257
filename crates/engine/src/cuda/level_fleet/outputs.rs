//! What the loss of level networks knows of their outputs.

use super::places::Places;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::parameters::LevelOutputs;
use crate::learner::{FitRows, LevelNetworkSettings, LevelProblem};

/// Tables on the GPU, and the parameters that refer to them.
pub(super) struct OutputTables {
    pub parameters: LevelOutputs,
    /// Kept because the parameters have their addresses.
    _tables: [Buffer<u32>; 5],
}

impl OutputTables {
    pub fn new(
        gpu: &Gpu,
        problem: &LevelProblem,
        settings: &LevelNetworkSettings,
        rows: &FitRows<'_>,
        places: &Places,
    ) -> Result<Self, CudaError> {
        let (levels, evaluated) = (&problem.wiring().levels, problem.evaluated());
        let starts = |level: usize| levels[..level].iter().sum::<usize>();
        let of = problem.places().iter();
        let place = of.map(|of| of.map_or(u32::MAX, |(level, at)| (starts(level) + at) as u32));
        let counts = problem.terms();
        let of = problem.places().iter().zip(evaluated);
        let terms = of.map(|(place, &counted)| match place {
            Some((level, _)) if counted => counts[*level] as u32,
            _ => u32::from(counted),
        });
        let words = rows.classes().div_ceil(32);
        let labels = rows.labels();
        let half = |row: usize| labels.row(row).iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]);
        let truth: Vec<u32> = (0..rows.rows()).flat_map(|row| half(row).take(words)).collect();
        let (rule_starts, rules) = rules_by_class(rows.classes(), problem.edges());
        let tables = [
            Buffer::copy(gpu, &place.collect::<Vec<_>>())?,
            Buffer::copy(gpu, &terms.collect::<Vec<_>>())?,
            Buffer::copy(gpu, &truth)?,
            Buffer::copy(gpu, &rule_starts)?,
            Buffer::copy(gpu, &rules)?,
        ];
        let [place, terms, truth, rule_starts, rules] = tables.each_ref().map(Buffer::address);
        let parameters = LevelOutputs {
            global: places.global as u64,
            local: places.local as u64,
            mixed: places.mixed as u64,
            place,
            terms,
            truth,
            rule_starts,
            rules,
            classes: rows.classes() as u32,
            places: levels.iter().sum::<usize>() as u32,
            words: words as u32,
            evaluated: evaluated.iter().filter(|&&is| is).count() as u32,
            rule_count: problem.edges().len() as u32,
            share: settings.local as f32,
            penalty: settings.penalty as f32,
            unused: 0,
        };
        Ok(Self { parameters, _tables: tables })
    }
}

/// For each class the rules that it is in, in their order: where its own begin, and the other class
/// of each, twice, plus one if that is the child.
fn rules_by_class(classes: usize, edges: &[(usize, usize)]) -> (Vec<u32>, Vec<u32>) {
    let mut of = vec![Vec::new(); classes];
    for &(child, parent) in edges {
        of[child].push(2 * parent as u32);
        of[parent].push(2 * child as u32 + 1);
    }
    let mut starts = vec![0];
    starts.extend(of.iter().scan(0, |end, rules| {
        *end += rules.len() as u32;
        Some(*end)
    }));
    (starts, of.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_at_its_child_and_at_its_parent() {
        // 1 and 2 are below 0, and 2 is below 1.
        let (starts, rules) = rules_by_class(4, &[(1, 0), (2, 0), (2, 1)]);
        assert_eq!(starts, [0, 2, 4, 6, 6]);
        assert_eq!(rules, [3, 5, 0, 5, 0, 2]);
    }
}

//! What a level network is trained on: the levels of a hierarchy, and the terms of its loss.

use super::LevelNetwork;
use super::settings::LevelNetworkSettings;
use super::wiring::Wiring;
use crate::learner::levels::Levels;
use crate::learner::rows::{FitError, FitRows};
use crate::network::Linear;

/// A hierarchy, the shape of the networks for it, and which outputs count in the loss.
#[derive(Clone, Debug)]
pub(crate) struct LevelProblem {
    wiring: Wiring,
    levels: Levels,
    /// The share of local outputs.
    local: f64,
    evaluated: Vec<bool>,
    /// The level of each class, and its place in the local outputs of that level.
    places: Vec<Option<(usize, usize)>>,
    /// Child and parent of each rule between evaluated classes; none if they do not count.
    edges: Vec<(usize, usize)>,
}

impl LevelProblem {
    /// The problem of these rows.
    ///
    /// # Errors
    /// If the rules are not a hierarchy.
    pub fn new(rows: &FitRows<'_>, settings: &LevelNetworkSettings) -> Result<Self, FitError> {
        let kind = settings.wiring;
        let levels = Levels::new(kind.method(), rows)?;
        let classes = rows.classes();
        let wiring = Wiring {
            kind,
            inputs: rows.width(),
            units: settings.units,
            levels: levels.iter().map(<[u32]>::len).collect(),
            classes,
        };
        let evaluated: Vec<bool> = (0..classes).map(|class| rows.is_evaluated(class)).collect();
        let mut places = vec![None; classes];
        for (level, members) in levels.iter().enumerate() {
            for (place, &class) in members.iter().enumerate() {
                places[class as usize] = Some((level, place));
            }
        }
        let pairs = rows.program().rules().iter().flat_map(|rule| {
            rule.body().iter().map(|child| (child.label().index(), rule.head().index()))
        });
        let edges = pairs.filter(|&(child, parent)| evaluated[child] && evaluated[parent]);
        let edges = if settings.penalty > 0.0 { edges.collect() } else { Vec::new() };
        Ok(Self { wiring, levels, local: settings.local, evaluated, places, edges })
    }

    /// The shape of the networks.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Which classes count in the loss.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// The level of each class, and its place in the local outputs of that level.
    pub fn places(&self) -> &[Option<(usize, usize)>] {
        &self.places
    }

    /// How many classes of each level count in the loss.
    pub fn terms(&self) -> Vec<usize> {
        let count =
            |level: &[u32]| level.iter().filter(|&&class| self.evaluated[class as usize]).count();
        self.levels.iter().map(count).collect()
    }

    /// Child and parent of each rule with a penalty.
    pub fn edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    /// The network with these layers.
    pub fn learner(&self, layers: Vec<Linear>) -> LevelNetwork {
        let (wiring, levels) = (self.wiring.clone(), self.levels.clone());
        LevelNetwork { wiring, levels, local: self.local, layers }
    }
}

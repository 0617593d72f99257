//! The logit of a class of a model of networks, along a straight line of inputs.
//!
//! Of a single network it is what the network says. Of several it is that of their mean, as in prediction: each is made
//! coherent, so the gradient of a network goes to the literal that decides the class there, and the mean is
//! one of probabilities.

use rulebound_core::{ConstraintLayer, Delegate, LabelId, LayerWorkspace, Margin, Thresholds};

use crate::model::Model;
use crate::network::{Line, Network};

/// The logit of a class as a function of the place on the line.
pub(super) struct ClassScore<'a> {
    lines: Vec<Line<'a>>,
    class: LabelId,
    /// What makes each of several coherent, if the model has rules.
    layer: Option<(ConstraintLayer, LayerWorkspace<f64>)>,
}

/// The logit at a point, and how it depends on a logit of each network: which, and the derivative.
struct Point {
    logit: f64,
    slopes: Vec<(usize, f64)>,
}

impl<'a> ClassScore<'a> {
    /// The score of a class on the line through the inputs `from` and `to`.
    pub fn new(model: &'a Model, class: LabelId, from: &[f32], to: &[f32]) -> Self {
        let networks = model.members();
        assert!(class.index() < model.labels().len(), "there is such a class");
        let rules = model.member_rules().filter(|_| networks.len() > 1);
        let layer = rules.map(|program| {
            let thresholds = Thresholds::half(program.labels().len());
            let layer = ConstraintLayer::new(&program, thresholds);
            let workspace = layer.workspace_for(1);
            (layer, workspace)
        });
        let lines = networks.iter().map(|network| Line::new(network, from, to)).collect();
        Self { lines, class, layer }
    }

    /// The logit at a point of the line: 0 is its start, 1 its end.
    pub fn logit(&mut self, at: f64) -> f64 {
        let logits = self.lines.iter_mut().map(|line| line.logits(at)).collect();
        self.point(logits).logit
    }

    /// The logit at the end of the line, if the sums of each first layer were less by what `less` says of the
    /// network.
    pub fn logit_without(&mut self, less: impl Fn(&Network) -> Vec<f64>) -> f64 {
        let lines = self.lines.iter_mut();
        let logits = lines
            .map(|line| {
                let less = less(line.network());
                line.logits_without(&less)
            })
            .collect();
        self.point(logits).logit
    }

    /// The mean gradient of the logit with respect to the inputs over the line, from `steps` points
    /// in the middle of equal parts.
    pub fn mean_gradient(&mut self, steps: usize) -> Vec<f64> {
        let mut means: Vec<Vec<f64>> = Vec::new();
        for step in 0..steps {
            let at = (step as f64 + 0.5) / steps as f64;
            let logits = self.lines.iter_mut().map(|line| line.logits(at)).collect();
            let point = self.point(logits);
            for (place, (line, (output, slope))) in self.lines.iter().zip(point.slopes).enumerate()
            {
                let gradient = line.gradient(output, slope);
                if means.len() == place {
                    means.push(vec![0.0; gradient.len()]);
                }
                let mean = means[place].iter_mut().zip(gradient);
                mean.for_each(|(mean, part)| *mean += part / steps as f64);
            }
        }
        let mut of_inputs: Option<Vec<f64>> = None;
        for (line, mean) in self.lines.iter().zip(&means) {
            let own = line.of_inputs(mean);
            match &mut of_inputs {
                None => of_inputs = Some(own),
                Some(sum) => sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own),
            }
        }
        of_inputs.unwrap_or_default()
    }

    /// What follows from the logits of each network.
    fn point(&mut self, networks: Vec<Vec<f64>>) -> Point {
        let class = self.class.index();
        if let [one] = &networks[..] {
            return Point { logit: one[class], slopes: vec![(class, 1.0)] };
        }
        let decided = networks.iter().map(|logits| self.decided(logits)).collect::<Vec<_>>();
        let share = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let with: f64 = decided.iter().map(|(_, _, logit)| share(*logit)).sum();
        let without: f64 = decided.iter().map(|(_, _, logit)| share(-logit)).sum();
        let slope = |&(output, sign, logit): &(usize, f64, f64)| {
            let change = share(logit) * share(-logit);
            // A product of 0 with what is infinite is no slope.
            let slope = if change == 0.0 { 0.0 } else { change / with + change / without };
            (output, sign * slope)
        };
        Point { logit: with.ln() - without.ln(), slopes: decided.iter().map(slope).collect() }
    }

    /// The output that decides the class in a network, its sign, and the coherent logit.
    fn decided(&mut self, logits: &[f64]) -> (usize, f64, f64) {
        let class = self.class.index();
        let own = (class, 1.0, logits[class]);
        let Some((layer, workspace)) = &mut self.layer else { return own };
        let margins: Vec<f64> = logits.iter().map(|logit| logit.canonical()).collect();
        let mut coherent = vec![0.0; margins.len()];
        let mut delegates = vec![Delegate::default(); margins.len()];
        if layer.forward_with_delegates(&margins, &mut coherent, &mut delegates, workspace).is_err()
        {
            // Not a number, which it stays.
            return (class, 1.0, f64::NAN);
        }
        match delegates[class].literal() {
            // What rules always derive keeps its own score until the last layer.
            None => own,
            Some(literal) => {
                let sign = if literal.is_negated() { -1.0 } else { 1.0 };
                (literal.label().index(), sign, coherent[class])
            }
        }
    }
}

//! From scores to what a graph returns: margins, the layer, probabilities and decisions.
//!
//! Invariant of the outputs: a class is predicted iff its margin is above 0, and then, and only then, its probability is above
//! its threshold. `Sigmoid` is not used: in some runtimes it does not increase everywhere, and small probabilities become 0.

use rulebound_core::{FloatMargin, LabelId, Program, Thresholds};

use super::cycle::Loops;
use super::error::OnnxError;
use super::graph::{GraphBuilder, Value};
use super::layer::{self, Zeros};
use super::messages::{BOOL, DOUBLE, FLOAT, ValueInfoMessage};
use super::plan::LayerPlan;
use super::settling::SettlingPlan;

/// The names of the outputs.
pub const OUTPUTS: [&str; 3] = ["probabilities", "predicted", "margins"];

rulebound_core::named_enum! {
    /// What the numbers are that a layer is put behind.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum NetworkOutput: "a kind of output" {
        /// Any numbers; above the logit of its threshold a class is predicted.
        #[default]
        Logits = "logits",
        /// Numbers from 0 to 1; above its threshold a class is predicted.
        Probabilities = "probabilities",
        /// Any numbers; above 0 a class is predicted, whatever its threshold is.
        Margins = "margins",
    }
}

/// What a graph should have beyond the plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GraphOptions {
    /// Also return the coherent margins.
    pub margins: bool,
    /// Whether long cycles may become loops.
    pub loops: Loops,
    /// One input for each column, by its name.
    pub named_inputs: bool,
}

/// Thresholds, and rules if predictions obey any.
#[derive(Debug)]
pub(super) struct GraphHead<'a> {
    thresholds: &'a Thresholds,
    plan: HeadPlan,
    options: GraphOptions,
}

/// What makes margins coherent.
#[derive(Debug)]
enum HeadPlan {
    Rules(LayerPlan),
    /// Rules and requirements; margins come in the order of the class list.
    Requirements(SettlingPlan),
}

impl<'a> GraphHead<'a> {
    /// The head of a program.
    ///
    /// # Errors
    /// If there are no classes, or requirements that a graph cannot settle.
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    pub fn new(
        rules: &Program,
        thresholds: &'a Thresholds,
        options: GraphOptions,
    ) -> Result<Self, OnnxError> {
        assert_eq!(thresholds.len(), rules.labels().len(), "one threshold for each class");
        if thresholds.is_empty() {
            return Err(OnnxError::NoClasses);
        }
        let plan = match rules.has_requirements() {
            true => HeadPlan::Requirements(SettlingPlan::new(rules)?),
            false => HeadPlan::Rules(LayerPlan::new(rules)),
        };
        Ok(Self { thresholds, plan, options })
    }

    /// The class of each row of the margins that [`append`](Self::append) takes.
    pub fn order(&self) -> Vec<usize> {
        match &self.plan {
            HeadPlan::Rules(plan) => plan.order(),
            HeadPlan::Requirements(_) => (0..self.thresholds.len()).collect(),
        }
    }

    fn logit(&self, class: usize) -> f64 {
        self.thresholds.logit(LabelId::new(class))
    }

    /// The margins of logits, both `[classes, rows]` in the order of the plan.
    pub fn margins_of_logits(&self, graph: &mut GraphBuilder, logits: &Value) -> Value {
        let order = self.order();
        if order.iter().all(|&class| self.logit(class) == 0.0) {
            return logits.clone();
        }
        let shifts: Vec<f32> = order.iter().map(|&class| (-self.logit(class)) as f32).collect();
        let shifts = graph.floats(&[order.len(), 1], &shifts);
        graph.pair("Add", logits, &shifts)
    }

    /// Scores of any kind, `[rows, classes]` in the order of the class list, as margins in the order of the plan.
    pub fn margins_of_scores(
        &self,
        graph: &mut GraphBuilder,
        scores: &Value,
        kind: NetworkOutput,
    ) -> Value {
        match kind {
            NetworkOutput::Probabilities => {
                let margins = self.margins_of_probabilities(graph, scores);
                self.in_plan_order(graph, &margins)
            }
            NetworkOutput::Logits => {
                let logits = self.in_plan_order(graph, scores);
                self.margins_of_logits(graph, &logits)
            }
            NetworkOutput::Margins => self.in_plan_order(graph, scores),
        }
    }

    /// Rows of examples as rows of classes, in the order of the plan.
    pub fn in_plan_order(&self, graph: &mut GraphBuilder, scores: &Value) -> Value {
        let classes = graph.transpose(scores);
        let order = self.order();
        if order.is_sorted() { classes } else { graph.gather(&classes, &[order.len()], &order) }
    }

    /// As [`Thresholds::margin_of_probability`]: in 64 bits, and on the right side of the threshold.
    fn margins_of_probabilities(&self, graph: &mut GraphBuilder, scores: &Value) -> Value {
        let labels = || (0..self.thresholds.len()).map(LabelId::new);
        let values: Vec<f64> = labels().map(|label| self.thresholds.value(label)).collect();
        let logits: Vec<f64> = labels().map(|label| self.thresholds.logit(label)).collect();
        let [values, logits] = [values, logits].map(|of| graph.doubles(&[1, of.len()], &of));
        let one = graph.doubles(&[], &[1.0]);
        let wide = graph.cast(scores, DOUBLE);
        let not = graph.pair("Sub", &one, &wide);
        let [with, without] = [&wide, &not].map(|of| graph.node("Log", &[of], Vec::new()));
        let logit = graph.pair("Sub", &with, &without);
        let margin = graph.pair("Sub", &logit, &logits);
        let margin = graph.cast(&margin, FLOAT);
        let is_above = graph.pair("Greater", &wide, &values);
        let [low, high] =
            [-f32::MIN_POSITIVE, f32::MIN_POSITIVE].map(|of| graph.floats(&[], &[of]));
        let above = graph.pair("Max", &margin, &high);
        let below = graph.pair("Min", &margin, &low);
        graph.node("Where", &[&is_above, &above, &below], Vec::new())
    }

    /// Appends the layer and what is computed of its margins; the outputs have the names that begin with `prefix`.
    pub fn append(
        &self,
        graph: &mut GraphBuilder,
        margins: &Value,
        names: &OutputNames,
    ) -> Vec<ValueInfoMessage> {
        let loops = self.options.loops;
        let coherent = match &self.plan {
            HeadPlan::Requirements(plan) => {
                let margins = graph.canonical(margins);
                plan.append(graph, &margins, loops)
            }
            // Margins that are shown have the bits of ours; decisions and probabilities do not see the difference.
            HeadPlan::Rules(plan) => match self.options.margins {
                true => {
                    let margins = graph.canonical(margins);
                    layer::append(graph, plan, &margins, Zeros::Canonical, loops)
                }
                false => layer::append(graph, plan, margins, Zeros::UnderNot, loops),
            },
        };
        let coherent = graph.transpose(&coherent);
        let zero = graph.floats(&[], &[0.0]);
        let predicted = graph.pair("Greater", &coherent, &zero);
        let probabilities = self.probabilities(graph, &coherent, &predicted);
        let shape = [None, Some(self.thresholds.len())];
        let mut outputs = vec![
            (&probabilities, &names.probabilities, FLOAT),
            (&predicted, &names.predicted, BOOL),
        ];
        outputs.extend(self.options.margins.then_some((&coherent, &names.margins, FLOAT)));
        let named = outputs.into_iter().map(|(value, name, kind)| {
            graph.rename(value, name);
            ValueInfoMessage::tensor(name, kind, &shape)
        });
        named.collect()
    }

    fn probabilities(&self, graph: &mut GraphBuilder, margins: &Value, predicted: &Value) -> Value {
        let classes = self.thresholds.len();
        let logits = match (0..classes).all(|class| self.logit(class) == 0.0) {
            true => margins.clone(),
            false => {
                let shifts: Vec<f32> = (0..classes).map(|class| self.logit(class) as f32).collect();
                let shifts = graph.floats(&[1, classes], &shifts);
                graph.pair("Add", margins, &shifts)
            }
        };
        let one = graph.floats(&[], &[1.0]);
        let probability = graph.logistic(&logits, &one);
        let value = |class: usize| self.thresholds.value(LabelId::new(class));
        let around: Vec<(f32, f32)> = (0..classes).map(|class| f32::around(value(class))).collect();
        let is_uniform = around.iter().all(|pair| *pair == around[0]);
        let (around, dims) = match is_uniform {
            true => (&around[..1], vec![]),
            false => (&around[..], vec![1, classes]),
        };
        let [below, above]: [Vec<f32>; 2] = [
            around.iter().map(|pair| pair.0).collect(),
            around.iter().map(|pair| pair.1).collect(),
        ];
        let [below, above] = [below, above].map(|of| graph.floats(&dims, &of));
        let high = graph.pair("Max", &probability, &above);
        let low = graph.pair("Min", &probability, &below);
        graph.node("Where", &[predicted, &high, &low], Vec::new())
    }
}

/// What the outputs are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OutputNames {
    pub probabilities: String,
    pub predicted: String,
    pub margins: String,
}

impl OutputNames {
    /// The names of [`OUTPUTS`]; one that is taken gets `coherent_` before it, as often as necessary.
    pub fn beside(taken: &[&str]) -> Self {
        let [probabilities, predicted, margins] = OUTPUTS.map(|name| {
            let mut name = name.to_owned();
            while taken.contains(&&name[..]) {
                name = format!("coherent_{name}");
            }
            name
        });
        Self { probabilities, predicted, margins }
    }
}

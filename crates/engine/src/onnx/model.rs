//! A whole model as a graph: preprocessing, learners, calibration, layer, outputs.

use super::calibration::calibrated;
use super::error::OnnxError;
use super::file::{OnnxFile, PREFIX, entry, head_metadata};
use super::graph::{GraphBuilder, OPSET, Value};
use super::head::{GraphHead, GraphOptions, OutputNames};
use super::inputs::GraphInputs;
use super::layer::{self, Zeros};
use super::learner;
use super::mixture::mixture;
use super::plan::LayerPlan;
use crate::model::{Model, Part};

impl OnnxFile {
    /// A model with all that its predictions need.
    ///
    /// ```
    /// use rulebound::dataset::{Builtin, Step};
    /// use rulebound::onnx::{GraphOptions, OnnxFile};
    /// use rulebound::Trainer;
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?;
    /// let file = OnnxFile::of_model(&model, GraphOptions::default())?;
    /// assert!(file.operators().contains(&"Gemm"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is something in it that a graph cannot express: requirements whose rows can need search, or a very long chain.
    pub fn of_model(model: &Model, options: GraphOptions) -> Result<Self, OnnxError> {
        let without = model.program().without_rules();
        let rules = model.rules().unwrap_or(&without);
        let mut graph = GraphBuilder::new(PREFIX, OPSET);
        let parts: Vec<&Part> = model
            .parts()
            .iter()
            .filter(|part| model.parts().len() == 1 || part.weight() > 0.0)
            .collect();
        let pipelines = parts.iter().map(|part| part.pipeline());
        let inputs = GraphInputs::new(&mut graph, pipelines, options.named_inputs)?;
        let head = GraphHead::new(rules, model.thresholds(), options)?;
        let logits = together(&mut graph, model, &parts, &inputs, options, &head)?;
        let logits = match model.calibration() {
            Some(calibration) => calibrated(&mut graph, calibration, &logits, &head.order()),
            None => logits,
        };
        let margins = head.margins_of_logits(&mut graph, &logits);
        let outputs = head.append(&mut graph, &margins, &OutputNames::beside(&[]));
        let mut metadata = head_metadata(model.labels(), model.thresholds(), model.rules());
        metadata.push(entry("rulebound.checksum", model.checksum()?));
        metadata.extend(inputs.metadata());
        Ok(Self::assemble(graph, inputs.declared(), outputs, metadata))
    }
}

/// The members of all parts as one, in the order of the plan: each coherent by itself, then the weighted mean of
/// their probabilities. A single member is as it is.
fn together(
    graph: &mut GraphBuilder,
    model: &Model,
    parts: &[&Part],
    inputs: &GraphInputs,
    options: GraphOptions,
    head: &GraphHead<'_>,
) -> Result<Value, OnnxError> {
    let order = head.order();
    // The layer of the members knows rules only, and may take classes in another order than the head.
    let plan = model.rules().map(LayerPlan::new);
    let mut members = Vec::new();
    for part in parts {
        let encoded = inputs.encoded(graph, part.pipeline());
        let logits = learner::members(graph, part.learner(), &encoded, &order)?;
        let weight = part.weight() / logits.len() as f64;
        members.extend(logits.into_iter().map(|logits| (weight, logits)));
    }
    if let ([(_, one)], [_]) = (&members[..], model.parts()) {
        return Ok(one.clone());
    }
    let Some(plan) = plan else { return Ok(mixture(graph, &members)) };
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &class)| place[class] = at);
    let places: Vec<usize> = plan.order().into_iter().map(|class| place[class]).collect();
    for (_, logits) in &mut members {
        if !places.is_sorted() {
            *logits = graph.gather(logits, &[places.len()], &places);
        }
        // Thresholds of a half: logits are margins.
        let margins = graph.canonical(logits);
        *logits = layer::append(graph, &plan, &margins, Zeros::Canonical, options.loops);
    }
    let logits = mixture(graph, &members);
    Ok(if order.is_sorted() { logits } else { graph.gather(&logits, &[order.len()], &order) })
}

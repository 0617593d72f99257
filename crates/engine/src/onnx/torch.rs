//! A model for those who go on in PyTorch: a safetensors file, and a Python file that loads it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;

use super::error::OnnxError;
use super::file::written;
use crate::calibration::CalibrationMethod;
use crate::dataset::{FittedColumn, Pipeline};
use crate::model::Model;
use crate::network::{Linear, Network};
use crate::output::{Existing, publish_all};

/// The Python file; words between `@` are replaced.
const TEMPLATE: &str = include_str!("module.py");

/// Arrays by name: kind, shape, bytes.
type Arrays = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// A model as a safetensors file and a Python file.
#[derive(Clone, Debug)]
pub struct TorchFiles {
    arrays: Vec<u8>,
    about: serde_json::Value,
    title: String,
}

impl TorchFiles {
    /// The files of a model of networks.
    ///
    /// # Errors
    /// If it is not of networks alone, or has a calibration by isotonic regression.
    pub fn new(model: &Model) -> Result<Self, OnnxError> {
        let refused = |learner: String, reason| OnnxError::Learner { learner, reason };
        let networks = model.members();
        let Some(first) = networks.first() else {
            let learner = match model.parts() {
                [one] => one.learner().to_string(),
                several => format!("a blend of {} learners", several.len()),
            };
            return Err(refused(
                learner,
                "only networks become a module of PyTorch; ONNX takes more",
            ));
        };
        let temperature = match model.calibration() {
            None => 1.0,
            Some(of)
                if of.method() == CalibrationMethod::Temperature || of.isotonic_classes() == 0 =>
            {
                of.temperature()
            }
            Some(_) => {
                return Err(refused(
                    "a model that is calibrated by isotonic regression".to_owned(),
                    "each class has a map of its own with many pieces; calibrate by temperature",
                ));
            }
        };
        let mut arrays = Arrays::new();
        networks.iter().enumerate().for_each(|(at, network)| put_network(&mut arrays, at, network));
        let (numbers, categories) = put_pipeline(&mut arrays, model.pipeline());
        let sizes = |network: &Network| {
            let shape = network.shape();
            [vec![shape.inputs], shape.hidden, vec![shape.outputs]].concat()
        };
        let thresholds: Vec<f64> =
            model.labels().ids().map(|label| model.thresholds().value(label)).collect();
        let about = json!({
            "classes": model.labels().names().collect::<Vec<_>>(),
            "thresholds": thresholds,
            "rules": model.rules().map(|rules| rules.to_text()).unwrap_or_default(),
            "rules_of_members":
                model.rules().map(|rules| rules.without_requirements().to_text()).unwrap_or_default(),
            "numbers": numbers,
            "categories": categories,
            "width": model.pipeline().width(),
            "activation": first.activation().name(),
            "members": networks.iter().map(sizes).collect::<Vec<_>>(),
            "temperature": temperature,
            "checksum": model.checksum()?,
        });
        let views = arrays.iter().map(|(name, (kind, shape, bytes))| {
            let view = TensorView::new(*kind, shape.clone(), bytes);
            (name, view.unwrap_or_else(|error| unreachable!("shapes fit their bytes: {error}")))
        });
        let written = safetensors::serialize(views, None)
            .unwrap_or_else(|error| unreachable!("arrays can be written: {error}"));
        let title = format!("{} of {}.", model.parts()[0].learner(), model.training().data);
        Ok(Self { arrays: written, about, title })
    }

    /// Writes the safetensors file, and the Python file beside it; the path of the latter.
    ///
    /// # Errors
    /// If a file cannot be written, or the name cannot be that of a Python module.
    pub fn write(&self, path: &Path) -> Result<PathBuf, OnnxError> {
        self.write_as(path, Existing::Replace)
    }

    /// As [`write`](Self::write), with a choice of what becomes of files that exist.
    ///
    /// # Errors
    /// As [`write`](Self::write), and [`OutputError::Exists`](crate::output::OutputError::Exists).
    pub fn write_as(&self, path: &Path, existing: Existing) -> Result<PathBuf, OnnxError> {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || !name.chars().all(is_word)
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(OnnxError::ModuleName { name: name.to_owned() });
        }
        let script = path.with_extension("py");
        if script == path {
            return Err(OnnxError::ModuleName { name: path.display().to_string() });
        }
        let weights = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut about = self.about.clone();
        about["weights"] = json!(weights);
        let count = |key: &str| about[key].as_array().map_or(0, Vec::len).to_string();
        // JSON escapes quotation marks, so that there are never three in a row, which would end the text.
        let shown = serde_json::to_string_pretty(&about).unwrap_or_default();
        let text = TEMPLATE
            .replace("@NUMBERS@", &count("numbers"))
            .replace("@CODES@", &count("categories"))
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace("@WEIGHTS@", &weights)
            .replace("@MODULE@", name)
            .replace("@TITLE@", &self.title.replace(['\\', '"'], "'"))
            .replace("@ABOUT@", &shown);
        let files = [(path, &self.arrays[..]), (&script, text.as_bytes())];
        let files = files.map(|(path, bytes)| written(path, bytes, existing));
        publish_all(files.into_iter().collect::<Result<Vec<_>, _>>()?)?;
        Ok(script)
    }
}

fn put<T: Copy, const N: usize>(
    arrays: &mut Arrays,
    name: String,
    kind: Dtype,
    shape: &[usize],
    numbers: impl IntoIterator<Item = T>,
    bytes: fn(T) -> [u8; N],
) {
    let bytes = numbers.into_iter().flat_map(bytes).collect();
    arrays.insert(name, (kind, shape.to_vec(), bytes));
}

fn put_network(arrays: &mut Arrays, member: usize, network: &Network) {
    for (at, layer) in network.layers().iter().enumerate() {
        let name = |what: &str| format!("members.{member}.layers.{at}.{what}");
        let shape = [layer.outputs(), layer.inputs()];
        put(arrays, name("weight"), Dtype::F32, &shape, Linear::weights(layer), f32::to_le_bytes);
        put(arrays, name("bias"), Dtype::F32, &shape[..1], layer.biases(), f32::to_le_bytes);
    }
}

/// The arrays of the preprocessing; the columns of numbers, and those of categories with their values.
fn put_pipeline(arrays: &mut Arrays, pipeline: &Pipeline) -> (Vec<String>, Vec<serde_json::Value>) {
    let (mut numbers, mut scales, mut categories) = (Vec::new(), Vec::new(), Vec::new());
    let (mut of_numbers, mut of_categories) = (Vec::new(), Vec::new());
    let mut start = 0;
    for column in pipeline.columns() {
        match column {
            FittedColumn::Number { name, scale } => {
                numbers.push(name.clone());
                scales.push(*scale);
                of_numbers.push(start);
            }
            FittedColumn::OneHot { name, values, scales } => {
                let place = categories.len();
                for (what, value) in [("hot", 1.0), ("cold", 0.0)] {
                    let encoded = scales.iter().map(|scale| scale.apply(value));
                    let name = format!("encoder.{what}_{place}");
                    put(arrays, name, Dtype::F32, &[scales.len()], encoded, f32::to_le_bytes);
                }
                categories.push(json!({ "column": name, "values": values }));
                of_categories.extend(start..start + values.len());
            }
            FittedColumn::Untouched { name, .. } => {
                unreachable!("networks have scaled columns, and `{name}` is not")
            }
        }
        start += column.width();
    }
    let width = [scales.len()];
    let offsets = scales.iter().map(|scale| scale.offset.unwrap_or(scale.mean));
    put(arrays, "encoder.offset".to_owned(), Dtype::F64, &width, offsets, f64::to_le_bytes);
    // A column that becomes 0 everywhere is divided by infinity.
    let divisors = scales.iter().map(|scale| match scale.deviation == 0.0 {
        true => f64::INFINITY,
        false => scale.deviation,
    });
    put(arrays, "encoder.deviation".to_owned(), Dtype::F64, &width, divisors, f64::to_le_bytes);
    let fill = scales.iter().map(|scale| scale.apply(f64::NAN));
    put(arrays, "encoder.fill".to_owned(), Dtype::F32, &width, fill, f32::to_le_bytes);
    let mut order = vec![0i64; start];
    let places = of_numbers.into_iter().chain(of_categories).enumerate();
    places.for_each(|(place, column)| order[column] = place as i64);
    put(arrays, "encoder.order".to_owned(), Dtype::I64, &[start], order, i64::to_le_bytes);
    (numbers, categories)
}

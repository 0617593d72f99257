//! A program of rules, as Python holds it.

use std::path::PathBuf;
use std::sync::OnceLock;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;
use rulebound::rule_file::RuleFile;
use rulebound::unknown_labels::UnknownLabels;
use rulebound_core::{
    ConstraintLayer, Dialect, LabelId, Labels, Lint, Program, RuleText, RulesAs, SettleLimit,
    SparseLayer, Thresholds, UnknownName, lint, lint_deep, similar_names,
};

use crate::failure::{rule_errors, rule_file_error};

/// Validated, stratified rules.
#[pyclass(name = "Program", module = "rulebound._native", frozen)]
pub struct PyProgram {
    pub program: Program,
    layer: OnceLock<ConstraintLayer>,
    sparse: OnceLock<SparseLayer>,
}

impl PyProgram {
    pub fn new(program: Program) -> Self {
        Self { program, layer: OnceLock::new(), sparse: OnceLock::new() }
    }

    /// The compiled rules; made on first use, with thresholds of a half that only matter to those who
    /// ask the layer for them.
    pub fn layer(&self) -> PyResult<&ConstraintLayer> {
        if let Some(layer) = self.layer.get() {
            return Ok(layer);
        }
        let thresholds = self.halves();
        Ok(self.layer.get_or_init(|| ConstraintLayer::new(&self.program, thresholds)))
    }

    /// The rules compiled for rows of which few classes are listed.
    pub fn sparse_layer(&self) -> PyResult<&SparseLayer> {
        if let Some(layer) = self.sparse.get() {
            return Ok(layer);
        }
        let layer = SparseLayer::new(&self.program);
        let layer = layer.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(self.sparse.get_or_init(|| layer))
    }

    fn halves(&self) -> Thresholds {
        Thresholds::half(self.program.labels().len())
    }
}

fn read_labels(labels: Option<Vec<String>>) -> PyResult<Option<Labels>> {
    let labels = labels.map(Labels::new).transpose();
    labels.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// How a text of rules is read.
struct Reading {
    dialect: Option<Dialect>,
    rules_as: RulesAs,
    limit: SettleLimit,
}

impl Reading {
    fn new(format: Option<&str>, rules_as: &str, settle_limit: Option<u64>) -> PyResult<Self> {
        let unknown = |error: UnknownName| PyValueError::new_err(error.to_string());
        Ok(Self {
            dialect: format.map(str::parse::<Dialect>).transpose().map_err(unknown)?,
            rules_as: rules_as.parse().map_err(unknown)?,
            limit: settle_limit.map_or_else(SettleLimit::default, SettleLimit::new),
        })
    }
}

#[pymethods]
impl PyProgram {
    /// Rules from a text.
    #[staticmethod]
    #[pyo3(signature = (text, labels, format, rules_as = "rules", settle_limit = None))]
    fn parse(
        py: Python<'_>,
        text: &str,
        labels: Option<Vec<String>>,
        format: Option<&str>,
        rules_as: &str,
        settle_limit: Option<u64>,
    ) -> PyResult<Self> {
        let Reading { dialect, rules_as, limit } = Reading::new(format, rules_as, settle_limit)?;
        let rules = RuleText::new(text).labels(read_labels(labels)?).dialect(dialect);
        let rules = rules.rules_as(rules_as).settle_limit(limit);
        match py.detach(|| rules.parse()) {
            Ok(parsed) => Ok(Self::new(parsed.program)),
            Err(errors) => Err(rule_errors(py, "rules", text, &errors)),
        }
    }

    /// Rules from a file.
    #[staticmethod]
    #[pyo3(signature = (path, labels, format, rules_as = "rules", settle_limit = None))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        labels: Option<PathBuf>,
        format: Option<&str>,
        rules_as: &str,
        settle_limit: Option<u64>,
    ) -> PyResult<Self> {
        let Reading { dialect, rules_as, limit } = Reading::new(format, rules_as, settle_limit)?;
        let unknown = UnknownLabels::Error;
        let labels = labels.as_deref();
        let read = || RuleFile::read_within(&path, labels, dialect, unknown, rules_as, limit);
        match py.detach(read) {
            Ok(file) => Ok(Self::new(file.parsed.program)),
            Err(error) => Err(rule_file_error(py, error)),
        }
    }

    /// Reads back `to_bytes`.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let program = Program::from_bytes(bytes);
        program.map(Self::new).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The rules as bytes, in whole words of 32 bits; equal rules have equal bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.program.to_bytes())
    }

    /// The names of the classes.
    fn labels(&self) -> Vec<&str> {
        self.program.labels().names().collect()
    }

    /// The rules as texts, then the requirements.
    fn rules(&self) -> Vec<String> {
        let labels = self.program.labels();
        let rules = self.program.rules().iter().map(|rule| rule.display(labels).to_string());
        let requirements = self.program.requirements().iter();
        rules.chain(requirements.map(|one| one.display(labels).to_string())).collect()
    }

    /// Whether some of them are requirements, which are settled by how sure the model is.
    fn has_requirements(&self) -> bool {
        self.program.has_requirements()
    }

    /// The rules as one text.
    fn text(&self) -> String {
        self.program.to_text()
    }

    /// How much of the rule language they use.
    fn kind(&self) -> String {
        self.program.kind().to_string()
    }

    /// Whether they are a hierarchy.
    fn is_hierarchy(&self) -> bool {
        self.program.is_hierarchy()
    }

    /// The classes of each stratum.
    fn strata(&self) -> Vec<Vec<&str>> {
        let names = |ids: &[LabelId]| -> Vec<&str> {
            ids.iter().map(|&id| self.program.labels().name(id)).collect()
        };
        self.program.strata().classes().iter().map(|ids| names(ids)).collect()
    }

    /// The classes of each component of the dependency graph, bodies before heads.
    fn components(&self) -> Vec<Vec<&str>> {
        let labels = self.program.labels();
        let names = |ids: &[LabelId]| ids.iter().map(|&id| labels.name(id)).collect();
        self.program.components().iter().map(names).collect()
    }

    /// Rules that are probably not intended: code, message, line, column, and the rule.
    fn lints(&self, py: Python<'_>, deep: bool) -> Vec<(&'static str, String, u32, u32, String)> {
        let program = &self.program;
        let lints = py.detach(|| {
            let mut report = lint(program);
            let found = if deep { lint_deep(program, &report) } else { Vec::new() };
            report.lints.extend(found);
            report.lints.extend(similar_names(program));
            report.lints.sort_by_key(|lint| lint.rule);
            report.lints
        });
        let row = |lint: &Lint| {
            let (span, rule) = (program.span(lint.rule), program.rule(lint.rule));
            let (message, rule) = (lint.describe(program), rule.display(program.labels()));
            (lint.kind.code(), message.to_string(), span.line, span.column, rule.to_string())
        };
        lints.iter().map(row).collect()
    }

    /// The class that is most similar to a name.
    fn nearest(&self, name: &str) -> Option<&str> {
        self.program.labels().nearest(name)
    }

    /// The number of the class with this name.
    fn find(&self, name: &str) -> Option<usize> {
        self.program.labels().find(name).map(LabelId::index)
    }

    /// The numbers of the classes with these names, and -1 where there is none.
    fn find_all<'py>(&self, py: Python<'py>, names: Vec<PyBackedStr>) -> Bound<'py, PyArray1<i64>> {
        let labels = self.program.labels();
        let place = |name: &PyBackedStr| labels.find(name).map_or(-1, |id| id.index() as i64);
        let places: Vec<i64> = names.iter().map(place).collect();
        places.into_pyarray(py)
    }

    fn __len__(&self) -> usize {
        self.program.rules().len()
    }
}

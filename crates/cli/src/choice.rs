//! Arguments whose values are names: the names come from the enums themselves, so that a new
//! variant is a value at once, with its line in the help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rulebound::dataset::{Scaling, Split};
use rulebound::train::{LabelPolicy, Method, Monitor};
use rulebound::unknown_labels::UnknownLabels;
use rulebound_core::UnknownName;
use rulebound_core::metrics::Metric;
use rulebound_network::{Precision, SparseUpdate};
use std::str::FromStr;

/// One of the named variants of an enum; the values are their names, perhaps with help.
pub fn one_of<T>(values: impl Into<PossibleValuesParser>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static,
{
    values.into().try_map(|name| name.parse::<T>())
}

/// A split by its name, or `all`.
pub fn split() -> PossibleValuesParser {
    PossibleValuesParser::new(Split::NAMES.into_iter().chain(["all"]))
}

pub fn method() -> impl TypedValueParser<Value = Method> {
    one_of(Method::all().map(named_method))
}

/// A method that trains networks.
pub fn network_method() -> impl TypedValueParser<Value = Method> {
    one_of(Method::NETWORKS.map(named_method))
}

fn named_method(method: Method) -> PossibleValue {
    PossibleValue::new(method.name()).help(match method {
        Method::Ccn => "Constraint layer and constraint loss: CCN(h), on hierarchies C-HMCNN(h)",
        Method::Cm => "Constraint layer and plain cross-entropy: h + CM",
        Method::Post => "Plain network; the constraint layer is applied at prediction only",
        Method::None => "Plain network; its predictions may break rules",
        Method::Complement => {
            "One output per class, excluding the classes that imply it; the constraint layer is \
                 applied at prediction only"
        }
        Method::Learner(_) => method.learner().map_or("", |learner| learner.about),
    })
}

pub fn monitor() -> impl TypedValueParser<Value = Monitor> {
    one_of(Monitor::ALL.map(|monitor| {
        PossibleValue::new(monitor.name()).help(match monitor {
            Monitor::Auprc => "Area under the micro-averaged precision-recall curve",
            Monitor::Loss => "The training loss of the method",
            // As docs/metrics.md calls it.
            other => other.metric().map_or("", Metric::title),
        })
    }))
}

pub fn sparse_update() -> impl TypedValueParser<Value = SparseUpdate> {
    one_of(SparseUpdate::ALL.map(|update| {
        PossibleValue::new(update.name()).help(match update {
            SparseUpdate::Exact => "Those of all columns, as if rows were dense",
            SparseUpdate::Lazy => {
                "Those of columns that some row of the batch lists (lazy Adam): faster with many columns"
            }
        })
    }))
}

pub fn precision() -> impl TypedValueParser<Value = Precision> {
    one_of(Precision::ALL.map(|precision| {
        PossibleValue::new(precision.name()).help(match precision {
            Precision::Fp32 => "Single precision, on tensor cores in three products of TF32",
            Precision::Tf32 => "Factors rounded to 11 significant bits (TF32): faster",
        })
    }))
}

pub fn scaling() -> impl TypedValueParser<Value = Scaling> {
    one_of(Scaling::ALL.map(|scaling| {
        PossibleValue::new(scaling.name()).help(match scaling {
            Scaling::Standard => "Mean 0, standard deviation 1; not for sparse features",
            Scaling::Scale => "Divided by the standard deviation; 0 remains 0",
            Scaling::MinMax => {
                "From 0 to 1; sparse features are divided by their largest absolute value"
            }
            Scaling::None => "As they are",
            Scaling::Untouched => "Columns as they are, missing cells too; for trees",
        })
    }))
}

pub fn unknown_labels() -> impl TypedValueParser<Value = UnknownLabels> {
    one_of(UnknownLabels::ALL.map(|treatment| {
        PossibleValue::new(treatment.name()).help(match treatment {
            UnknownLabels::HideInRules => {
                "Hidden where only rules name them; an error where a requirement does"
            }
            UnknownLabels::Hide => {
                "Never true by themselves and not written; what follows through them is kept"
            }
            UnknownLabels::Error => "An error that names them",
            UnknownLabels::Keep => "Make them classes, which no row has unless rules imply them",
        })
    }))
}

pub fn label_policy() -> impl TypedValueParser<Value = LabelPolicy> {
    one_of(LabelPolicy::ALL.map(|policy| {
        PossibleValue::new(policy.name()).help(match policy {
            LabelPolicy::Keep => "Keep the rows as they are and report how many there are",
            LabelPolicy::Complete => "Add the labels that follow from the rules",
            LabelPolicy::Strict => "Refuse them: the first one is an error",
        })
    }))
}

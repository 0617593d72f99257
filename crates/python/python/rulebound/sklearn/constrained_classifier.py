"""Rules around any estimator."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_method_params,
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from rulebound.errors import LabelsBreakRules
from rulebound.rules import Rules
from rulebound.sklearn.class_frames import ClassFrames
from rulebound.sklearn.decisions import decided, shaped_margins, shaped_probabilities
from rulebound.sklearn.per_class import PerClass
from rulebound.sklearn.rules_of import rules_of, target_and_rules
from rulebound.sklearn.scores_of import chosen_method, scores_of
from rulebound.sklearn.target import given_names
from rulebound.thresholds import threshold_list


def _has_probabilities(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba") and self.method != "decision_function"


class ConstrainedClassifier(
    ClassFrames, ClassifierMixin, MetaEstimatorMixin, BaseEstimator  # type: ignore[misc]
):
    """Makes the predictions of an estimator obey rules.

    The estimator gets `X` as it is given: frames, texts, missing values, whatever it takes. It is fitted to columns of 0
    and 1, one for each class; one that takes only a single label is fitted once for each, and so is any estimator where
    some labels are not known (NaN): then on the rows whose label is. Its scores become coherent, whatever they are.

    Parameters
    ----------
    estimator : estimator
        Any classifier with `predict_proba` or `decision_function`.
    rules : Rules, text, path, "mine" or function, default=None
        The rules; "mine" finds those that hold in the training labels, and a function gets `y` and returns them: in each
        fold of a cross-validation anew.
    thresholds : float, list of float, or by name, default=0.5
        From where on a class is predicted.
    method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What gives the scores; decision functions are taken as logits.
    labels : list of str, default=None
        The classes of the columns of `y`, where it has no names. Without it, columns of an array are the classes of the
        rules, in the order of `rules.labels`.

    Attributes
    ----------
    classes_ : array
        The classes: names where `y` or the rules have some.
    estimator_ : estimator
        The fitted estimator.
    rules_ : Rules or None
        The rules about the classes.
    """

    def __init__(
        self,
        estimator: Any = None,
        rules: Any = None,
        *,
        thresholds: Any = 0.5,
        method: str = "auto",
        labels: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rules = rules
        self.thresholds = thresholds
        self.method = method
        self.labels = labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> ConstrainedClassifier:
        """Fits the estimator, with weights of the rows if it takes them; other `params` are routed to it."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        names = given_names(y, self.labels)
        validate_data(self, X, skip_check_array=True)
        target, rules = target_and_rules(y, names, self.rules)
        check_consistent_length(X, target.columns)
        chosen_method(self.estimator, self.method)
        self.rules_ = rules
        if target.kind == "multilabel" and rules is not None:
            _warn_of_broken_rules(rules, target.columns)
        estimator = clone(self.estimator)
        if sample_weight is not None and isinstance(estimator, OneVsRestClassifier):
            # It takes no weights; what it wraps is fitted once for each class all the same.
            estimator = estimator.estimator
        routed = _routed(self, estimator, X, sample_weight, params)
        if target.kind == "binary":
            self.estimator_ = estimator.fit(X, target.columns[:, 0].astype(np.int64), **routed)
        elif _takes_columns(estimator) and target.is_complete:
            self.estimator_ = estimator.fit(X, target.columns.astype(np.int64), **routed)
        else:
            self.estimator_ = PerClass(estimator).fit(X, target.columns, target.names, routed)
        self._target = target
        self.classes_ = target.classes
        return self

    def with_rules(self, rules: Any) -> ConstrainedClassifier:
        """The same fitted estimator under other rules; nothing is fitted again."""
        check_is_fitted(self)
        if self._target.kind != "multilabel":
            raise ValueError("rules are about several labels of a row, but y had one")
        other = copy(self)
        other.rules = rules
        other.rules_ = rules_of(rules, self._target.names)
        return other

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities `[rows, classes]`."""
        scores, _, _ = self._coherent(X, "predict_proba")
        return self._output(shaped_probabilities(scores, self._target), X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins: above 0 where a class is predicted."""
        return shaped_margins(self._margins(*self._coherent(X, self.method)), self._target)

    def predict(self, X: Any) -> Any:
        """The predicted classes: 0 and 1 `[rows, classes]`, or one class for each row."""
        scores, predicted, kind = self._coherent(X, self.method)
        margins = self._margins(scores, predicted, kind)
        return self._output(decided(margins, predicted, self._target), X)

    def _levels(self) -> NDArray[np.float64]:
        given = 0.5 if self.thresholds is None else self.thresholds
        return np.array(threshold_list(given, self._target.names))

    def _margins(
        self, scores: NDArray[np.float64], predicted: NDArray[np.bool_], kind: str
    ) -> NDArray[np.float64]:
        levels = self._levels()
        with np.errstate(divide="ignore"):
            logits = scores if kind == "logits" else np.log(scores) - np.log1p(-scores)
            margins = logits - np.log(levels / (1 - levels))
        # Rounding must not change who is predicted.
        tiny = np.finfo(np.float64).tiny
        return np.where(predicted, np.maximum(margins, tiny), np.minimum(margins, 0.0))

    def _coherent(
        self, X: Any, method: str
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], str]:
        check_is_fitted(self)
        if hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True, reset=False)
        width = len(self._target.names)
        scores, kind = scores_of(self.estimator_, X, width, method)
        scores = scores.astype(np.float64)
        levels = self._levels()
        if self.rules_ is None:
            offset = levels if kind == "probabilities" else np.log(levels / (1 - levels))
            return scores, scores > offset, kind
        applied = self.rules_.apply(scores, kind=kind, thresholds=levels, decisions=True)
        return applied.scores, applied.decisions, kind

    def get_metadata_routing(self) -> MetadataRouter:
        """Where parameters of `fit` go: to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_label = True
        tags.non_deterministic = inner.non_deterministic
        return tags


def _takes_columns(estimator: Any) -> bool:
    tags = get_tags(estimator)
    classifier = tags.classifier_tags
    return bool(tags.target_tags.multi_output or (classifier and classifier.multi_label))


def _warn_of_broken_rules(rules: Rules, columns: NDArray[Any]) -> None:
    """Labels that break rules are often columns in another order than that of the rules."""
    rows = {found["row"] for found in rules.violations(columns)}
    if rows:
        warnings.warn(
            f"the labels of {len(rows)} training rows break rules; is column i of y the class rules.labels[i]? "
            "`labels=` names the columns, and Rules.close completes labels",
            LabelsBreakRules,
            stacklevel=3,
        )


def _routed(
    owner: ConstrainedClassifier, estimator: Any, X: Any, sample_weight: Any, params: dict[str, Any]
) -> dict[str, Any]:
    """What the `fit` of the estimator gets, as with the meta-estimators of scikit-learn."""
    if get_config()["enable_metadata_routing"]:
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        routed: dict[str, Any] = process_routing(owner, "fit", **params).estimator.fit if params else {}
        return routed
    if sample_weight is not None:
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"{type(estimator).__name__} does not take sample_weight; a Pipeline takes it as"
                " <step>__sample_weight"
            )
        params = {**params, "sample_weight": sample_weight}
    checked: dict[str, Any] = _check_method_params(X, params=params)
    return checked

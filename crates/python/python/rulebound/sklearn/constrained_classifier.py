"""Rules around any estimator."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from rulebound.sklearn.class_frames import ClassFrames
from rulebound.sklearn.decisions import decided, shaped_margins, shaped_probabilities
from rulebound.sklearn.rules_of import rules_of
from rulebound.sklearn.scores_of import chosen_method, scores_of
from rulebound.sklearn.target import given_names, read_target
from rulebound.thresholds import threshold_list


def _has_probabilities(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba") and self.method != "decision_function"


class ConstrainedClassifier(
    ClassFrames, ClassifierMixin, MetaEstimatorMixin, BaseEstimator  # type: ignore[misc]
):
    """Makes the predictions of an estimator obey rules.

    The estimator is fitted to columns of 0 and 1, one for each class; one that takes only a single label
    is fitted once for each. Its scores become coherent, whatever they are.

    Parameters
    ----------
    estimator : estimator
        Any classifier with `predict_proba` or `decision_function`.
    rules : Rules, text or path, default=None
        The rules.
    thresholds : float or list of float, default=0.5
        From where on a class is predicted.
    method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What gives the scores; decision functions are taken as logits.

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
        self, estimator: Any = None, rules: Any = None, *, thresholds: Any = 0.5, method: str = "auto"
    ) -> None:
        self.estimator = estimator
        self.rules = rules
        self.thresholds = thresholds
        self.method = method

    def fit(self, X: Any, y: Any, **params: Any) -> ConstrainedClassifier:
        """Fits the estimator; `params` are routed to it."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        names = given_names(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, dtype=np.float64)
        target = read_target(y, names, rules_of(self.rules, names))
        chosen_method(self.estimator, self.method)
        self.rules_ = rules_of(self.rules, target.names if target.kind == "multilabel" else None)
        routed = _routed(self, params)
        estimator = clone(self.estimator)
        if target.kind == "binary":
            self.estimator_ = estimator.fit(X, target.columns[:, 0], **routed)
        else:
            if not _takes_columns(estimator):
                estimator = OneVsRestClassifier(estimator)
            self.estimator_ = estimator.fit(X, target.columns, **routed)
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
        return self._output(shaped_probabilities(scores, self._target))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins: above 0 where a class is predicted."""
        return shaped_margins(self._margins(*self._coherent(X, self.method)), self._target)

    def predict(self, X: Any) -> Any:
        """The predicted classes: 0 and 1 `[rows, classes]`, or one class for each row."""
        scores, predicted, kind = self._coherent(X, self.method)
        margins = self._margins(scores, predicted, kind)
        return self._output(decided(margins, predicted, self._target))

    def _levels(self) -> NDArray[np.float64]:
        given = threshold_list(self.thresholds, self._target.names)
        levels = np.array(given if given is not None else [0.5] * len(self._target.names))
        if len(levels) != len(self._target.names):
            raise ValueError(f"{len(levels)} thresholds for {len(self._target.names)} classes")
        return levels

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
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
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
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.classifier_tags.multi_label = True
        tags.non_deterministic = inner.non_deterministic
        return tags


def _takes_columns(estimator: Any) -> bool:
    tags = get_tags(estimator)
    classifier = tags.classifier_tags
    return bool(tags.target_tags.multi_output or (classifier and classifier.multi_label))


def _routed(owner: ConstrainedClassifier, params: dict[str, Any]) -> dict[str, Any]:
    if not params:
        return {}
    routed: dict[str, Any] = process_routing(owner, "fit", **params).estimator.fit
    return routed



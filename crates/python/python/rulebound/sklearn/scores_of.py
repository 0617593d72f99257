"""Probabilities of any estimator for columns of 0 and 1, whatever shape it gives them in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

METHODS = ("auto", "predict_proba", "decision_function")


def chosen_method(estimator: Any, method: str) -> str:
    """The method that gives scores."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not one of {', '.join(METHODS)}")
    if method != "auto":
        return method
    return "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"


def scores_of(estimator: Any, X: Any, columns: int, method: str) -> tuple[NDArray[Any], str]:
    """Scores `[rows, columns]`, and what they are: "probabilities" or "logits"."""
    name = chosen_method(estimator, method)
    found = getattr(estimator, name)(X)
    if name == "decision_function":
        margins: NDArray[Any] = np.asarray(found, dtype=np.float64)
        return _expect(margins[:, None] if margins.ndim == 1 else margins, columns), "logits"
    return _expect(_probabilities(estimator, found, columns), columns), "probabilities"


def _probabilities(estimator: Any, found: Any, columns: int) -> NDArray[Any]:
    classes = getattr(estimator, "classes_", None)
    if isinstance(found, list):
        # One array for each column; a column that was constant in training has one class only, and
        # some estimators give it two columns all the same.
        parts = zip(found, classes if classes is not None else [None] * len(found), strict=True)
        return np.stack([_positive(np.asarray(part), seen) for part, seen in parts], axis=1)
    array: NDArray[Any] = np.asarray(found, dtype=np.float64)
    if columns == 1 and array.ndim == 2:
        return _positive(array, classes)[:, None]
    return array


def _positive(part: NDArray[Any], classes: Any) -> NDArray[Any]:
    """The probability of 1 in the probabilities of one column of 0 and 1."""
    seen = [0, 1] if classes is None else list(np.asarray(classes))
    if len(seen) == 1:
        return np.full(len(part), float(seen[0]))
    if part.ndim == 1:
        return part.astype(np.float64)
    positive: NDArray[Any] = part[:, seen.index(1)].astype(np.float64)
    return positive


def _expect(scores: NDArray[Any], columns: int) -> NDArray[Any]:
    if scores.ndim != 2 or scores.shape[1] != columns:
        raise ValueError(f"the estimator gives scores of shape {scores.shape} for {columns} classes")
    return scores

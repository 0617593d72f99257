"""Margins of the columns of a target as what `predict`, `predict_proba` and `decision_function` give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound.sklearn.target import Target


def shaped_margins(margins: NDArray[np.float64], target: Target) -> NDArray[np.float64]:
    """The decision function: `[rows]` if binary, otherwise `[rows, classes]`."""
    return margins[:, 0] if target.kind == "binary" else margins


def shaped_probabilities(
    probabilities: NDArray[np.float64], target: Target
) -> NDArray[np.float64]:
    """Probabilities `[rows, classes]`. Those of classes that exclude each other sum to 1."""
    if target.kind == "binary":
        positive = probabilities[:, 0]
        return np.stack([1 - positive, positive], axis=1)
    if target.kind == "multiclass":
        # In double precision a sum is 0 only if no class is possible at all: then all are equally so.
        sums = probabilities.sum(axis=1, keepdims=True)
        even = 1 / probabilities.shape[1]
        shares: NDArray[np.float64] = np.where(sums > 0, probabilities / np.where(sums, sums, 1), even)
        return shares
    return probabilities


def decided(
    margins: NDArray[Any], predicted: NDArray[np.bool_], target: Target
) -> NDArray[Any]:
    """The classes of one-dimensional targets, otherwise 0 and 1 `[rows, classes]`."""
    if target.kind == "binary":
        places = predicted[:, 0].astype(int)
        chosen: NDArray[Any] = target.classes[places]
        return chosen
    if target.kind == "multiclass":
        most: NDArray[Any] = target.classes[np.argmax(margins, axis=1)]
        return most
    return predicted.astype(int)

"""Targets: the three kinds of `y` that a classifier can be given, as columns of 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rulebound.rules import Rules


@dataclass(frozen=True)
class Target:
    """A target that was understood."""

    kind: str
    """"binary", "multiclass" or "multilabel"."""
    columns: NDArray[np.int64]
    """0 and 1 `[rows, columns]`: one column if binary, otherwise one for each class."""
    classes: NDArray[Any]
    """The classes: values of a one-dimensional `y`, names or numbers of columns otherwise."""
    names: list[str]
    """The names of the columns, as rules know them."""


def given_names(y: Any) -> list[str] | None:
    """The names of the columns of a frame."""
    columns = getattr(y, "columns", None)
    if columns is None or callable(columns):
        return None
    names = [str(name) for name in columns]
    return names if len(names) > 1 else None


def read_target(y: Any, names: list[str] | None, rules: Rules | None) -> Target:
    """The target that `y` is; `names` are those of its columns, where it had some."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    array: NDArray[Any] = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = column_or_1d(array, warn=True)
    check_classification_targets(array)
    if array.ndim == 1:
        return _single(array, rules)
    if not np.isin(array, (0, 1)).all():
        raise ValueError("a two-dimensional y has one column of 0 and 1 for each class")
    if names is None and rules is not None and len(rules.labels) == array.shape[1]:
        names = list(rules.labels)
    classes: NDArray[Any] = np.arange(array.shape[1])
    if names is not None:
        classes = np.array(names, dtype=object)
    columns = array.astype(np.int64)
    texts = names or [f"y{place}" for place in range(array.shape[1])]
    return Target("multilabel", columns, classes, texts)


def _single(y: NDArray[Any], rules: Rules | None) -> Target:
    if rules is not None:
        raise ValueError(
            "rules are about several labels of a row, but y has one: give one column of 0 and 1 for each "
            "class; rules.close(...) adds what follows from them"
        )
    classes, places = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"the number of classes has to be greater than one; got {len(classes)} class"
        )
    if len(classes) == 2:
        return Target("binary", places[:, None].astype(np.int64), classes, ["y"])
    columns = (places[:, None] == np.arange(len(classes))).astype(np.int64)
    return Target("multiclass", columns, classes, [f"y{place}" for place in range(len(classes))])

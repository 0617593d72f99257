"""Targets: the three kinds of `y` that a classifier can be given, as columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rulebound.class_order import label_list
from rulebound.names import listed
from rulebound.rules import Rules


@dataclass(frozen=True)
class Target:
    """A target that was understood."""

    kind: str
    """"binary", "multiclass" or "multilabel"."""
    columns: NDArray[np.float64]
    """0, 1, and NaN where a label is not known `[rows, columns]`: one column if binary, otherwise one for each class."""
    classes: NDArray[Any]
    """The classes: values of a one-dimensional `y`, names or numbers of columns otherwise."""
    names: list[str]
    """The names of the columns, as rules know them."""

    @property
    def is_complete(self) -> bool:
        """Whether all labels are known."""
        return not bool(np.isnan(self.columns).any())


def given_names(y: Any, labels: Iterable[str] | None = None) -> list[str] | None:
    """The names of the columns of a frame, or those that were given for an array."""
    columns = getattr(y, "columns", None)
    given = None if labels is None else label_list(labels)
    if columns is None or callable(columns):
        return given
    names = [str(name) for name in columns]
    if given is not None and sorted(given) != sorted(names):
        raise ValueError(f"labels are {listed(given)}, but the columns of y are {listed(names)}")
    return names if len(names) > 1 else None


def read_target(y: Any, names: list[str] | None, rules: Rules | None) -> Target:
    """The target that `y` is; `names` are those of its columns, where it had some."""
    array = _array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = column_or_1d(array, warn=True)
    if array.ndim == 1:
        check_classification_targets(array)
        return _single(array, rules)
    unknown = _unknown(array)
    if unknown is None:
        check_classification_targets(array)
        unknown = np.zeros(array.shape, bool)
    if not (unknown | np.isin(array, (0, 1))).all():
        raise ValueError("a two-dimensional y has one column of 0 and 1 for each class, and NaN where it is not known")
    if names is None and rules is not None and len(rules.labels) == array.shape[1]:
        names = list(rules.labels)
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(f"{len(names)} labels for the {array.shape[1]} columns of y")
    classes: NDArray[Any] = np.arange(array.shape[1])
    if names is not None:
        classes = np.array(names, dtype=object)
    columns = np.where(unknown, np.nan, np.where(unknown, 0, array).astype(np.float64))
    texts = names or [f"y{place}" for place in range(array.shape[1])]
    return Target("multilabel", columns, classes, texts)


def _array(y: Any) -> NDArray[Any]:
    if hasattr(y, "toarray"):
        y = y.toarray()
    if type(y).__module__.startswith("pandas") and getattr(y, "ndim", 1) == 2:
        try:
            # Nullable columns have a missing value of their own.
            numbers: NDArray[Any] = y.to_numpy(dtype=np.float64, na_value=np.nan)
            return numbers if np.isnan(numbers).any() else np.asarray(numbers)
        except (TypeError, ValueError):
            pass
    return np.asarray(y)


def _unknown(array: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Where labels are not known; none if all are."""
    if array.dtype == object:
        array = np.array([[np.nan if value is None else value for value in row] for row in array])
    if array.dtype.kind != "f":
        return None
    unknown: NDArray[np.bool_] = np.isnan(array)
    return unknown if unknown.any() else None


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
        return Target("binary", places[:, None].astype(np.float64), classes, ["y"])
    columns = (places[:, None] == np.arange(len(classes))).astype(np.float64)
    return Target("multiclass", columns, classes, [f"y{place}" for place in range(len(classes))])

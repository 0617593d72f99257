"""Labels of rows: an array of 0 and 1, a frame, or lists of class names. A label that is NaN is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound.names import unknown_names
from rulebound.score_table import open_table

UNKNOWN = 2
"""The mark of a label that is not known."""


class LabelTable:
    """Labels, and what they came in."""

    def __init__(self, labels: Any, classes: Sequence[str]) -> None:
        self._classes = list(classes)
        self._names = _are_names(labels)
        if self._names:
            self._marks = _marks(labels, self._classes)
        else:
            if hasattr(labels, "toarray"):
                labels = labels.toarray()
            self._table = open_table(labels, classes)
            self._marks = binary(self._table.values(), self._classes)
            self._dtype = getattr(labels, "dtype", None)

    def marks(self) -> NDArray[np.uint8]:
        """For each row and class 1, 0, or 2 where it is not known."""
        return self._marks

    def replaced(self, marks: NDArray[np.uint8]) -> Any:
        """The same kind of labels with other values."""
        if self._names:
            return [[self._classes[place] for place in np.flatnonzero(row)] for row in marks]
        unknown = marks == UNKNOWN
        if unknown.any():
            return self._table.replaced(np.where(unknown, np.nan, marks.astype(np.float64)))
        if self._dtype is not None and isinstance(self._dtype, np.dtype):
            return self._table.replaced(marks.astype(self._dtype))
        return self._table.replaced(marks.astype(np.int64))


def binary(values: NDArray[Any], classes: Sequence[str]) -> NDArray[np.uint8]:
    """Numbers 0, 1 and NaN as marks; anything else is an error with its place."""
    unknown = np.isnan(values)
    bad = ~unknown & ~np.isin(values, (0, 1))
    if bad.any():
        row, column = (int(place[0]) for place in np.nonzero(bad))
        raise ValueError(f"row {row}: the label of `{classes[column]}` is {values[row, column]}, not 0 or 1")
    marks: NDArray[np.uint8] = (values == 1).astype(np.uint8)
    marks[unknown] = UNKNOWN
    return marks


def complete(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Numbers 0 and 1 as truth, where every label must be known; anything else is an error with its place."""
    bad = ~np.isin(values, (0, 1))
    if bad.any():
        row, column = (int(place[0]) for place in np.nonzero(bad))
        raise ValueError(f"row {row}, class {column}: a label is 0 or 1, not {values[row, column]}")
    return values.astype(bool)


def _are_names(labels: Any) -> bool:
    if not isinstance(labels, (list, tuple)):
        return False
    return all(
        isinstance(row, (list, tuple, set, frozenset))
        and all(isinstance(name, str) for name in row)
        for row in labels
    )


def _marks(rows: Sequence[Sequence[str]], classes: list[str]) -> NDArray[np.uint8]:
    places = {name: place for place, name in enumerate(classes)}
    marks = np.zeros((len(rows), len(classes)), np.uint8)
    for row, names in enumerate(rows):
        message = unknown_names([name for name in names if name != ""], places, "a class of the rules")
        if message is not None:
            raise KeyError(f"row {row}: {message}")
        for name in names:
            if name != "":
                marks[row, places[name]] = 1
    return marks

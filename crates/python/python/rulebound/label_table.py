"""Labels of rows: an array of 0 and 1, a frame, or lists of class names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound.score_table import open_table


class LabelTable:
    """Labels, and what they came in."""

    def __init__(self, labels: Any, classes: Sequence[str]) -> None:
        self._classes = list(classes)
        self._names = _are_names(labels)
        if self._names:
            self._marks = _marks(labels, self._classes)
        else:
            self._table = open_table(labels, classes)
            self._marks = binary(self._table.values())
            self._dtype = getattr(labels, "dtype", None)

    def marks(self) -> NDArray[np.bool_]:
        """Whether each row has each class."""
        return self._marks

    def replaced(self, marks: NDArray[np.bool_]) -> Any:
        """The same kind of labels with other values."""
        if self._names:
            return [[self._classes[place] for place in np.flatnonzero(row)] for row in marks]
        if self._dtype is not None and isinstance(self._dtype, np.dtype):
            return self._table.replaced(marks.astype(self._dtype))
        return self._table.replaced(marks.astype(np.int64))


def binary(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Numbers 0 and 1 as truth; anything else is an error with its place."""
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


def _marks(rows: Sequence[Sequence[str]], classes: list[str]) -> NDArray[np.bool_]:
    places = {name: place for place, name in enumerate(classes)}
    marks = np.zeros((len(rows), len(classes)), bool)
    for row, names in enumerate(rows):
        for name in names:
            if name == "":
                continue
            if name not in places:
                raise KeyError(f"row {row}: `{name}` is not a class of the rules")
            marks[row, places[name]] = True
    return marks

"""Metrics of rows that are in many places: a summary per partition, which can be merged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.label_table import complete


class ClassCounts:
    """How often each class is true: a first pass that says which classes have a positive.

    >>> counts, others = ClassCounts(3), ClassCounts(3)
    >>> counts.add([[1, 0, 0]])
    >>> others.add([[1, 0, 0], [0, 0, 1]])
    >>> counts.merge(others)
    >>> counts.rows, counts.positives.tolist(), counts.present().tolist()
    (3, [2, 0, 1], [True, False, True])
    """

    __slots__ = ("_counts",)

    def __init__(self, classes: int) -> None:
        self._counts = _native.ClassCounts(classes)

    def add(self, truth: Any) -> None:
        """Adds rows of truth: an array of 0 and 1."""
        self._counts.add(complete(np.atleast_2d(np.asarray(truth))))

    def merge(self, other: ClassCounts) -> None:
        """Adds the rows of another one."""
        self._counts.merge(other._counts)

    @property
    def rows(self) -> int:
        """How many rows."""
        return self._counts.rows()

    @property
    def positives(self) -> NDArray[np.int64]:
        """How often each class is true."""
        return self._counts.positives()

    def present(self) -> NDArray[np.bool_]:
        """Whether each class is true at least once."""
        return np.asarray(self.positives > 0)

    def to_bytes(self) -> bytes:
        """The counts as bytes; equal counts have equal bytes."""
        return self._counts.to_bytes()

    @staticmethod
    def from_bytes(bytes: bytes) -> ClassCounts:
        """Reads back `to_bytes`."""
        counts = ClassCounts.__new__(ClassCounts)
        counts._counts = _native.ClassCounts.from_bytes(bytes)
        return counts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (ClassCounts.from_bytes, (self.to_bytes(),))


class PartialMetrics:
    """The metrics of the rows of a partition, which can be merged with those of others. Results have the same bits
    however rows are split and in whatever order they are merged.

    `counted` is the number of classes, or says for each class whether it counts: `ClassCounts.present()`, for
    example. Without `bits` metrics are exact, and the summary has an entry per class and distinct score. With
    `bits` (8 to 32) scores are cut to so many bits, which bounds the size, and `finish` says between which
    values metrics of rankings over many rows are.

    >>> truth, scores = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.9, 0.2], [0.4, 0.7], [0.8, 0.3]])
    >>> all_rows, part = PartialMetrics(2), PartialMetrics(2)
    >>> all_rows.add(truth[:1], scores[:1])
    >>> part.add(truth[1:], scores[1:])
    >>> all_rows.merge(part)
    >>> found = all_rows.finish()
    >>> found["rows"], found["hamming_loss"], found["bounds"]["macro_auprc"]
    (3, 0.16666666666666666, [1.0, 1.0])
    """

    __slots__ = ("_part",)

    def __init__(self, counted: int | Iterable[bool], *, bits: int | None = None) -> None:
        if isinstance(counted, (int, np.integer)):
            mask = np.ones(int(counted), dtype=bool)
        else:
            mask = np.array(list(counted), dtype=bool)
        self._part = _native.PartialMetrics(mask, bits)

    def add(
        self,
        truth: Any,
        scores: Any,
        decisions: Any = None,
        *,
        thresholds: float | Iterable[float] = 0.5,
    ) -> None:
        """Adds rows: truth as an array of 0 and 1, and scores. Decisions are scores above their thresholds unless they
        are given."""
        values = np.atleast_2d(np.asarray(scores))
        if values.dtype != np.float32:
            values = values.astype(np.float64, copy=False)
        marks = complete(np.atleast_2d(np.asarray(truth)))
        if decisions is None:
            levels = np.asarray(thresholds, dtype=np.float64)
            decided = values.astype(np.float64) > levels
        else:
            decided = complete(np.atleast_2d(np.asarray(decisions)))
        self._part.add(values, decided, marks)

    def merge(self, other: PartialMetrics) -> None:
        """Adds the rows of another one, which must count the same classes and have the same `bits`."""
        self._part.merge(other._part)

    @property
    def rows(self) -> int:
        """How many rows."""
        return self._part.rows()

    def finish(self) -> dict[str, Any]:
        """All metrics by the names that `evaluate` gives them, `f_max`, the average precision of each class
        (`class_average_precision`), and under `bounds` the lowest and highest values of `auprc`,
        `macro_auprc`, `f_max` and `class_average_precision`. What is undefined is None."""
        metrics, auprc, macro_auprc, f_max, classes = self._part.finish()
        return {
            "rows": self.rows,
            "bits": self._part.bits(),
            **dict(metrics),
            "f_max": None if f_max is None else f_max[0],
            "class_average_precision": [None if one is None else one[0] for one in classes],
            "bounds": {
                "auprc": _bounds(auprc),
                "macro_auprc": _bounds(macro_auprc),
                "f_max": _bounds(f_max),
                "class_average_precision": [_bounds(one) for one in classes],
            },
        }

    def to_bytes(self) -> bytes:
        """The summary as bytes; the same rows have the same bytes."""
        return self._part.to_bytes()

    @staticmethod
    def from_bytes(bytes: bytes) -> PartialMetrics:
        """Reads back `to_bytes`.

        >>> part = PartialMetrics(2, bits=16)
        >>> part.add([[1, 0]], [[0.9, 0.2]])
        >>> PartialMetrics.from_bytes(part.to_bytes()) == part
        True
        """
        part = PartialMetrics.__new__(PartialMetrics)
        part._part = _native.PartialMetrics.from_bytes(bytes)
        return part

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialMetrics):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (PartialMetrics.from_bytes, (self.to_bytes(),))


def _bounds(found: tuple[float, float, float] | None) -> list[float] | None:
    return None if found is None else [found[1], found[2]]

"""Metrics of rows that are in many places: each place makes a summary, summaries are merged, and no row is collected.

Where only classes with a positive row count, those must be known before anything is ranked: that is a first pass.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.arrow.list_table import column_place, list_numbers
from rulebound.handle import Handle, rules_handle
from rulebound.label_table import complete
from rulebound.partial_metrics import ClassCounts, PartialMetrics
from rulebound.rules import Rules
from rulebound.score_table import ArrowTable
from rulebound.thresholds import Thresholds, threshold_list

Columns = str | Sequence[str]


class Measurement:
    """The classes, and where batches have truth and scores: in a list column each, or in one column per class.

    `classes` are those of rules, which are counted where they are broken, or names. Decisions are scores above the
    thresholds. `bits` bounds the size of summaries, and the result has bounds instead of exact curves."""

    def __init__(
        self,
        classes: Rules | Sequence[str] | str | os.PathLike[str],
        *,
        truth: Columns,
        scores: Columns,
        thresholds: Thresholds = None,
        labels_in_metrics: str = "all",
        bits: int | None = None,
    ) -> None:
        if labels_in_metrics not in ("present", "all"):
            raise ValueError(f'labels_in_metrics {labels_in_metrics!r} is not one of "present", "all"')
        self._rules: Handle[Rules] | None = None
        if isinstance(classes, (Rules, str, os.PathLike)):
            self._rules = rules_handle(classes)
            self._labels = list(self._rules.open().labels)
        else:
            self._labels = list(classes)
        self._truth, self._scores = truth, scores
        levels = threshold_list(0.5 if thresholds is None else thresholds, self._labels)
        self._thresholds: NDArray[Any] = np.array(levels)
        self._needs_counts = labels_in_metrics == "present"
        self._bits = bits

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        sides = (self._truth, self._scores)
        return [name for side in sides for name in ([side] if isinstance(side, str) else side)]

    @property
    def needs_counts(self) -> bool:
        """Whether there is a first pass."""
        return self._needs_counts

    # First pass

    def counted(self, batches: Iterable[Any]) -> Iterator[Any]:
        """One batch of one line: how many rows have each class."""
        counts = ClassCounts(len(self._labels))
        for batch in batches:
            counts.add(self._marks(batch))
        yield _line(counts.to_bytes(), 0, 0)

    def present(self, lines: Iterable[tuple[bytes, int, int]]) -> NDArray[np.bool_]:
        """The classes that some row has, from the lines of all places."""
        counts = ClassCounts(len(self._labels))
        for summary, _, _ in lines:
            counts.merge(ClassCounts.from_bytes(bytes(summary)))
        return counts.present()

    # Second pass

    def measuring(self, counted: NDArray[np.bool_] | None) -> Measuring:
        """What makes the summaries; all classes count unless they are given."""
        return Measuring(self, counted)

    def result(
        self, counted: NDArray[np.bool_] | None, lines: Iterable[tuple[bytes, int, int]]
    ) -> dict[str, Any]:
        """The metrics, from the lines of all places; they are read one by one."""
        total, broken, truth_broken = self._empty(counted), 0, 0
        for summary, rows, truth_rows in lines:
            total.merge(PartialMetrics.from_bytes(bytes(summary)))
            broken, truth_broken = broken + rows, truth_broken + truth_rows
        found: dict[str, Any] = dict(total.finish())
        found["classes"] = len(self._labels) if counted is None else int(counted.sum())
        if self._rules is not None:
            rate = broken / total.rows if total.rows else None
            found["incoherent_rows"] = broken
            found["violation_rate"] = rate
            found["incoherent_truth_rows"] = truth_broken
        return found

    def _empty(self, counted: NDArray[np.bool_] | None) -> PartialMetrics:
        return PartialMetrics(len(self._labels) if counted is None else counted, bits=self._bits)

    def _marks(self, batch: Any) -> NDArray[np.bool_]:
        return complete(self._values(batch, self._truth))

    def _values(self, batch: Any, side: Columns) -> NDArray[Any]:
        if isinstance(side, str):
            return list_numbers(batch.column(column_place(batch.schema, side)), side, self._labels)
        return ArrowTable(batch, list(side)).values()

    def _broken(self, marks: NDArray[np.bool_]) -> int:
        if self._rules is None:
            return 0
        return len({row for row, _ in _native.violations(self._rules.open()._program, marks.astype(np.uint8))})


class Measuring:
    """The second pass: one batch of one line, the summary of all batches of a place."""

    def __init__(self, measurement: Measurement, counted: NDArray[np.bool_] | None) -> None:
        self._measurement = measurement
        self._counted = counted

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        of = self._measurement
        part, broken, truth_broken = of._empty(self._counted), 0, 0
        for batch in batches:
            marks, scores = of._marks(batch), of._values(batch, of._scores)
            decisions = scores > of._thresholds
            part.add(marks, scores, decisions)
            broken += of._broken(decisions)
            truth_broken += of._broken(marks)
        yield _line(part.to_bytes(), broken, truth_broken)


def _line(summary: bytes, broken: int, truth_broken: int) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_pydict(
        {
            "summary": pyarrow.array([summary], pyarrow.binary()),
            "broken": pyarrow.array([broken], pyarrow.int64()),
            "truth_broken": pyarrow.array([truth_broken], pyarrow.int64()),
        }
    )

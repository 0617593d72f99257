"""Rules applied to rows that list their classes: one list column of classes, and one of scores."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rulebound.arrow.batch_job import BatchJob
from rulebound.arrow.list_table import column_place
from rulebound.arrow.listed_classes import ListedClasses
from rulebound.errors import ScoreError
from rulebound.handle import Handle, rules_handle
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds, threshold_list


class ListedApplication(BatchJob):
    """Rules, and two list columns: the `classes` of a row, by name or number, and their `scores`. All other columns stay.

    Like a long table, but the lines of a row are together by construction: an engine need not sort them. Rows of errors are
    called by their value in the column `by`, if there is one."""

    def __init__(
        self,
        rules: Rules | Handle[Rules] | str | os.PathLike[str],
        classes: str,
        scores: str,
        *,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        top: int | None = None,
        above: float | None = None,
        by: str | None = None,
        parallel: bool = True,
    ) -> None:
        self._rules = rules_handle(rules)
        self._columns = [classes, scores]
        self._by = by
        levels = threshold_list(thresholds, self._rules.open().labels)
        self._options: dict[str, Any] = {"kind": kind, "thresholds": levels, "top": top, "above": above, "parallel": parallel}

    @property
    def changed(self) -> list[str]:
        """The columns whose values are changed."""
        return list(self._columns)

    def batch(self, batch: Any) -> Any:
        import pyarrow

        places = [column_place(batch.schema, name) for name in self._columns]
        lists = [self._list(batch.column(place), name) for place, name in zip(places, self._columns, strict=True)]
        (starts, classes), (score_starts, scores) = lists
        wrong = np.flatnonzero(np.diff(starts) != np.diff(score_starts))
        if len(wrong):
            row = int(wrong[0])
            counts = f"{np.diff(starts)[row]} classes, but {np.diff(score_starts)[row]} scores"
            raise ScoreError(f"row {row}: {counts}", row)
        given = ListedClasses(starts, classes, scores)
        done = given.applied(self._rules.open(), lambda row: self._row_name(batch, row), **self._options)
        fields, arrays = list(batch.schema), batch.columns
        for place, values in zip(places, (done.classes, done.scores), strict=True):
            is_large = pyarrow.types.is_large_list(fields[place].type)
            item = fields[place].type.value_field.with_type(values.type)
            kind = pyarrow.large_list(item) if is_large else pyarrow.list_(item)
            if not is_large and done.starts[-1] > np.iinfo(np.int32).max:
                raise ValueError(f"{done.starts[-1]} classes are too many for one batch; give smaller batches")
            offsets = done.starts if is_large else done.starts.astype(np.int32)
            maker = pyarrow.LargeListArray if is_large else pyarrow.ListArray
            arrays[place] = maker.from_arrays(pyarrow.array(offsets), values, type=kind)
            fields[place] = fields[place].with_type(kind)
        return pyarrow.RecordBatch.from_arrays(arrays, schema=pyarrow.schema(fields, batch.schema.metadata))

    def _row_name(self, batch: Any, row: int) -> str:
        return f"row {row}" if self._by is None else f"id {batch.column(self._by)[row].as_py()!r}"

    def _list(self, column: Any, name: str) -> tuple[Any, Any]:
        """Where rows begin, from 0, and what they list."""
        import pyarrow

        if not (pyarrow.types.is_list(column.type) or pyarrow.types.is_large_list(column.type)):
            raise TypeError(f"the column `{name}` has no lists, but {column.type}")
        if column.null_count:
            row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise ScoreError(f"row {row}: no list in the column `{name}`", row)
        if not len(column):
            return np.zeros(1, np.int64), column.values.slice(0, 0)
        starts = column.offsets.to_numpy(zero_copy_only=True).astype(np.int64)
        return starts - starts[0], column.values.slice(int(starts[0]), int(starts[-1] - starts[0]))

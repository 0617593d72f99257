"""Rules applied to long tables: a line has the id of its row, a class, and its score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound.arrow.batch_job import BatchJob
from rulebound.arrow.list_table import column_place
from rulebound.arrow.listed_application import ListedApplication
from rulebound.arrow.listed_classes import ListedClasses
from rulebound.handle import rules_handle
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds, threshold_list


class LongApplication(BatchJob):
    """Rules, and the columns of a long table: id, class (a name or a number) and score.

    Lines of an id follow each other. The result has the same three columns and the lines of all classes whose scores are
    not the lowest; classes that are not listed had it. With `top`, no more than so many classes of each id are kept, with
    `above`, those with higher scores, and in both cases the classes that follow from them."""

    def __init__(
        self,
        rules: Rules | str | os.PathLike[str],
        long: Sequence[str],
        *,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        top: int | None = None,
        above: float | None = None,
        parallel: bool = True,
    ) -> None:
        if len(long) != 3 or isinstance(long, str):
            raise ValueError("a long table has three columns: long=(id, class, score)")
        self._rules = rules_handle(rules)
        self._columns = list(long)
        levels = threshold_list(thresholds, self._rules.open().labels)
        self._options: dict[str, Any] = {"kind": kind, "thresholds": levels, "top": top, "above": above, "parallel": parallel}

    @property
    def columns(self) -> list[str]:
        """The names of the three columns."""
        return list(self._columns)

    def listed(self, by: str, classes: str, scores: str) -> ListedApplication:
        """The same for rows that list their classes in these columns, and their ids in another one."""
        return ListedApplication(self._rules, classes, scores, by=by, **self._options)

    def batch(self, batch: Any) -> Any:
        ids, classes, scores = (batch.column(column_place(batch.schema, name)) for name in self._columns)
        starts = self._starts(ids)
        rules = self._rules.open()
        given = ListedClasses(np.append(starts, len(ids)), classes, scores)
        done = given.applied(rules, lambda row: f"id {ids[int(starts[row])].as_py()!r}", **self._options)
        return self._batch(batch.schema, ids.take(np.repeat(starts, np.diff(done.starts))), done)

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The lines of the last id of a batch wait for the next one, which may have more of them. All ids are remembered (some
        hundred bytes each): one that comes back later would have been done without its other lines."""
        import pyarrow

        waiting: Any = None
        seen: set[Any] = set()
        for batch in batches:
            batch = self._selected(batch)
            if waiting is not None:
                batch = pyarrow.concat_batches([waiting, batch])
            if not batch.num_rows:
                continue
            starts = self._starts(batch.column(0))
            for name in batch.column(0).take(starts[:-1]).to_pylist():
                if name in seen:
                    raise self._comes_back(name)
                seen.add(name)
            start = int(starts[-1])
            if start:
                yield self.batch(batch.slice(0, start))
            waiting = batch.slice(start)
        if waiting is not None:
            if waiting.column(0)[0].as_py() in seen:
                raise self._comes_back(waiting.column(0)[0].as_py())
            yield self.batch(waiting)

    def run(self, data: Any) -> Any:
        import pyarrow

        # Whether an id comes back later can only be seen in the whole table.
        if isinstance(data, pyarrow.Table):
            batches = self._selected(data).combine_chunks().to_batches()
            done = [self.batch(batch) for batch in batches]
            return pyarrow.Table.from_batches(done, done[0].schema if done else self.schema(data.schema))
        return super().run(data)

    __call__ = run

    def _selected(self, table: Any) -> Any:
        return table.select([column_place(table.schema, name) for name in self._columns])

    def _starts(self, ids: Any) -> NDArray[np.int64]:
        """Where the lines of each id begin; no id comes twice."""
        import pyarrow
        import pyarrow.compute

        if ids.null_count:
            line = int(np.argmax(ids.is_null().to_numpy(zero_copy_only=False)))
            raise ValueError(f"row {line}: no id in the column `{self._columns[0]}`")
        if not len(ids):
            return np.zeros(0, np.int64)
        if pyarrow.types.is_dictionary(ids.type):
            ids = ids.dictionary_decode()
        same = pyarrow.compute.equal(ids.slice(1), ids.slice(0, len(ids) - 1))
        changes = np.flatnonzero(~same.to_numpy(zero_copy_only=False)) + 1
        starts = np.concatenate([[0], changes]).astype(np.int64)
        first = ids.take(starts)
        if pyarrow.compute.count_distinct(first).as_py() != len(starts):
            counts = pyarrow.compute.value_counts(first)
            again = counts.filter(pyarrow.compute.greater(counts.field(1), 1)).field(0)[0].as_py()
            raise self._comes_back(again)
        return starts

    def _comes_back(self, name: Any) -> ValueError:
        return ValueError(f"id {name!r} comes back later: sort the table by `{self._columns[0]}`")

    def _batch(self, schema: Any, ids: Any, done: ListedClasses) -> Any:
        import pyarrow

        arrays = [ids, done.classes, done.scores]
        fields = [schema.field(name) for name in self._columns]
        fields = [field.with_type(array.type) for field, array in zip(fields, arrays, strict=True)]
        return pyarrow.RecordBatch.from_arrays(arrays, schema=pyarrow.schema(fields))

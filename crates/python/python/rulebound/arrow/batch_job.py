"""Something that is done to Arrow batches, one by one, wherever they are: here, or in the workers of an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from rulebound.errors import ScoreError


class BatchJob(ABC):
    """A function of Arrow batches that can be pickled."""

    @abstractmethod
    def batch(self, batch: Any) -> Any:
        """The RecordBatch that a RecordBatch becomes. Rows of errors count from its beginning."""

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Batches that come one after the other. Rows of errors count from the first of them."""
        rows = 0
        for batch in batches:
            try:
                done = self.batch(batch)
            except ScoreError as error:
                raise error.moved(rows) from None
            rows += batch.num_rows
            yield done

    def schema(self, schema: Any) -> Any:
        """The schema of what a batch with this schema becomes."""
        return self.batch(empty_batch(schema)).schema

    def run(self, data: Any) -> Any:
        """The same kind of data: a RecordBatch, a Table, or a RecordBatchReader, which reads when it is read. Other data
        that has the methods of the Arrow interface for C becomes a RecordBatch or a Table."""
        import pyarrow

        if isinstance(data, pyarrow.RecordBatchReader):
            batches = self.batches(data)
            return pyarrow.RecordBatchReader.from_batches(self.schema(data.schema), batches)
        if not isinstance(data, (pyarrow.RecordBatch, pyarrow.Table)):
            data = _opened(data)
        if isinstance(data, pyarrow.RecordBatch):
            return next(self.batches([data]))
        # Chunks stay where they are: nothing is put together first.
        done = list(self.batches(data.to_batches()))
        return pyarrow.Table.from_batches(done, done[0].schema if done else self.schema(data.schema))

    __call__ = run


def _opened(data: Any) -> Any:
    import pyarrow

    if hasattr(data, "__arrow_c_array__"):
        return pyarrow.record_batch(data)
    if hasattr(data, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(data).read_all()
    raise TypeError(f"{type(data).__name__} is not Arrow data: a RecordBatch, a Table, or a RecordBatchReader")


def empty_batch(schema: Any) -> Any:
    """A batch without rows."""
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([pyarrow.nulls(0, field.type) for field in schema], schema=schema)

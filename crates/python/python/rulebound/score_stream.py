"""Streams of scores: a reader of Arrow batches becomes another one, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rulebound.errors import ScoreError


def is_stream(scores: Any) -> bool:
    """Whether these are batches that come one after the other."""
    library, name = type(scores).__module__.partition(".")[0], type(scores).__name__
    return library == "pyarrow" and name == "RecordBatchReader"


def applied_stream(reader: Any, labels: tuple[str, ...], apply: Callable[[Any], Any]) -> Any:
    """A reader of coherent batches. Nothing is read before it is asked for; rows of errors count from
    the beginning of the stream."""
    import pyarrow

    from rulebound.score_table import require_columns

    schema = reader.schema
    require_columns(schema.names, labels)
    narrow = all(schema.field(label).type == pyarrow.float32() for label in labels)
    kind = pyarrow.float32() if narrow else pyarrow.float64()
    for label in labels:
        field = schema.field(label).with_type(kind)
        schema = schema.set(schema.get_field_index(label), field)

    def batches() -> Iterator[Any]:
        rows = 0
        for batch in reader:
            try:
                table = apply(pyarrow.Table.from_batches([batch]))
            except ScoreError as error:
                raise error.moved(rows) from None
            rows += batch.num_rows
            yield from table.cast(schema).to_batches()

    return pyarrow.RecordBatchReader.from_batches(schema, batches())

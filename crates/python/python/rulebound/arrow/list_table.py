"""A list column: every row has all its scores in one list, read where they are.

The lists of a batch are one buffer of numbers, which NumPy looks at without a copy; what comes back is one new buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound.errors import ScoreError
from rulebound.score_table import ScoreTable


class ListTable(ScoreTable):
    """A RecordBatch with a column of lists: `list`, `large_list` or `fixed_size_list` of float32 or float64, also as the
    storage of a tensor extension type."""

    def __init__(self, batch: Any, column: str, labels: Sequence[str]) -> None:
        self._batch = batch
        self._place = column_place(batch.schema, column)
        self._labels = labels
        self._numbers = list_numbers(batch.column(self._place), column, labels)

    def values(self) -> NDArray[Any]:
        return self._numbers

    def replaced(self, values: NDArray[Any]) -> Any:
        old = self._batch.schema.field(self._place)
        column = list_array(values, old.type)
        arrays = self._batch.columns
        arrays[self._place] = column
        schema = self._batch.schema.set(self._place, old.with_type(column.type))
        return type(self._batch).from_arrays(arrays, schema=schema)


def column_place(schema: Any, name: str) -> int:
    """Where the only column of this name is."""
    places = schema.get_all_field_indices(name)
    if len(places) == 1:
        return int(places[0])
    if places:
        raise ValueError(f"several columns are called `{name}`")
    import difflib

    near = difflib.get_close_matches(name, schema.names, 1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    raise KeyError(f"no column `{name}`{hint}")


def list_numbers(column: Any, name: str, labels: Sequence[str]) -> NDArray[Any]:
    """The numbers of lists, `[rows, labels]`, without a copy unless they are of another type than float32 or float64."""
    import pyarrow

    if isinstance(column, pyarrow.ExtensionArray):
        column = column.storage
    kind, width = column.type, len(labels)
    if not (
        pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind) or pyarrow.types.is_fixed_size_list(kind)
    ):
        raise TypeError(f"the column `{name}` has no lists of numbers, but {kind}")
    _require_no_null(column, lambda row: ScoreError(f"row {row}: no list in the column `{name}`", row))
    numbers = _numbers_in_place(column, name, width)
    _require_no_null(
        numbers,
        lambda at: ScoreError(
            f"row {at // width}: no number for `{labels[at % width]}` in the column `{name}`",
            at // width,
            labels[at % width],
        ),
    )
    if numbers.type == pyarrow.float16():
        numbers = numbers.cast(pyarrow.float32())
    elif pyarrow.types.is_integer(numbers.type) or pyarrow.types.is_boolean(numbers.type):
        numbers = numbers.cast(pyarrow.float64())
    elif not pyarrow.types.is_floating(numbers.type):
        raise TypeError(f"the lists of the column `{name}` have no numbers, but {numbers.type}")
    found: NDArray[Any] = numbers.to_numpy(zero_copy_only=True)
    return found.reshape(len(column), width)


def _numbers_in_place(column: Any, name: str, width: int) -> Any:
    """The numbers of all lists, which have this length."""
    import pyarrow

    if pyarrow.types.is_fixed_size_list(column.type):
        size = column.type.list_size
        if size != width:
            raise ValueError(f"{size} numbers in each row of the column `{name}`, but there are {width} names")
        return column.values.slice(column.offset * width, len(column) * width)
    starts = column.offsets.to_numpy(zero_copy_only=True)
    wrong = np.flatnonzero(np.diff(starts) != width)
    if len(wrong):
        row = int(wrong[0])
        found = int(starts[row + 1] - starts[row])
        raise ScoreError(f"row {row}: {found} numbers in the column `{name}`, but there are {width} names", row)
    return column.values.slice(int(starts[0]) if len(starts) else 0, len(column) * width)


def _require_no_null(array: Any, error: Any) -> None:
    if array.null_count:
        raise error(int(np.argmax(array.is_null().to_numpy(zero_copy_only=False))))


def list_array(values: NDArray[Any], like: Any = None) -> Any:
    """Rows as lists of a type like this one, which share the memory of `values`."""
    import pyarrow

    rows, width = values.shape
    numbers = pyarrow.array(np.ascontiguousarray(values).reshape(-1))
    if isinstance(like, pyarrow.BaseExtensionType):
        storage = list_array(values, like.storage_type)
        is_same = storage.type == like.storage_type
        return pyarrow.ExtensionArray.from_storage(like, storage) if is_same else storage
    if like is None:
        like = pyarrow.list_(numbers.type)
    item = like.value_field.with_type(numbers.type)
    if pyarrow.types.is_fixed_size_list(like):
        return pyarrow.FixedSizeListArray.from_arrays(numbers, type=pyarrow.list_(item, width))
    is_large = pyarrow.types.is_large_list(like)
    if not is_large and rows * width > np.iinfo(np.int32).max:
        raise ValueError(f"{rows} lists of {width} numbers are too many for one batch; give smaller batches")
    starts = np.arange(rows + 1, dtype=np.int64) * width
    if is_large:
        return pyarrow.LargeListArray.from_arrays(starts, numbers, type=pyarrow.large_list(item))
    return pyarrow.ListArray.from_arrays(starts.astype(np.int32), numbers, type=pyarrow.list_(item))

"""Tables of scores of any kind: read as one array, and given back as what they were.

Columns of frames are found by their names; other columns stay as they are. No library is imported
that the caller has not imported already.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ScoreTable(ABC):
    """Scores, and what they came in."""

    @abstractmethod
    def values(self) -> NDArray[Any]:
        """The scores `[rows, classes]`, as float32 or float64."""

    @abstractmethod
    def replaced(self, values: NDArray[Any]) -> Any:
        """The same kind of table with other values."""


def open_table(scores: Any, labels: Sequence[str]) -> ScoreTable:
    """The table that scores are."""
    library = type(scores).__module__.partition(".")[0]
    if library == "scipy":
        raise TypeError(
            "a sparse matrix of scores is refused: a 0 that is not stored is a score too; "
            "give scores.toarray()"
        )
    if library == "pandas":
        return PandasTable(scores, labels)
    if library == "polars":
        return PolarsTable(scores, labels)
    if library == "pyarrow":
        return ArrowTable(scores, labels)
    if library == "torch":
        return TensorTable(scores, labels)
    return ArrayTable(scores, labels)


def floats(values: Any) -> NDArray[Any]:
    """Numbers as float32 where they are that, otherwise as float64."""
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind == "f" and array.dtype.itemsize in (2, 4):
        return array.astype(np.float32, copy=False)
    return array.astype(np.float64, copy=False)


def require_columns(found: Sequence[Any], labels: Sequence[str]) -> None:
    """Raises if a class has no column, or several."""
    names = list(found)
    counts = {label: 0 for label in labels}
    for name in names:
        if name in counts:
            counts[name] += 1
    missing = [label for label, count in counts.items() if count == 0]
    if missing:
        import difflib

        first = missing[0]
        near = difflib.get_close_matches(first, [str(name) for name in names], 1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise KeyError(f"no column for the class `{first}`{more}{hint}")
    twice = [label for label, count in counts.items() if count > 1]
    if twice:
        raise ValueError(f"several columns are called `{twice[0]}`")


class ArrayTable(ScoreTable):
    """An array, or anything that can be one; a single row has one dimension."""

    def __init__(self, scores: Any, labels: Sequence[str]) -> None:
        array: NDArray[Any] = np.asarray(scores)
        # Objects and texts may be numbers, but a single object is not an array of them.
        if array.dtype.kind not in "fiubOUS" or (array.dtype.kind == "O" and array.ndim == 0):
            given = type(scores).__name__ if array.ndim == 0 else f"an array of {array.dtype}"
            raise TypeError(f"scores must be an array or a table of numbers, not {given}")
        if array.ndim not in (1, 2):
            raise ValueError(f"scores have {array.ndim} dimensions, not [rows, classes]")
        if array.shape[-1] != len(labels):
            raise ValueError(f"{array.shape[-1]} columns for {len(labels)} classes")
        self._array = array

    def values(self) -> NDArray[Any]:
        return np.atleast_2d(floats(self._array))

    def replaced(self, values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape(self._array.shape)


class TensorTable(ScoreTable):
    """A tensor of PyTorch. Gradients need `rulebound.torch.ConstraintLayer`."""

    def __init__(self, scores: Any, labels: Sequence[str]) -> None:
        if scores.requires_grad:
            raise TypeError(
                "apply has no gradient; use rulebound.torch.ConstraintLayer, or scores.detach()"
            )
        self._tensor = scores
        given = scores.cpu()
        is_wide = str(scores.dtype) in ("torch.float32", "torch.float64")
        self._table = ArrayTable((given if is_wide else given.float()).numpy(), labels)

    def values(self) -> NDArray[Any]:
        return self._table.values()

    def replaced(self, values: NDArray[Any]) -> Any:
        import torch

        return torch.as_tensor(self._table.replaced(values)).to(self._tensor.device)


class PandasTable(ScoreTable):
    """A DataFrame of pandas: index and other columns are kept."""

    def __init__(self, frame: Any, labels: Sequence[str]) -> None:
        if not hasattr(frame, "columns"):
            raise TypeError("a Series has no class columns; give a DataFrame")
        require_columns(list(frame.columns), labels)
        self._frame = frame
        self._labels = list(labels)

    def values(self) -> NDArray[Any]:
        frame = self._frame[self._labels]
        for label, dtype in zip(self._labels, frame.dtypes, strict=True):
            # Objects may be numbers.
            if getattr(dtype, "kind", "O") not in "fiubO" or str(dtype) in ("str", "string", "category"):
                raise TypeError(f"the column of the class `{label}` has no numbers, but {dtype}")
        is_narrow = all(str(dtype) in ("float32", "float16") for dtype in frame.dtypes)
        kind = np.float32 if is_narrow else np.float64
        values: NDArray[Any] = frame.to_numpy(dtype=kind, na_value=np.nan)
        return values

    def replaced(self, values: NDArray[Any]) -> Any:
        frame = self._frame.copy()
        for place, label in enumerate(self._labels):
            # By position: other columns may have any names, the index any values.
            frame.isetitem(frame.columns.get_loc(label), values[:, place])
        return frame


class PolarsTable(ScoreTable):
    """A DataFrame of polars."""

    def __init__(self, frame: Any, labels: Sequence[str]) -> None:
        import polars

        if isinstance(frame, polars.LazyFrame):
            frame = frame.collect()
        if not isinstance(frame, polars.DataFrame):
            raise TypeError("a Series has no class columns; give a DataFrame")
        require_columns(frame.columns, labels)
        self._frame = frame
        self._labels = list(labels)

    def values(self) -> NDArray[Any]:
        import polars

        frame = self._frame.select(self._labels)
        is_narrow = all(dtype == polars.Float32 for dtype in frame.dtypes)
        wide = frame.cast(polars.Float32 if is_narrow else polars.Float64)
        values: NDArray[Any] = wide.to_numpy()
        return values

    def replaced(self, values: NDArray[Any]) -> Any:
        import polars

        columns = zip(self._labels, np.ascontiguousarray(values.T), strict=True)
        text = polars.String if values.dtype == object else None
        return self._frame.with_columns(
            [polars.Series(name, column, dtype=text) for name, column in columns]
        )


class ArrowTable(ScoreTable):
    """A Table or RecordBatch of pyarrow."""

    def __init__(self, table: Any, labels: Sequence[str]) -> None:
        if not hasattr(table, "schema") or not hasattr(table, "set_column"):
            raise TypeError(f"{type(table).__name__} has no class columns; give a Table")
        require_columns(table.schema.names, labels)
        self._table = table
        self._labels = list(labels)

    def values(self) -> NDArray[Any]:
        import pyarrow

        fields = [self._table.schema.field(label).type for label in self._labels]
        is_narrow = all(field in (pyarrow.float32(), pyarrow.float16()) for field in fields)
        kind = pyarrow.float32() if is_narrow else pyarrow.float64()
        shape = (self._table.num_rows, len(self._labels))
        values = np.empty(shape, np.float32 if is_narrow else np.float64)
        for place, label in enumerate(self._labels):
            column = self._table.column(label).cast(kind)
            values[:, place] = column.to_numpy(**_copying(column))
        return values

    def replaced(self, values: NDArray[Any]) -> Any:
        import pyarrow

        schema, arrays = self._table.schema, self._table.columns
        fields = list(schema)
        # One new buffer, of which each column is a part.
        columns = np.ascontiguousarray(values.T)
        for label, column in zip(self._labels, columns, strict=True):
            place = schema.get_field_index(label)
            arrays[place] = pyarrow.array(column)
            fields[place] = fields[place].with_type(arrays[place].type)
        changed = pyarrow.schema(fields, schema.metadata)
        return type(self._table).from_arrays(arrays, schema=changed)


def _copying(column: Any) -> dict[str, bool]:
    """A chunked column is always copied, and does not say so."""
    return {} if hasattr(column, "chunks") else {"zero_copy_only": False}

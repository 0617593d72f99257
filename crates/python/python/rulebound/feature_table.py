"""Features of any kind: read as columns and cells that the engine understands.

A frame's columns have their names; text, categories and truth values are nominal. Arrays and sparse
matrices have numbers only, and columns called `x0`, `x1` and so on unless names are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native

Column = tuple[str, list[str] | None]


@dataclass(frozen=True)
class FeatureTable:
    """Columns with their names (and the values of nominal ones), and cells: dense, or CSR."""

    columns: list[Column]
    dense: NDArray[np.float32] | None
    sparse: tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]] | None
    rows: int

    def dataset(
        self, labels: NDArray[np.uint8], program: _native.Program, valid_rows: int = 0
    ) -> _native.Dataset:
        """A data set of these features, with labels 0, 1 or (not known) 2."""
        if len(labels) != self.rows:
            raise ValueError(f"{self.rows} rows of features, but {len(labels)} rows of labels")
        if self.dense is not None:
            return _native.Dataset.dense(self.columns, self.dense, labels, program, valid_rows)
        assert self.sparse is not None
        starts, indices, values = self.sparse
        return _native.Dataset.sparse(
            self.columns, starts, indices, values, labels, program, valid_rows
        )

    def unlabelled(self) -> _native.Dataset:
        """A data set without classes, to predict."""
        nothing = _native.Program.parse("", [], "rules")
        return self.dataset(np.zeros((self.rows, 0), np.uint8), nothing)


def open_features(features: Any, names: Sequence[str] | None = None) -> FeatureTable:
    """The table that features are."""
    library = type(features).__module__.partition(".")[0]
    if library == "scipy":
        return _from_sparse(features, names)
    if library == "polars" or library == "pyarrow":
        features = features.collect() if hasattr(features, "collect") else features
        return _from_frame({str(name): _column(features, name) for name in _names(features)})
    if library == "pandas":
        columns = [str(name) for name in features.columns]
        if len(set(columns)) != len(columns):
            raise ValueError("several feature columns have the same name")
        found = zip(columns, features.columns, strict=True)
        return _from_frame({name: features[column] for name, column in found})
    return _from_array(features, names)


def _names(frame: Any) -> list[str]:
    return list(frame.columns if hasattr(frame, "to_numpy") else frame.schema.names)


def _column(frame: Any, name: str) -> Any:
    if hasattr(frame, "to_numpy"):
        return frame[name]
    column = frame.column(name)
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _from_array(features: Any, names: Sequence[str] | None) -> FeatureTable:
    cells: NDArray[Any] = np.asarray(features)
    if cells.ndim != 2:
        raise ValueError(f"features have {cells.ndim} dimensions, not [rows, columns]")
    if cells.dtype == object or cells.dtype.kind in "US":
        columns = names or [f"x{place}" for place in range(cells.shape[1])]
        return _from_frame({name: cells[:, place] for place, name in enumerate(columns)})
    numbers = np.ascontiguousarray(_single(cells))
    return FeatureTable(_numbered(cells.shape[1], names), numbers, None, len(cells))


def _from_sparse(features: Any, names: Sequence[str] | None) -> FeatureTable:
    matrix = features.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    rows, width = matrix.shape
    starts = matrix.indptr.astype(np.int64)
    indices = np.ascontiguousarray(matrix.indices.astype(np.uint32))
    values = np.ascontiguousarray(_single(matrix.data))
    return FeatureTable(_numbered(width, names), None, (starts, indices, values), rows)


def _numbered(width: int, names: Sequence[str] | None) -> list[Column]:
    if names is not None and len(names) != width:
        raise ValueError(f"{len(names)} names for {width} columns")
    return [(name, None) for name in names or [f"x{place}" for place in range(width)]]


def _single(cells: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers as float32; one that is too large for that is an error and not infinite."""
    with np.errstate(over="ignore"):
        single = cells.astype(np.float32)
    lost = np.isinf(single) & np.isfinite(cells.astype(np.float64))
    if lost.any():
        raise ValueError("a feature is too large for float32")
    return single


def _from_frame(frame: dict[str, Any]) -> FeatureTable:
    columns: list[Column] = []
    cells: list[NDArray[np.float32]] = []
    for name, values in frame.items():
        numbers = _numbers(values)
        if numbers is not None:
            columns.append((name, None))
            cells.append(numbers)
        else:
            texts, codes = _codes(values)
            columns.append((name, texts))
            cells.append(codes)
    rows = len(cells[0]) if cells else 0
    dense = np.stack(cells, axis=1) if cells else np.zeros((rows, 0), np.float32)
    return FeatureTable(columns, np.ascontiguousarray(dense), None, rows)


def _numbers(values: Any) -> NDArray[np.float32] | None:
    """A column of numbers, missing ones NaN; none if it is not one."""
    if _is_arrow(values):
        found = _arrow_numbers(values)
        return None if found is None else _single(found)
    if str(getattr(values, "dtype", "")) in ("category", "boolean", "bool", "Boolean"):
        return None
    try:
        if hasattr(values, "to_numpy") and type(values).__module__.startswith("pandas"):
            array = values.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            array = np.asarray(values)
            if array.dtype == object and any(isinstance(v, (str, bool)) for v in array):
                return None
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        return None
    return _single(array)


def _codes(values: Any) -> tuple[list[str], NDArray[np.float32]]:
    """A nominal column: its values in order, and which of them each cell is."""
    if _is_arrow(values):
        return _arrow_codes(values)
    cells = [None if _is_missing(value) else _text(value) for value in values]
    texts = sorted({cell for cell in cells if cell is not None})
    places = {text: float(place) for place, text in enumerate(texts)}
    codes = [np.nan if cell is None else places[cell] for cell in cells]
    return texts, np.array(codes, np.float32)


def _is_arrow(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "pyarrow"


def _arrow_numbers(column: Any) -> NDArray[Any] | None:
    """By its type alone: a batch may have no value of a nominal column."""
    import pyarrow

    kind = column.type
    if pyarrow.types.is_decimal(kind) or pyarrow.types.is_null(kind):
        column = column.cast(pyarrow.float64())
    elif not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)):
        return None
    if column.null_count and not pyarrow.types.is_floating(column.type):
        column = column.cast(pyarrow.float64())
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def _arrow_codes(column: Any) -> tuple[list[str], NDArray[np.float32]]:
    """Each value is looked at once, not each cell."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    found = [None if _is_missing(value) else _text(value) for value in column.dictionary.to_pylist()]
    texts = sorted({text for text in found if text is not None})
    places = {text: float(place) for place, text in enumerate(texts)}
    codes = np.array([np.nan if text is None else places[text] for text in found] + [np.nan], np.float32)
    # A cell without a value is the last one.
    indices = column.indices.cast(pyarrow.int64()).fill_null(len(found))
    return texts, codes[indices.to_numpy(zero_copy_only=False)]


def _is_missing(value: Any) -> bool:
    return value is None or value != value or str(value) in ("<NA>", "NaT")


def _text(value: Any) -> str:
    """A value as it would be in a table; truth values as 0 and 1."""
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)

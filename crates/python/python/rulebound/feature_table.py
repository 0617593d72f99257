"""Features of any kind: read as columns and cells that the engine understands.

A frame's columns have their names; text, categories and truth values are nominal. Arrays and sparse
matrices have numbers only, and columns called `x0`, `x1` and so on unless names are given. What the columns of a frame
probably are not is judged by the engine, as those of a file are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.column_roles import ColumnRoles, Kind
from rulebound.frame_column import read_column, refuse_dtype, single, texts

Column = tuple[str, list[str] | None]


@dataclass(frozen=True)
class FeatureTable:
    """Columns with their names (and the values of nominal ones), and cells: dense, or CSR."""

    columns: list[Column]
    dense: NDArray[np.float32] | None
    sparse: tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]] | None
    rows: int
    identifiers: list[tuple[str, list[str | None]]] = field(default_factory=list)
    """Columns that identify rows, with their values."""
    chosen: list[str] | None = None
    """Columns whose kind the caller gave; none if no column is to be judged."""

    def dataset(
        self,
        labels: NDArray[np.uint8],
        program: _native.Program,
        valid_rows: int = 0,
        weights: NDArray[np.float32] | None = None,
    ) -> _native.Dataset:
        """A data set of these features, with labels 0, 1 or (not known) 2, and weights of the rows."""
        if len(labels) != self.rows:
            raise ValueError(f"{self.rows} rows of features, but {len(labels)} rows of labels")
        if self.dense is not None:
            about = (self.identifiers, self.chosen, valid_rows, weights)
            return _native.Dataset.dense(self.columns, self.dense, labels, program, *about)
        assert self.sparse is not None
        starts, indices, values = self.sparse
        return _native.Dataset.sparse(
            self.columns, starts, indices, values, labels, program, valid_rows, weights
        )

    def unlabelled(self) -> _native.Dataset:
        """A data set without classes, to predict."""
        nothing = _native.Program.parse("", [], "rules")
        return self.dataset(np.zeros((self.rows, 0), np.uint8), nothing)


def open_features(
    features: Any, names: Sequence[str] | None = None, roles: ColumnRoles | None = None
) -> FeatureTable:
    """The table that features are, to be trained on."""
    frame = frame_columns(features)
    if frame is not None:
        return _from_frame(frame, roles or ColumnRoles(), is_judged=True)
    if roles:
        raise ValueError("ignore, id_column, nominal and numeric are about the columns of a frame or a file")
    if type(features).__module__.partition(".")[0] == "scipy":
        return _from_sparse(features, names)
    return _from_array(features, names)


def open_rows(features: Any, columns: Sequence[Column]) -> FeatureTable:
    """The table that features are, for a model with these columns: others of a frame are not even read."""
    names = [name for name, _ in columns]
    frame = frame_columns(features)
    if frame is None and type(features).__module__.partition(".")[0] != "scipy":
        frame = _object_columns(np.asarray(features), names)
    if frame is None:
        return open_features(features, names)
    kinds: dict[str, Kind] = {name: "nominal" if values is not None else "numeric" for name, values in columns}
    wanted = {name: column for name, column in frame.items() if name in kinds}
    return _from_frame(wanted, ColumnRoles(kinds={name: kinds[name] for name in wanted}), is_judged=False)


def frame_columns(features: Any) -> dict[str, Any] | None:
    """The columns of a frame by their names; none if it is not one."""
    library = type(features).__module__.partition(".")[0]
    if library == "polars" or library == "pyarrow":
        features = features.collect() if hasattr(features, "collect") else features
        return {str(name): _column(features, name) for name in _names(features)}
    if library == "pandas":
        columns = [str(name) for name in features.columns]
        if len(set(columns)) != len(columns):
            raise ValueError("several feature columns have the same name")
        return {name: features[column] for name, column in zip(columns, features.columns, strict=True)}
    return None


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
    table = _object_columns(cells, names)
    if table is not None:
        return _from_frame(table, ColumnRoles(), is_judged=True)
    refuse_dtype(cells.dtype, None)
    numbers = np.ascontiguousarray(single(cells))
    return FeatureTable(_numbered(cells.shape[1], names), numbers, None, len(cells))


def _object_columns(cells: NDArray[Any], names: Sequence[str] | None) -> dict[str, Any] | None:
    """The columns of an array of objects or text; none if it is one of numbers."""
    if cells.ndim != 2 or not (cells.dtype == object or cells.dtype.kind in "US"):
        return None
    columns = _numbered(cells.shape[1], names)
    return {name: cells[:, place] for place, (name, _) in enumerate(columns)}


def _from_sparse(features: Any, names: Sequence[str] | None) -> FeatureTable:
    matrix = features.tocsr()
    refuse_dtype(matrix.dtype, None)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    rows, width = matrix.shape
    starts = matrix.indptr.astype(np.int64)
    indices = np.ascontiguousarray(matrix.indices.astype(np.uint32))
    values = np.ascontiguousarray(single(matrix.data))
    return FeatureTable(_numbered(width, names), None, (starts, indices, values), rows)


def _numbered(width: int, names: Sequence[str] | None) -> list[Column]:
    if names is not None and len(names) != width:
        raise ValueError(f"{len(names)} names for {width} columns")
    return [(name, None) for name in names or [f"x{place}" for place in range(width)]]


def _from_frame(frame: dict[str, Any], roles: ColumnRoles, is_judged: bool) -> FeatureTable:
    roles.expect_columns(frame)
    columns: list[Column] = []
    cells: list[NDArray[np.float32]] = []
    identifiers: list[tuple[str, list[str | None]]] = []
    rows = 0
    for name, values in frame.items():
        rows = len(values)
        if roles.ignores(name):
            continue
        if name in roles.identifiers:
            identifiers.append((name, texts(name, values)))
            continue
        found, numbers = read_column(name, values, roles.kinds.get(name))
        columns.append((name, found))
        cells.append(numbers)
    dense = np.stack(cells, axis=1) if cells else np.zeros((rows, 0), np.float32)
    chosen = [*roles.kinds, *roles.identifiers] if is_judged else None
    return FeatureTable(columns, np.ascontiguousarray(dense), None, rows, identifiers, chosen)

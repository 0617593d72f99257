"""Data to train or evaluate on: a path, a frame with label columns, or features and labels."""

from __future__ import annotations

import fnmatch
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.class_order import rules_in_order
from rulebound.column_roles import ColumnRoles
from rulebound.feature_table import frame_columns, open_features, open_rows
from rulebound.frame_column import read_column
from rulebound.label_table import binary
from rulebound.names import unknown_names
from rulebound.rule_text import is_path
from rulebound.rules import Rules

def read_path(
    path: str | os.PathLike[str],
    labels: str | Sequence[str] | None,
    rules: Rules | Any | None,
    stream: str | os.PathLike[str] | None = None,
    roles: ColumnRoles | None = None,
    weight_column: str | None = None,
) -> _native.Dataset:
    """Data from a file or folder of any format of the command line; rows are kept in the folder `stream`, if one
    is given."""
    pattern = labels if isinstance(labels, str) else None
    names = None if labels is None or isinstance(labels, str) else list(labels)
    roles = roles or ColumnRoles()
    if isinstance(rules, str) and not is_path(rules):
        rules = Rules.parse(rules)
    columns = (list(roles.ignored), list(roles.identifiers), list(roles.kinds.items()), weight_column)
    if not isinstance(rules, Rules):
        return _native.Dataset.read(path, names, pattern, rules, stream, *columns)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".rules") as file:
        file.write(rules.text())
        file.flush()
        return _native.Dataset.read(path, names, pattern, file.name, stream, *columns)


@dataclass(frozen=True)
class DataOptions:
    """What data cannot tell by itself."""

    labels: Any = None
    rules: Any = None
    roles: ColumnRoles = ColumnRoles()
    sample_weight: Any = None
    """The weight of each row, or the name of the column that has it."""
    columns: Sequence[tuple[str, list[str] | None]] | None = None
    """The columns of the model that the data is for; none if it is to be trained on."""


def open_data(
    data: Any,
    options: DataOptions,
    validation: Any = None,
    stream: str | os.PathLike[str] | None = None,
) -> _native.Dataset:
    """The data set that `data` is, with `validation` rows of the same kind behind it."""
    labels, rules, weight = options.labels, options.rules, options.sample_weight
    if isinstance(data, (str, os.PathLike)):
        if validation is not None:
            raise ValueError("a path brings its own validation rows; leave `validation` out")
        if weight is not None and not isinstance(weight, str):
            raise ValueError("the weights of the rows of a path are one of its columns: sample_weight=NAME")
        return read_path(data, labels, rules, stream, options.roles, weight)
    if stream is not None:
        raise ValueError("`stream` reads the rows of a path; these are in memory already")
    features, marks, names = features_and_labels(data, labels, rules)
    features, weights = _weighted(features, weight, len(marks))
    valid_rows = 0
    if validation is not None:
        more, more_marks, more_names = features_and_labels(validation, labels, rules)
        if more_names != names:
            raise ValueError("the validation rows have other classes than the training rows")
        named = isinstance(weight, str)
        more, more_weights = _weighted(more, weight if named else None, len(more_marks))
        if weights is not None:
            rest = np.ones(len(more_marks), np.float32) if more_weights is None else more_weights
            weights = np.concatenate([weights, rest])
        features, marks = stacked(features, more), np.concatenate([marks, more_marks])
        valid_rows = len(more_marks)
    if options.columns is not None:
        table = open_rows(features, options.columns)
    else:
        table = open_features(features, roles=options.roles)
    # The classes of the program are these names, in this order.
    return table.dataset(marks, program_for(names, rules), valid_rows, weights)


def _weighted(features: Any, weight: Any, rows: int) -> tuple[Any, NDArray[np.float32] | None]:
    """The features without the column of weights, and the weight of each row."""
    if weight is None:
        return features, None
    if isinstance(weight, str):
        frame = frame_columns(features)
        if frame is None:
            raise ValueError("an array has no column of weights: give sample_weight one number for each row")
        message = unknown_names([weight], list(frame), "a column of the data")
        if message is not None:
            raise KeyError(message)
        values = read_column(weight, frame[weight], "numeric")[1]
        return _selected(features, [name for name in frame if name != weight]), values
    given = np.asarray(weight, dtype=np.float32)
    if given.ndim == 0:
        given = np.full(rows, given)
    if given.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {given.shape}, but there are {rows} rows")
    return features, given


def stacked(one: Any, other: Any) -> Any:
    """Rows below rows, of the same kind."""
    library = type(one).__module__.partition(".")[0]
    if library == "pandas":
        import pandas

        return pandas.concat([one, other], ignore_index=True)
    if library == "polars":
        import polars

        return polars.concat([one, other])
    if library == "scipy":
        import scipy.sparse

        return scipy.sparse.vstack([one, other]).tocsr()
    if library == "pyarrow":
        import pyarrow

        return pyarrow.concat_tables([one, other])
    return np.concatenate([np.asarray(one), np.asarray(other)])


def features_and_labels(
    data: Any, labels: str | Sequence[str] | None, rules: Any
) -> tuple[Any, NDArray[np.uint8], list[str]]:
    """Features, labels as 0, 1 and 2, and the names of the classes."""
    if isinstance(data, tuple):
        if len(data) != 2:
            raise ValueError(f"a pair (X, Y) is needed, not {len(data)} things")
        features, truth = data
        names = class_names(truth, labels, rules)
        return features, label_marks(truth, names), names
    columns = _column_names(data)
    if labels is None:
        known = set(rules.labels) if isinstance(rules, Rules) else set()
        chosen = [name for name in columns if name in known]
        if not chosen:
            raise ValueError('say which columns are labels: labels=["cat", "dog"] or labels="GO:*"')
    elif isinstance(labels, str):
        chosen = fnmatch.filter(columns, labels) if "*" in labels else labels.split(",")
    else:
        chosen = list(labels)
    message = unknown_names(chosen, columns, "a column of the data")
    if message is not None or not chosen:
        raise KeyError(message or f"no column is called {labels}")
    rest = [name for name in columns if name not in set(chosen)]
    return _selected(data, rest), label_marks(_selected(data, chosen), chosen), chosen


def _column_names(frame: Any) -> list[str]:
    if hasattr(frame, "schema") and hasattr(frame.schema, "names") and hasattr(frame, "num_rows"):
        return list(frame.schema.names)
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    raise TypeError(
        f"data is a path, a frame, or a pair (X, Y); not {type(frame).__name__} alone"
    )


def _selected(frame: Any, names: list[str]) -> Any:
    return frame.select(names) if hasattr(frame, "select") else frame[names]


def class_names(truth: Any, labels: str | Sequence[str] | None, rules: Any) -> list[str]:
    """The names of the classes of a table of labels."""
    width = np.shape(truth)[1] if len(np.shape(truth)) == 2 else None
    if width is None:
        raise ValueError("labels have one row for each example and one column for each class")
    if hasattr(truth, "columns") and not callable(truth.columns):
        return [str(name) for name in truth.columns]
    if labels is not None and not isinstance(labels, str):
        names = list(labels)
    elif isinstance(rules, Rules):
        names = list(rules.labels)
    else:
        names = [f"y{place}" for place in range(width)]
    if len(names) != width:
        raise ValueError(f"{len(names)} names for {width} columns of labels")
    return names


def label_marks(truth: Any, names: list[str]) -> NDArray[np.uint8]:
    """Labels as 0, 1, and 2 where they are NaN."""
    if hasattr(truth, "toarray"):
        truth = truth.toarray()
    if type(truth).__module__.startswith("pandas"):
        values = truth.to_numpy(dtype=np.float64, na_value=np.nan)
    elif type(truth).__module__.startswith("pyarrow"):
        columns = [np.array(truth.column(n).to_pylist(), np.float64) for n in truth.schema.names]
        values = np.stack(columns, axis=1)
    else:
        values = np.asarray(truth).astype(np.float64)
    return binary(values, names)


def program_for(names: list[str], rules: Any) -> _native.Program:
    """The rules about these classes; classes that only the rules know are an error."""
    if rules is None:
        return _native.Program.parse("", names, "rules")
    if isinstance(rules, str) and not is_path(rules):
        rules = Rules.parse(rules)
    if not isinstance(rules, Rules):
        return Rules.read(rules, names)._program
    return rules_in_order(rules, names, "the data")._program

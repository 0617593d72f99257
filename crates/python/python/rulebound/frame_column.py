"""One column of a frame: numbers, or the values of a nominal column, as a file with the same cells would be read.

Dates, spans of time, complex numbers and lists are no features: they are refused with the name of their column. What is
missing is NaN: None, NaN, NaT, the missing value of pandas, and in text the words that mean it in files.
"""

from __future__ import annotations

import datetime
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.column_roles import Kind

MISSING_WORDS = frozenset(_native.MISSING)
"""Text that means a missing cell, in files and in frames."""

_DATES = "dates"
_SPANS = "spans of time"
_ADVICE = {
    _DATES: "make numbers of them, such as the year or the days since a date",
    _SPANS: "make numbers of them, such as column.dt.total_seconds()",
    "complex numbers": "make a column of each part",
    "lists": "make a column of each of their numbers",
    "bytes": "decode them, or make numbers of them",
}


def read_column(name: str, values: Any, kind: Kind | None = None) -> tuple[list[str] | None, NDArray[np.float32]]:
    """The values of a nominal column (none if it is one of numbers), and its cells; `kind` is what it is to be, whatever
    it holds.

    >>> read_column("fur", ["long", None, "short"])
    (['long', 'short'], array([ 0., nan,  1.], dtype=float32))
    """
    if _is_arrow(values):
        _refuse_arrow(name, values.type)
        if kind is None:
            numbers = _arrow_numbers(values)
            return (None, single(numbers, name)) if numbers is not None else _arrow_codes(name, values)
        values = values.to_pylist()
    _refuse_type(name, values)
    if kind == "nominal":
        if getattr(getattr(values, "dtype", None), "kind", "O") == "f":
            values = [None if value != value else _whole(value) for value in np.asarray(values)]
        return _codes(name, values)
    if kind == "numeric":
        return None, _parsed(name, values)
    numbers = _numbers(values)
    return (None, single(numbers, name)) if numbers is not None else _codes(name, values)


def texts(name: str, values: Any) -> list[str | None]:
    """The cells of a column that identifies rows."""
    cells = values.to_pylist() if _is_arrow(values) else values
    return [None if is_missing(cell) else _text(cell) for cell in cells]


def single(cells: NDArray[Any], name: str | None = None) -> NDArray[np.float32]:
    """Numbers as float32; one that is too large for that is an error and not infinite."""
    with np.errstate(over="ignore"):
        narrow = cells.astype(np.float32)
    lost = np.isinf(narrow) & np.isfinite(cells.astype(np.float64))
    if lost.any():
        raise ValueError(f"a feature is too large for float32{'' if name is None else f' (column `{name}`)'}")
    return narrow


def refuse_dtype(dtype: Any, name: str | None) -> None:
    """Raises for the type of an array whose numbers are no features."""
    kind = getattr(dtype, "kind", "O")
    text = str(dtype)
    if kind == "M" or text.startswith("period"):
        _refuse(name, _DATES)
    if kind == "m":
        _refuse(name, _SPANS)
    if kind == "c":
        _refuse(name, "complex numbers")
    if text in ("Date", "Time") or text.startswith("Datetime"):
        _refuse(name, _DATES)
    if text.startswith("Duration"):
        _refuse(name, _SPANS)


def is_missing(value: Any) -> bool:
    """Whether a cell has no value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, str):
        return value in MISSING_WORDS
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _refuse(name: str | None, what: str) -> NoReturn:
    column = "the features" if name is None else f"column `{name}`"
    ignored = "" if name is None else f", or leave it out (ignore={name!r})"
    raise ValueError(f"{column} holds {what}: {_ADVICE[what]}{ignored}")


def _refuse_type(name: str, values: Any) -> None:
    """Raises for what would otherwise be a number that means nothing."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None:
        refuse_dtype(dtype, name)
        if type(values).__module__.startswith("polars"):
            if str(dtype).startswith(("List", "Array", "Struct")):
                _refuse(name, "lists")
            if str(dtype) == "Binary":
                _refuse(name, "bytes")
            if str(dtype) != "Object":
                return
        elif getattr(dtype, "kind", "O") != "O":
            return
    for value in values:
        if isinstance(value, (str, bool, int, float)) or is_missing(value):
            continue
        if isinstance(value, (datetime.timedelta, np.timedelta64)):
            _refuse(name, _SPANS)
        if isinstance(value, (datetime.date, datetime.time, np.datetime64)):
            _refuse(name, _DATES)
        if isinstance(value, (complex, np.complexfloating)):
            _refuse(name, "complex numbers")
        if isinstance(value, bytes):
            _refuse(name, "bytes")
        if isinstance(value, (list, tuple, set, dict, np.ndarray)) or hasattr(value, "to_list"):
            _refuse(name, "lists")


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """A column of numbers, missing ones NaN; none if it is not one."""
    dtype = str(getattr(values, "dtype", ""))
    if dtype in ("category", "str", "Boolean") or dtype.startswith("bool") or "string" in dtype:
        return None
    try:
        if hasattr(values, "to_numpy") and type(values).__module__.startswith("pandas"):
            if _holds_words(values):
                return None
            return values.to_numpy(dtype=np.float64, na_value=np.nan)  # type: ignore[no-any-return]
        array: NDArray[Any] = np.asarray(values)
        if array.dtype.kind in "US" or _holds_words(array):
            return None
        if array.dtype == object:
            array = np.array([np.nan if is_missing(value) else value for value in array], object)
        return array.astype(np.float64)
    except (TypeError, ValueError):
        return None


def _holds_words(values: Any) -> bool:
    """Whether objects are text or truth values, which are not numbers even where they look like some."""
    return values.dtype == object and any(isinstance(value, (str, bool, np.bool_)) for value in values)


def _parsed(name: str, values: Any) -> NDArray[np.float32]:
    """Numbers, whatever they are written as."""
    cells = np.empty(len(values), np.float64)
    for row, value in enumerate(values):
        try:
            cells[row] = np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError):
            raise ValueError(f"row {row}: column `{name}` has {value!r}, which is not a number") from None
    return single(cells, name)


def _codes(name: str, values: Any) -> tuple[list[str], NDArray[np.float32]]:
    """A nominal column: its values in order, and which of them each cell is."""
    cells = texts(name, values)
    found = sorted({cell for cell in cells if cell is not None})
    places = {text: float(place) for place, text in enumerate(found)}
    codes = [np.nan if cell is None else places[cell] for cell in cells]
    return found, np.array(codes, np.float32)


def _text(value: Any) -> str:
    """A value as it would be in a table; truth values as 0 and 1."""
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)


def _whole(value: Any) -> Any:
    """A number without a fraction as an integer: a column of integers with a missing one has become one of floats."""
    return int(value) if float(value).is_integer() else np.float32(value)


def _is_arrow(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "pyarrow"


def _refuse_arrow(name: str, kind: Any) -> None:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_duration(kind):
        _refuse(name, _SPANS)
    if types.is_temporal(kind):
        _refuse(name, _DATES)
    if types.is_nested(kind):
        _refuse(name, "lists")
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        _refuse(name, "bytes")


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


def _arrow_codes(name: str, column: Any) -> tuple[list[str], NDArray[np.float32]]:
    """Each value is looked at once, not each cell."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    found = texts(name, column.dictionary)
    values = sorted({text for text in found if text is not None})
    places = {text: float(place) for place, text in enumerate(values)}
    codes = np.array([np.nan if text is None else places[text] for text in found] + [np.nan], np.float32)
    # A cell without a value is the last one.
    indices = column.indices.cast(pyarrow.int64()).fill_null(len(found))
    return values, codes[indices.to_numpy(zero_copy_only=False)]

"""Numbers of classes, such as thresholds: one for all, one for each, or by name.

Whatever has names is read by name: a mapping, and a Series of pandas by its index. What has none is read in
the order of the classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulebound.names import unknown_names

Thresholds = float | Iterable[float] | Mapping[str, float] | None


def threshold_list(thresholds: Any, labels: Sequence[str]) -> list[float] | None:
    """One threshold for each class, 0.5 where none is named; none if there are none.

    >>> threshold_list(0.3, ["a", "b"])
    [0.3, 0.3]
    >>> threshold_list({"b": 0.3}, ["a", "b"])
    [0.5, 0.3]
    """
    return None if thresholds is None else class_numbers(thresholds, labels, 0.5, "thresholds")


def class_numbers(given: Any, labels: Sequence[str], absent: float, what: str) -> list[float]:
    """A number for each class; `absent` for a class that names leave out, and `what` they all are.

    >>> class_numbers({"b": 2}, ["a", "b"], 1.0, "class weights")
    [1.0, 2.0]
    """
    if isinstance(given, (str, bytes)):
        raise TypeError(f"{what} are numbers, not {given!r}")
    if hasattr(given, "columns") or getattr(given, "ndim", 0) > 1:
        raise TypeError(f"{what} have one number for each class; give one row of the table")
    named = _by_name(given, what)
    if named is not None:
        message = unknown_names(named, labels, f"one of the {len(labels)} classes")
        if message is not None:
            raise KeyError(f"{what}: {message}")
        return [_number(named.get(label, absent), what, label) for label in labels]
    if isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0:
        values = [_number(value, what, None) for value in given]
        if len(values) != len(labels):
            raise ValueError(f"{len(values)} {what} for {len(labels)} classes")
        return values
    return [_number(given, what, None)] * len(labels)


def _by_name(given: Any, what: str) -> dict[str, Any] | None:
    """What has names, as a dict; none if it has none."""
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    index = getattr(given, "index", None)
    if index is None or callable(index) or not hasattr(given, "items"):
        return None
    names = list(index)
    # An index that only counts says nothing about classes.
    if names == list(range(len(names))):
        return None
    if len(set(names)) != len(names):
        raise ValueError(f"{what}: several entries of the Series have the same name")
    return {str(name): value for name, value in given.items()}


def _number(value: Any, what: str, label: str | None) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        of = "" if label is None else f" of `{label}`"
        raise TypeError(f"{what} are numbers, but that{of} is {value!r}") from None

"""Thresholds: one for all classes, one for each, or by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Thresholds = float | Iterable[float] | Mapping[str, float] | None


def threshold_list(thresholds: Any, labels: Sequence[str]) -> list[float] | None:
    """One threshold for each class; none if there are none.

    >>> threshold_list(0.3, ["a", "b"])
    [0.3, 0.3]
    >>> threshold_list({"b": 0.3}, ["a", "b"])
    [0.5, 0.3]
    """
    if thresholds is None:
        return None
    if isinstance(thresholds, Mapping):
        unknown = [name for name in thresholds if name not in labels]
        if unknown:
            raise KeyError(f"`{unknown[0]}` is not a class of the rules")
        return [float(thresholds.get(label, 0.5)) for label in labels]
    if isinstance(thresholds, Iterable):
        return [float(value) for value in thresholds]
    return [float(thresholds)] * len(labels)

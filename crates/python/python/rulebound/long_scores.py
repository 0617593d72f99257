"""Long tables: one line per id and class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulebound import _native


class LongScores(NamedTuple):
    """Coherent scores, one line per id and class: ids in the order given, classes in the order of the rules.
    Classes that are impossible are left out."""

    ids: NDArray[Any]
    """The id of each line."""
    classes: NDArray[Any]
    """The class: a name, or a place in `Rules.labels`, as it was given."""
    scores: NDArray[Any]
    """The coherent score, of the type that was given."""
    delegates: Any = None
    """By what each was decided, if that was asked for; see `Applied`."""


def id_rows(ids: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct ids in order, and where the lines of each start and the last one ends.

    >>> id_rows(["a", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([0, 2, 3]))
    """
    given = np.asarray(ids)
    if given.ndim != 1:
        raise ValueError(f"ids must have one dimension, not {given.ndim}")
    if len(given) == 0:
        return given, np.zeros(1, dtype=np.int64)
    changes = np.flatnonzero(given[1:] != given[:-1]) + 1
    starts = np.concatenate(([0], changes))
    rows = given[starts]
    _, first = np.unique(rows, return_index=True)
    if len(first) < len(rows):
        again = np.setdiff1d(np.arange(len(rows)), first)[0]
        line = int(starts[again])
        raise ValueError(
            f"the id {rows[again]!s} comes back at line {line}; "
            "the lines of an id must be one after the other: sort by id"
        )
    return rows, np.append(starts, len(given)).astype(np.int64)


def class_places(classes: Any, program: _native.Program) -> tuple[NDArray[np.int64], bool]:
    """The places of classes in the order of the rules, and whether they were given by name."""
    given = np.asarray(classes)
    if given.dtype.kind in "iu" or len(given) == 0:
        return given.astype(np.int64), given.dtype.kind not in "iu"
    if given.dtype.kind not in "OUT":
        raise TypeError(f"classes must be names or integers, not {given.dtype}")
    places = program.find_all(given.tolist())
    unknown = np.flatnonzero(places < 0)
    if len(unknown):
        name = given[unknown[0]]
        near = program.nearest(name)
        hint = f"; did you mean `{near}`?" if near else ""
        raise KeyError(f"line {unknown[0]}: `{name}` is not a class of the rules{hint}")
    return places, True


def whole_numbers(what: str, numbers: Any) -> NDArray[np.int64]:
    """Numbers that are whole by their type, one after the other."""
    given = np.asarray(numbers)
    if len(given) and given.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {given.dtype}")
    return np.ascontiguousarray(given, dtype=np.int64)


def listed_scores(scores: Any) -> NDArray[Any]:
    """Scores as float32 or float64, one after the other."""
    if np.ma.isMaskedArray(scores):
        raise TypeError("a masked array says nothing of the scores that it hides: list the others")
    given = np.asarray(scores)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"scores must be numbers, not {given.dtype}")
    if given.dtype != np.float32:
        given = given.astype(np.float64, copy=False)
    return np.ascontiguousarray(given)

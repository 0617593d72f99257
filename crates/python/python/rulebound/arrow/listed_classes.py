"""Scores of the classes that rows list, and of no others: all others have the lowest score there is.

Rows are ranges of lines; a line has a class, by name or by number, and its score. What comes out lists every class that is
above the lowest score then: those of before, and what the rules make of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.errors import ScoreError
from rulebound.rules import Rules


class ListedClasses(NamedTuple):
    """Rows `starts[row]..starts[row + 1]` of classes, which are Arrow arrays of names or numbers, and scores."""

    starts: NDArray[np.int64]
    classes: Any
    scores: Any

    def applied(
        self,
        rules: Rules,
        name: Callable[[int], str],
        *,
        kind: str,
        thresholds: list[float] | None,
        top: int | None,
        above: float | None,
        parallel: bool,
    ) -> ListedClasses:
        """The same rows under the rules. `name` says how a row is called in errors."""
        import pyarrow

        places = _places(self.classes, rules, self._row_name(name))
        scores = _floats(self.scores, self._row_name(name))
        try:
            starts, found, values, _ = _native.apply_sparse(
                rules._program, self.starts, places, scores, kind, thresholds, False, top, above, parallel
            )
        except ScoreError as error:
            if error.row is None:
                raise
            raise ScoreError(f"{name(error.row)}: {error}", error.row, error.label) from None
        type_ = self.classes.type
        if pyarrow.types.is_integer(type_):
            classes = pyarrow.array(found).cast(type_)
        else:
            classes = pyarrow.array(rules.labels, pyarrow.string()).take(pyarrow.array(found))
            if pyarrow.types.is_dictionary(type_):
                classes = classes.dictionary_encode().cast(type_)
            else:
                classes = classes.cast(type_)
        return ListedClasses(starts, classes, pyarrow.array(values))

    def _row_name(self, name: Callable[[int], str]) -> Callable[[int], str]:
        return lambda line: name(int(np.searchsorted(self.starts, line, "right")) - 1)


def _places(classes: Any, rules: Rules, name: Callable[[int], str]) -> NDArray[np.int64]:
    """The number of each class; one that is not there is an error with its row."""
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_integer(classes.type):
        _require_values(classes, name, "class")
        numbers: NDArray[np.int64] = classes.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
        outside = np.flatnonzero((numbers < 0) | (numbers >= len(rules.labels)))
        if len(outside):
            line = int(outside[0])
            raise ValueError(f"{name(line)}: class {numbers[line]}, but there are {len(rules.labels)} classes")
        return numbers
    if pyarrow.types.is_dictionary(classes.type):
        classes = classes.dictionary_decode()
    if not (pyarrow.types.is_string(classes.type) or pyarrow.types.is_large_string(classes.type)):
        raise TypeError(f"classes are names or numbers, not {classes.type}")
    _require_values(classes, name, "class")
    labels = pyarrow.array(rules.labels, classes.type)
    places = pyarrow.compute.index_in(classes, value_set=labels)
    if places.null_count:
        line = int(np.argmax(places.is_null().to_numpy(zero_copy_only=False)))
        try:
            rules._place(classes[line].as_py())
        except KeyError as error:
            raise KeyError(f"{name(line)}: {error.args[0]}") from None
    found: NDArray[np.int64] = places.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _floats(scores: Any, name: Callable[[int], str]) -> NDArray[Any]:
    import pyarrow

    _require_values(scores, name, "score")
    if scores.type not in (pyarrow.float32(), pyarrow.float64()):
        scores = scores.cast(pyarrow.float64())
    numbers: NDArray[Any] = scores.to_numpy(zero_copy_only=True)
    return numbers


def _require_values(column: Any, name: Callable[[int], str], what: str) -> None:
    if column.null_count:
        line = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"{name(line)}: a line without a {what}")

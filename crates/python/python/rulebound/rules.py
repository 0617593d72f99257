"""Rules about classes, and what they do to scores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulebound import _native


class Applied(NamedTuple):
    """Coherent scores, with what was asked for beside them."""

    scores: Any
    """The coherent scores, of the kind that was given."""
    decisions: Any = None
    """Whether each class is predicted."""
    delegates: Any = None
    """By what each class was decided: its own name, that of another class, `not` another class, or a
    fact `-> class`."""


class Rules:
    """Rules about classes: a validated, stratified program. It never changes.

    >>> rules = Rules.parse("stomach -> abdomen\\nabdomen, not stomach -> other")
    >>> rules.labels
    ('stomach', 'abdomen', 'other')
    """

    __slots__ = ("_program", "_labels", "__weakref__")
    _program: _native.Program
    _labels: tuple[str, ...]

    def __init__(self, program: _native.Program) -> None:
        object.__setattr__(self, "_program", program)
        object.__setattr__(self, "_labels", tuple(program.labels()))

    @classmethod
    def parse(
        cls, text: str, labels: Iterable[str] | None = None, *, format: str | None = None
    ) -> Rules:
        """Rules from a text, in a format ("rules", "ccn" or "edges") that is detected unless given.
        `labels` fixes the classes and their order; otherwise they are the names in the text.

        >>> Rules.parse("cat -> animal", labels=["animal", "cat", "car"]).labels
        ('animal', 'cat', 'car')
        """
        return cls(_native.Program.parse(text, None if labels is None else list(labels), format))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        labels: str | os.PathLike[str] | None = None,
        *,
        format: str | None = None,
    ) -> Rules:
        """Rules from a file: text of rules, edges, or an ontology (OBO); plain or gzip. `labels` is a
        file with one class per line."""
        return cls(_native.Program.read(path, labels, format))

    @classmethod
    def from_bytes(cls, data: bytes) -> Rules:
        """Rules from what `to_bytes` gave."""
        return cls(_native.Program.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The rules as bytes, in whole words of 32 bits. Equal rules have equal bytes.

        >>> rules = Rules.parse("cat -> animal")
        >>> Rules.from_bytes(rules.to_bytes()) == rules
        True
        """
        return self._program.to_bytes()

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in order."""
        return self._labels

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules as they would be written, in order."""
        return tuple(self._program.rules())

    def apply(
        self,
        scores: ArrayLike,
        *,
        kind: str = "probabilities",
        thresholds: float | Iterable[float] | None = None,
        decisions: bool = False,
        delegates: bool = False,
    ) -> Any:
        """Scores that satisfy the rules.

        >>> Rules.parse("cat -> animal").apply([[0.9, 0.2], [0.1, 0.2]])
        array([[0.9, 0.9],
               [0.1, 0.2]])
        """
        array: NDArray[Any] = np.asarray(scores)
        rows = np.atleast_2d(array)
        if rows.dtype not in (np.float32, np.float64):
            rows = rows.astype(np.float64)
        if isinstance(thresholds, (int, float)):
            thresholds = [float(thresholds)] * len(self.labels)
        given = None if thresholds is None else [float(value) for value in thresholds]
        coherent, decided, by = _native.apply(
            self._program, rows, kind, given, decisions, delegates
        )
        if not (decisions or delegates):
            return coherent.reshape(array.shape)
        names = np.array(_native.delegate_names(self._program), dtype=object)
        return Applied(
            coherent.reshape(array.shape),
            None if decided is None else decided.reshape(array.shape),
            None if by is None else names[by].reshape(array.shape),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("rules never change; make others")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("rules never change; make others")

    def __len__(self) -> int:
        return len(self._program)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        return self is other or self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __copy__(self) -> Rules:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        return self

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (Rules.from_bytes, (self.to_bytes(),))

    def __repr__(self) -> str:
        return f"<Rules: {len(self.labels)} classes, {len(self)} rules, {self._program.kind()}>"

"""Rules and models on their way to workers: they travel as bytes or as a path, and are opened once in each process.

An engine unpickles a function for every task, and a task has many batches. What a handle opens is kept by its checksum, so
that the same rules are compiled once per process, however often they arrive.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from rulebound.model import Model
from rulebound.rules import Rules

Opened = TypeVar("Opened")

MOST_OPEN = 8
"""How many rules and models a process keeps; beyond that, what was used least recently would be opened again."""

_open: OrderedDict[tuple[str, ...], Any] = OrderedDict()
_lock = threading.Lock()


class Handle(Generic[Opened]):
    """Rules or a model that can be pickled and opened in another process.

    >>> import pickle
    >>> parcel = pickle.dumps(rules_handle(Rules.parse("cat -> animal")))
    >>> pickle.loads(parcel).open() is pickle.loads(parcel).open()
    True
    """

    __slots__ = ("_read", "_content", "_checksum", "_opened")

    def __init__(
        self, read: Callable[[Any], Opened], content: bytes | str, checksum: str | None = None
    ) -> None:
        self._read = read
        self._content = content
        # Of bytes: those of a path are read by whoever opens it.
        if checksum is None and isinstance(content, bytes):
            checksum = hashlib.sha256(content).hexdigest()
        self._checksum = checksum
        self._opened: Opened | None = None

    def open(self) -> Opened:
        """The rules or the model."""
        if self._opened is None:
            self._opened = self._shared()
        return self._opened

    def _shared(self) -> Opened:
        """What this process has of it already, otherwise a new one."""
        key = (self._read.__qualname__, self._checksum or _file_checksum(str(self._content)))
        # Others wait: what they want is probably this.
        with _lock:
            if key not in _open:
                _open[key] = self._read(self._content)
                while len(_open) > MOST_OPEN:
                    _open.popitem(last=False)
            _open.move_to_end(key)
            found: Opened = _open[key]
            return found

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return (Handle, (self._read, self._content, self._checksum))


def rules_handle(rules: Rules | Handle[Rules] | str | os.PathLike[str]) -> Handle[Rules]:
    """A handle of rules, or of a file of rules that every worker can read."""
    if isinstance(rules, Handle):
        return rules
    if isinstance(rules, Rules):
        return Handle(Rules.from_bytes, rules.to_bytes())
    return Handle(Rules.read, os.path.abspath(rules))


def model_handle(model: Model | str | os.PathLike[str]) -> Handle[Model]:
    """A handle of a model, or of its file, which every worker can read."""
    if isinstance(model, Model):
        return Handle(Model.from_bytes, model.to_bytes())
    return Handle(Model.load, os.path.abspath(model))


def _file_checksum(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

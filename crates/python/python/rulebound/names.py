"""Names of classes in messages: those that are not known, with what was probably meant, at most twenty."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

MOST = 20
"""How many names a message shows."""


def listed(names: Iterable[str]) -> str:
    """Names for a message.

    >>> listed(["cat", "dog"])
    '`cat`, `dog`'
    """
    every = list(names)
    shown = ", ".join(f"`{name}`" for name in every[:MOST])
    return shown if len(every) <= MOST else f"{shown} and {len(every) - MOST} more"


def hint(name: str, known: Sequence[str]) -> str:
    """What was probably meant, to be put behind a message; empty if nothing is near.

    >>> hint("animl", ["cat", "animal"])
    '; did you mean `animal`?'
    """
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean `{near[0]}`?" if near else ""


def unknown_names(names: Iterable[str], known: Iterable[str], what: str) -> str | None:
    """The message for names that are not known; none if all are.

    >>> unknown_names(["cat", "dgo"], ["cat", "dog"], "a class of the rules")
    '`dgo` is not a class of the rules; did you mean `dog`?'
    """
    known = list(known)
    there = set(known)
    absent = [name for name in names if name not in there]
    if not absent:
        return None
    if len(absent) == 1:
        return f"`{absent[0]}` is not {what}{hint(absent[0], known)}"
    return f"{listed(absent)} are each not {what}{hint(absent[0], known)}"

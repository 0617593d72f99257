"""What `Rules.apply` gives back when more than scores is asked for."""

from __future__ import annotations

from typing import Any, NamedTuple


class Applied(NamedTuple):
    """Coherent scores, with what was asked for beside them; each of the kind that was given."""

    scores: Any
    """The coherent scores."""
    decisions: Any = None
    """Whether each class is predicted."""
    delegates: Any = None
    """By what each class was decided: its own name, that of another class, `not` another class, or a
    fact `-> class`."""

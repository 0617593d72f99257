"""Rules that hold among labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rulebound import _native
from rulebound.label_table import LabelTable
from rulebound.rules import Rules


class Mined(NamedTuple):
    """Rules that were found."""

    rules: Rules
    """The rules, best first."""
    records: list[dict[str, Any]]
    """Of each rule: the rule, in how many rows its body holds, its support and its confidence."""


def mine(
    y: Any,
    labels: Sequence[str] | None = None,
    *,
    min_support: float | None = None,
    min_confidence: float = 1.0,
    max_body: int = 3,
    negation: bool = False,
    max_rules: int = 1_000_000,
) -> Mined:
    """The rules that hold in rows of labels: an array of 0 and 1, or a frame. A label that is NaN is not known, and is taken
    as not true. Mine training rows only:
    rules that were mined on test rows know the answers.

    >>> mined = mine([[1, 1], [0, 1], [0, 0]] * 10, ["cat", "animal"])
    >>> mined.rules.rules, mined.records[0]["rows"]
    (('cat -> animal',), 10)
    """
    if labels is None:
        if hasattr(y, "columns") and not callable(y.columns):
            labels = [str(name) for name in y.columns]
        else:
            labels = [f"y{place}" for place in range(np.shape(y)[-1])]
    names = list(labels)
    marks = LabelTable(y, names).marks()
    program, counts = _native.mine(
        marks, names, min_support, min_confidence, max_body, negation, max_rules
    )
    rules = Rules(program)
    rows = max(len(marks), 1)
    records = [
        {"rule": rule, "rows": body, "support": body / rows, "confidence": hits / body}
        for rule, (body, hits) in zip(rules.rules, counts, strict=True)
    ]
    return Mined(rules, records)

"""Rules as a card in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence

MOST_RULES = 50
"""How many rules a card shows."""


def card(
    labels: int, rules: Sequence[str], kind: str, strata: int, is_hierarchy: bool, warnings: int
) -> str:
    """The card.

    >>> "2 classes" in card(2, ["a -> b"], "definite", 1, True, 0)
    True
    """
    shape = "a hierarchy" if is_hierarchy else kind
    facts = f"{labels} classes, {len(rules)} rules ({shape}), {strata} strata, {warnings} warnings"
    shown = "\n".join(html.escape(rule) for rule in rules[:MOST_RULES])
    more = len(rules) - MOST_RULES
    rest = f"<div>and {more} more</div>" if more > 0 else ""
    return f"<div><b>Rules</b>: {facts}</div><pre>{shown}</pre>{rest}"

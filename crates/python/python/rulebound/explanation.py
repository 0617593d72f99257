"""Why a class is predicted, or why it is not."""

from __future__ import annotations

import html
import json
from typing import Any


class Explanation:
    """How a class of one row got its score: the rule that gave it, down to what the network said.

    >>> import rulebound as rb
    >>> print(rb.Rules.parse("cat -> animal").explain([0.9, 0.2], "animal"))
    animal = 0.9 (predicted; network's own score: 0.2)
    └─ by cat -> animal  (line 1)
       └─ cat = 0.9 (predicted; network's own score)  ← decides
    """

    def __init__(self, label: str, tree: str, classes: str) -> None:
        self._label = label
        self._tree = tree
        self._classes: dict[str, Any] = json.loads(classes)

    @property
    def label(self) -> str:
        """The class."""
        return self._label

    def to_dict(self) -> dict[str, Any]:
        """All that is said of the class, and of every class that it is derived from, by name."""
        return self._classes

    def __str__(self) -> str:
        return self._tree.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Explanation of {self._label}>\n{self}"

    def _repr_html_(self) -> str:
        return _details(self._label, self._classes, set())


def _details(label: str, classes: dict[str, Any], above: set[str]) -> str:
    """A class as HTML that can be opened; one that is above itself is not opened again."""
    found = classes.get(label)
    name = html.escape(label)
    if found is None:
        return f"<div>{name}</div>"
    state = "predicted" if found["predicted"] else "not predicted"
    head = (
        f"<b>{name}</b> {_number(found['score'])} {state} "
        f"(network: {_number(found['network'])})"
    )
    rule = found["rule"] or found["closest_rule"]
    if rule is None:
        return f"<div>{head}</div>"
    by = "by" if found["rule"] else "closest"
    inner = f"<div>{by} <code>{html.escape(rule['rule'])}</code></div>"
    for literal in rule["body"]:
        text = literal["literal"]
        below = text.removeprefix("not ")
        if found["rule"] and below in classes and below not in above | {label}:
            inner += _details(below, classes, above | {label})
        else:
            inner += f"<div>{html.escape(text)} {_number(literal['score'])}</div>"
    return (
        f"<details open><summary>{head}</summary>"
        f"<div style='margin-left:1.5em'>{inner}</div></details>"
    )


def _number(value: float | str) -> str:
    return html.escape(value) if isinstance(value, str) else f"{value:.4g}"

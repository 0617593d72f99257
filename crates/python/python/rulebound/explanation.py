"""Why a class is predicted, or why it is not."""

from __future__ import annotations

import html
import json
from typing import Any


class Explanation:
    """How a class of one row got its score: the rule that gave it, down to what the network said.

    >>> import rulebound as rb
    >>> print(rb.Rules.parse("cat -> animal").explain([0.9, 0.2], "animal"))
    animal = 0.9 (predicted; own score: 0.2)
    └─ by cat -> animal  (line 1)
       └─ cat = 0.9 (predicted; own score)  ← decides
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
    settled = found.get("settled")
    own = "own score" if settled is None and found["rule"] is None else f"own score: {_number(found['network'])}"
    head = f"<b>{name}</b> {_number(found['score'])} {state} ({own})"
    if settled is not None:
        what = "overruled" if settled["overruled"] else "settled"
        by, body = f"{what}: <code>{html.escape(settled['by'])}</code>", settled["because"]
        decides = "surer, decides"
    else:
        rule = found["rule"] or found["closest_rule"]
        if rule is None:
            return f"<div>{head}</div>"
        by = f"{'by' if found['rule'] else 'closest'} <code>{html.escape(rule['rule'])}</code>"
        body, decides = rule["body"], "decides" if found["predicted"] else "blocks"
    is_opened = settled is not None or found["rule"] is not None
    inner = f"<div>{by}</div>"
    for literal in body:
        inner += _literal(literal, decides, classes, above | {label} if is_opened else set(classes))
    return (
        f"<details open><summary>{head}</summary>"
        f"<div style='margin-left:1.5em'>{inner}</div></details>"
    )


def _literal(literal: dict[str, Any], decides: str, classes: dict[str, Any], above: set[str]) -> str:
    """A literal of a rule: what it is worth, whether the value of the rule hangs on it, and how its class got its score."""
    text = literal["literal"]
    below = text if text in classes else text.removeprefix("not ")
    mark = f" \u2190 {decides}" if literal["limits"] else ""
    line = f"<div>{html.escape(text)} = {_number(literal['score'])}<b>{mark}</b></div>"
    if below not in classes or below in above:
        return line
    return line + _details(below, classes, above)


def _number(value: float | str) -> str:
    return html.escape(value) if isinstance(value, str) else f"{value:.4g}"

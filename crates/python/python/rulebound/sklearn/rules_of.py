"""What an estimator was given as rules: a text, a path, or rules."""

from __future__ import annotations

import os
from typing import Any

from rulebound.rules import Rules


def rules_of(given: Any, labels: list[str] | None) -> Rules | None:
    """The rules; a text of one line without an arrow or comma is a path. Where the names of the classes
    are known, rules are about these, in their order.

    >>> rules_of("cat -> animal", None)
    <Rules: 2 classes, 1 rules, definite>
    """
    if given is None:
        return None
    if isinstance(given, Rules):
        rules = given
    elif isinstance(given, os.PathLike):
        rules = Rules.read(given)
    elif isinstance(given, str):
        is_path = "\n" not in given and not any(sign in given for sign in ("->", ":-", ","))
        rules = Rules.read(given) if is_path else Rules.parse(given)
    else:
        raise TypeError(f"rules are Rules, a text or a path; not {type(given).__name__}")
    if labels is None or tuple(labels) == rules.labels:
        return rules
    return Rules.parse(rules.text(), labels, format="rules")

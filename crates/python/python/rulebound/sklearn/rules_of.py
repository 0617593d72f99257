"""What an estimator was given as rules: a text, a path, rules, or how to find them in the training labels."""

from __future__ import annotations

import os
from typing import Any

from rulebound.class_order import rules_in_order
from rulebound.errors import RuleError
from rulebound.mining import mine
from rulebound.rule_text import is_path
from rulebound.rules import Rules
from rulebound.sklearn.target import Target, read_target

MINED = "mine"
"""Rules that hold in the training labels."""


def rules_of(given: Any, labels: list[str] | None) -> Rules | None:
    """The rules; a file that exists, or a line without a sign of rules, is a path. Where the names of the classes
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
        rules = Rules.read(given) if is_path(given) else Rules.parse(given)
    else:
        raise TypeError(f"rules are Rules, a text, a path, {MINED!r}, or a function of y; not {type(given).__name__}")
    return rules if labels is None else rules_in_order(rules, labels, "y")


def target_and_rules(y: Any, names: list[str] | None, given: Any) -> tuple[Target, Rules | None]:
    """The target and its rules, which may be found in the target itself: so in each fold anew."""
    is_mined = isinstance(given, str) and given == MINED
    if is_mined or callable(given):
        target = read_target(y, names, None)
        if target.kind != "multilabel":
            raise ValueError("rules are about several labels of a row, but y has one")
        found = mine(target.columns, target.names).rules if is_mined else given(y)
        return target, rules_of(found, target.names)
    rules = rules_of(given, None)
    target = read_target(y, names, rules)
    if target.kind != "multilabel" or rules is None:
        return target, rules
    try:
        return target, rules_in_order(rules, target.names, "y")
    except RuleError as error:
        if names is not None:
            raise
        raise RuleError(
            f"y has no names, so its {len(target.names)} columns are called y0, y1 and so on, and the rules are about"
            f" {len(rules.labels)} others: give y as a frame, or labels= with the names of its columns; {error}",
            error.mistakes,
        ) from None

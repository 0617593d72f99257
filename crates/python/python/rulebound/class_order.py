"""Which column is which class: rules brought into the order of whoever gives the scores.

Column `i` of scores, of a network and of a target is the class `rules.labels[i]`. Whoever has an order of its own
says so with `labels`, and the rules follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulebound.errors import RuleError
from rulebound.names import hint, listed
from rulebound.rules import Rules


def label_list(labels: Any) -> list[str]:
    """Names of classes, each once.

    >>> label_list(("cat", "animal"))
    ['cat', 'animal']
    """
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise TypeError(f"labels are the names of the classes in order, not {labels!r}")
    names = [str(name) for name in labels]
    twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    if twice:
        raise ValueError(f"labels name {listed(sorted(twice))} more than once")
    return names


def rules_in_order(rules: Rules, labels: Iterable[str], whose: str = "`labels`") -> Rules:
    """The same rules about these classes, in this order. Classes that no rule is about are allowed.

    >>> rules_in_order(Rules.parse("cat -> animal"), ["animal", "cat", "plant"]).labels
    ('animal', 'cat', 'plant')
    """
    names = label_list(labels)
    if tuple(names) == rules.labels:
        return rules
    absent = [name for name in rules.labels if name not in set(names)]
    try:
        return Rules.parse(rules.text(), names, format="rules")
    except RuleError as error:
        if not absent:
            raise
        raise RuleError(
            f"the rules are about {listed(absent)}, which {_are(absent)} not among the {len(names)} classes of"
            f" {whose} ({listed(names)}){hint(absent[0], names)}",
            error.mistakes,
        ) from None


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"

"""Rules: made, compared, kept."""

import copy
import pickle

import numpy as np
import pytest

import rulebound as rb


def test_rules_are_equal_by_content_and_survive_a_pickle() -> None:
    rules = rb.Rules.parse("a, not b -> c\n-> d")
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules and hash(again) == hash(rules)
    assert again.rules == ("a, not b -> c", "-> d")
    assert copy.deepcopy(rules) is rules and copy.copy(rules) is rules
    assert rules != rb.Rules.parse("a, not b -> c")


def test_rules_never_change() -> None:
    rules = rb.Rules.parse("a -> b")
    with pytest.raises(AttributeError):
        rules.labels = ()  # type: ignore[misc]


def test_apply_selects_and_keeps_the_type() -> None:
    rules = rb.Rules.parse("a -> b")
    for dtype in (np.float32, np.float64):
        scores = np.array([[0.9, 0.2], [0.1, 0.3]], dtype)
        coherent = rules.apply(scores)
        assert coherent.dtype == dtype
        assert coherent.tolist() == [[scores[0, 0], scores[0, 0]], [scores[1, 0], scores[1, 1]]]

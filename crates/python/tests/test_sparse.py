"""Lists of scores: what `apply_sparse` and `apply_long` give is what `apply` gives for whole rows."""

import numpy as np
import pytest

import rulebound as rb

TEXT = """siamese -> cat
cat -> animal
dog -> animal
animal, wild -> beast
"""


def dense(rules, offsets, classes, scores, absent):
    whole = np.full((len(offsets) - 1, len(rules.labels)), absent, dtype=scores.dtype)
    for row in range(len(whole)):
        at = slice(offsets[row], offsets[row + 1])
        whole[row, classes[at]] = scores[at]
    return whole


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["probabilities", "logits", "margins"])
@pytest.mark.parametrize("negation", [False, True])
def test_lists_are_whole_rows(dtype, kind, negation):
    rules = rb.Rules.parse(TEXT + ("not dog, not cat -> other\n" if negation else ""))
    random = np.random.default_rng(3)
    count = len(rules.labels)
    lists = [random.choice(count, random.integers(0, count), replace=False) for _ in range(2000)]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in lists])))
    classes = np.concatenate(lists)
    scores = random.integers(0, 11, len(classes)).astype(dtype) / dtype(10)
    if kind != "probabilities":
        scores -= dtype(0.5)
    absent = 0.0 if kind == "probabilities" else -np.inf
    expected = rules.apply(dense(rules, offsets, classes, scores, absent), kind=kind, delegates=True)
    starts, found, values, by = rules.apply_sparse(
        offsets, classes.astype(np.int32), scores, kind=kind, delegates=True
    )
    assert values.dtype == dtype and starts[-1] == len(found) == len(values) == len(by)
    whole = dense(rules, starts, found, values, absent)
    np.testing.assert_array_equal(whole, expected.scores)
    names = rules._delegate_names()[by]
    rows = np.repeat(np.arange(len(lists)), np.diff(starts))
    np.testing.assert_array_equal(names, expected.delegates[rows, found])


def test_long_tables_by_name_and_by_number():
    rules = rb.Rules.parse(TEXT)
    ids = np.array([7, 7, 3])
    by_name = rules.apply_long(ids, ["siamese", "dog", "wild"], [0.9, 0.2, 0.5], delegates=True)
    assert by_name.ids.tolist() == [7, 7, 7, 7, 3]
    assert by_name.classes.tolist() == ["siamese", "cat", "animal", "dog", "wild"]
    assert by_name.scores.tolist() == [0.9, 0.9, 0.9, 0.2, 0.5]
    assert by_name.delegates.tolist() == ["siamese", "siamese", "siamese", "dog", "wild"]
    places = [rules.labels.index(name) for name in ("siamese", "dog", "wild")]
    by_number = rules.apply_long(ids, places, np.array([0.9, 0.2, 0.5], dtype=np.float32))
    assert [rules.labels[place] for place in by_number.classes] == by_name.classes.tolist()
    assert by_number.scores.dtype == np.float32
    empty = rules.apply_long([], [], [])
    assert len(empty.ids) == len(empty.scores) == 0


def test_cuts_keep_parents():
    rules = rb.Rules.parse(TEXT)
    ids, classes, scores = ["a", "a", "a"], ["siamese", "dog", "wild"], [0.9, 0.3, 0.6]
    top = rules.apply_long(ids, classes, scores, top=2)
    assert top.classes.tolist() == ["cat", "animal"]
    above = rules.apply_long(ids, classes, scores, above=0.5)
    assert above.classes.tolist() == ["siamese", "cat", "animal", "wild", "beast"]
    with pytest.raises(ValueError, match="negation"):
        rb.Rules.parse("not a -> b").apply_long(["x"], ["a"], [0.5], top=1)
    with pytest.raises(ValueError, match="different thresholds"):
        rules.apply_long(ids, classes, scores, above=0.5, thresholds={"cat": 0.3})


def test_mistakes_are_named():
    rules = rb.Rules.parse(TEXT)
    with pytest.raises(ValueError, match="the id a comes back at line 2"):
        rules.apply_long(["a", "b", "a"], ["cat"] * 3, [0.5] * 3)
    with pytest.raises(KeyError, match="line 1: `catt` is not a class of the rules; did you mean `cat`"):
        rules.apply_long(["a", "a"], ["dog", "catt"], [0.5] * 2)
    with pytest.raises(rb.ScoreError, match="`cat` is listed twice") as caught:
        rules.apply_long(["a", "b", "b"], ["dog", "cat", "cat"], [0.5] * 3)
    assert (caught.value.row, caught.value.label) == (1, "cat")
    with pytest.raises(rb.ScoreError, match=r"the score 1.5 of `dog` is outside \[0, 1\]"):
        rules.apply_long(["a"], ["dog"], [1.5])
    with pytest.raises(ValueError, match="there is no class 99"):
        rules.apply_sparse([0, 1], [99], [0.5])
    with pytest.raises(ValueError, match="offsets must rise"):
        rules.apply_sparse([0, 2], [1], [0.5])
    with pytest.raises(TypeError, match="classes must be integers, not float64"):
        rules.apply_sparse([0, 1], [1.9], [0.5])
    with pytest.raises(TypeError, match="classes must be integers, not bool"):
        rules.apply_sparse([0, 1], [True], [0.5])
    with pytest.raises(TypeError, match="offsets must be integers"):
        rules.apply_sparse([0, 1.7], [1], [0.5])
    with pytest.raises(TypeError, match="scores must be numbers, not complex128"):
        rules.apply_sparse([0, 1], [1], [1j])
    with pytest.raises(TypeError, match="masked"):
        rules.apply_sparse([0, 1], [1], np.ma.masked_array([0.5], [True]))
    with pytest.raises(ValueError, match="settle_limit must be from 0"):
        rb.Rules.parse("a | b", settle_limit=-1)
    with pytest.raises(ValueError, match="requirement"):
        rb.Rules.parse("red | green").apply_sparse([0, 1], [0], [0.5], top=1)
    with pytest.raises(TypeError, match="names or integers"):
        rules.apply_long(["a"], [0.5], [0.5])


def test_lists_are_settled_as_whole_rows_are() -> None:
    rules = rb.Rules.parse("cat -> animal\nexclusive(cat, dog)\nwild -> cat | dog")
    dense = np.round(np.random.default_rng(3).random((300, len(rules.labels))) * (np.random.default_rng(4).random((300, len(rules.labels))) < 0.6), 3)
    rows, classes = np.nonzero(dense)
    offsets = np.searchsorted(rows, np.arange(len(dense) + 1))
    found = rules.apply_sparse(offsets, classes, dense[rows, classes])
    expected = rules.apply(dense)
    again = np.zeros_like(dense)
    for row in range(len(dense)):
        part = slice(found[0][row], found[0][row + 1])
        again[row, found[1][part]] = found[2][part]
    assert np.array_equal(again, expected)
    assert not rules.violations(again > 0.5)

"""Scores made coherent: the numbers, the kinds of tables, the errors."""

import itertools
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import rulebound as rb

RULES = "a -> b\nb, not c -> d\nnot d -> e\n-> f"


def broken(rules: list[str], names: list[str], holds: NDArray[np.bool_]) -> int:
    """How many rules are broken, read from their texts: nothing of the package is used."""
    count = 0
    for rule in rules:
        body, _, head = rule.partition("->")
        held = np.ones(len(holds), bool)
        for literal in filter(None, (part.strip() for part in body.split(","))):
            negated = literal.startswith("not ")
            held &= holds[:, names.index(literal.removeprefix("not "))] != negated
        count += int((held & ~holds[:, names.index(head.strip())]).sum())
    return count


def adversarial(dtype: type, kind: str) -> Iterator[NDArray[np.floating]]:
    """Scores around everything that is special about floats."""
    half = dtype(0.5)
    special = [0.0, 1.0, half, np.nextafter(half, dtype(0)), np.nextafter(half, dtype(1))]
    special += [np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal, 1 - np.finfo(dtype).eps]
    if kind != "probabilities":
        special = [value - 0.5 for value in special] + [np.inf, -np.inf, -0.0, 0.0, 3.0, -3.0]
    values = np.array(special, dtype)
    yield np.array(list(itertools.islice(itertools.product(values, repeat=6), 0, 200_000, 7)), dtype)
    random = np.random.default_rng(0)
    yield random.choice(values, (20_000, 6)).astype(dtype)
    drawn = random.random((5_000, 6)) if kind == "probabilities" else random.normal(size=(5_000, 6))
    yield drawn.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["probabilities", "logits", "margins"])
@pytest.mark.parametrize("threshold", [0.5, 0.3])
@pytest.mark.parametrize("text", [RULES, "a -> b\nb, c -> d\nd -> e\n-> f"])
def test_any_float_becomes_coherent(dtype: type, kind: str, threshold: float, text: str) -> None:
    rules = rb.Rules.parse(text, labels=list("abcdef"))
    given = None if kind == "margins" else threshold
    level = threshold if kind == "probabilities" else np.log(threshold / (1 - threshold))
    if kind == "margins":
        level = 0.0
    for scores in adversarial(dtype, kind):
        result = rules.apply(scores, kind=kind, thresholds=given, decisions=True)
        assert result.scores.dtype == dtype
        holds = result.scores.astype(np.float64) > level
        assert (holds == result.decisions).all()
        assert broken(list(rules.rules), list(rules.labels), holds) == 0
        # Nothing is lowered, and once is enough.
        assert (result.scores >= scores).all()
        again = rules.apply(result.scores, kind=kind, thresholds=given)
        assert (again == result.scores).all()


def test_delegates_say_who_decided() -> None:
    rules = rb.Rules.parse(RULES)
    applied = rules.apply([0.9, 0.1, 0.2, 0.3, 0.1, 0.0], decisions=True, delegates=True)
    # e follows from `not d`, and d from `not c`: so c decides.
    assert applied.delegates.tolist() == ["a", "a", "c", "not c", "c", "-> f"]
    assert applied.scores[1] == 0.9 and applied.scores[5] == 1.0
    assert applied.decisions.dtype == bool
    assert rules.apply([0.1] * 6, delegates=True).decisions is None


def test_arrays_of_any_layout() -> None:
    rules = rb.Rules.parse("a -> b")
    scores = np.random.default_rng(1).random((6, 4))
    expected = rules.apply(np.ascontiguousarray(scores[::2, ::2]))
    assert (rules.apply(scores[::2, ::2]) == expected).all()
    assert (rules.apply(np.asfortranarray(scores[::2, ::2])) == expected).all()
    assert (rules.apply(scores[::2, ::2].astype(">f8")) == expected).all()
    frozen = scores[::2, ::2].copy()
    frozen.flags.writeable = False
    assert (rules.apply(frozen) == expected).all() and (frozen == scores[::2, ::2]).all()
    assert rules.apply(np.zeros((0, 2))).shape == (0, 2)
    assert rules.apply([1, 0]).tolist() == [1.0, 1.0]
    assert rules.apply(np.zeros((2, 2), np.float16)).dtype == np.float32


def test_thresholds_for_all_each_or_some() -> None:
    rules = rb.Rules.parse("not a -> b")
    one = rules.apply([0.4, 0.1], thresholds=0.3, decisions=True)
    each = rules.apply([0.4, 0.1], thresholds=[0.3, 0.3], decisions=True)
    assert one.decisions.tolist() == each.decisions.tolist() == [True, False]
    assert rules.apply([0.4, 0.1], thresholds={"a": 0.3}, decisions=True).decisions[0]
    for bad in (0.0, 1.0, float("nan"), [0.5], {"x": 0.5}):
        with pytest.raises((ValueError, KeyError)):
            rules.apply([0.4, 0.1], thresholds=bad)
    with pytest.raises(ValueError, match="leave `thresholds` out"):
        rules.apply([0.4, 0.1], kind="margins", thresholds=0.5)
    with pytest.raises(ValueError, match="probability"):
        rules.apply([0.4, 0.1], kind="probability")


def test_bad_scores_have_their_place() -> None:
    rules = rb.Rules.parse("a -> b")
    scores = np.zeros((70_000, 2))
    scores[65_000, 1] = np.nan
    with pytest.raises(rb.ScoreError) as raised:
        rules.apply(scores)
    assert (raised.value.row, raised.value.label) == (65_000, "b")
    assert "row 65000" in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.row, again.label) == (65_000, "b")
    with pytest.raises(rb.ScoreError, match="outside"):
        rules.apply([1.5, 0.0])
    with pytest.raises(ValueError, match="3 columns for 2 classes"):
        rules.apply(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="dimensions"):
        rules.apply(np.zeros((1, 1, 2)))
    with pytest.raises(ValueError, match="convert"):
        rules.apply([["x", "y"]])
    for bad in (None, open, np.zeros((1, 2), complex), np.zeros((1, 2), "M8[s]")):
        with pytest.raises(TypeError, match="table of numbers"):
            rules.apply(bad)


def test_sparse_scores_are_refused_in_words() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        rb.Rules.parse("a -> b").apply(sparse.csr_matrix(np.zeros((2, 2))))


def test_labels_are_closed_in_what_they_came_in() -> None:
    rules = rb.Rules.parse("a -> b\nnot a -> c")
    for dtype in (bool, np.int8, np.float64):
        closed = rules.close(np.array([[1, 0, 0], [0, 0, 0]], dtype))
        assert closed.dtype == dtype and closed.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert rules.close([["a"], ["b"]]) == [["a", "b"], ["b", "c"]]
    with pytest.raises(KeyError, match="row 1"):
        rules.close([["a"], ["x"]])
    with pytest.raises(ValueError, match="row 0: the label of `b` is 2.0, not 0 or 1"):
        rules.close([[0, 2, 1]])


def test_violations_are_records() -> None:
    rules = rb.Rules.parse("a -> b\nnot a -> c")
    labels = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]])
    found = rules.violations(labels)
    assert found == [{"row": 0, "rule": "a -> b"}, {"row": 2, "rule": "not a -> c"}]
    assert rules.violations(rules.close(labels)) == []


def test_an_explanation_is_text_and_data() -> None:
    rules = rb.Rules.parse("a -> b\nb, not c -> d")
    explained = rules.explain([[0.1] * 4, [0.9, 0.1, 0.2, 0.3]], "d", row=1)
    assert str(explained).startswith("d = 0.8")
    found = explained.to_dict()
    assert set(found) == {"a", "b", "c", "d"}
    assert found["d"]["delegate"] == "not c" and found["d"]["rule"]["line"] == 2
    with pytest.raises(KeyError, match="did you mean `abdomen`"):
        rb.Rules.parse("stomach -> abdomen").explain([0.1, 0.1], "abdomne")
    with pytest.raises(IndexError):
        rules.explain([0.1] * 4, "d", row=1)
    with pytest.raises(rb.ScoreError):
        rules.explain([0.1, np.nan, 0.1, 0.1], "d")


@st.composite
def probabilities(draw: st.DrawFn) -> NDArray[np.floating]:
    """Rows of four probabilities, of either type."""
    width = draw(st.sampled_from([32, 64]))
    rows = draw(array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=40))[0]
    elements = st.floats(0, 1, width=width)
    return draw(arrays(f"float{width}", (rows, 4), elements=elements))


@given(probabilities())
def test_a_hierarchy_is_the_maximum_over_descendants(scores: NDArray[np.floating]) -> None:
    rules = rb.Rules.parse("a -> b\nb -> c\nd -> c", labels=["a", "b", "c", "d"])
    a, b, c, d = scores.T
    expected = np.stack([a, np.maximum(a, b), np.maximum.reduce([a, b, c, d]), d], axis=1)
    coherent = rules.apply(scores)
    assert coherent.dtype == scores.dtype and np.array_equal(coherent, expected)


def test_requirements_are_settled_by_sureness() -> None:
    rules = rb.Rules.parse("exclusive(red, green)\n-> not ghost")
    scores = np.array([[0.51, 0.99, 0.8], [0.6, 0.2, 0.1]])
    sure = rules.apply(scores, decisions=True, delegates=True)
    assert sure.decisions.tolist() == [[False, True, False], [True, False, False]]
    assert sure.delegates[0].tolist() == ["not green", "green", "-> not ghost"]

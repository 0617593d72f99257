"""What comes out of the layer."""

import numpy as np
import pytest
import torch
from programs import adversarial, broken, names, parse, stratified

import rulebound as rb
from rulebound.torch import ConstraintLayer

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(25))
def test_no_prediction_breaks_a_rule(seed: int, dtype: torch.dtype) -> None:
    rules = stratified(seed)
    layer = ConstraintLayer(parse(rules, 9))
    x = adversarial(40, 9, dtype, seed)
    y = layer(x)
    assert y.dtype == dtype and y.shape == x.shape
    assert broken(rules, (y > 0).numpy()) == 0
    assert torch.equal(layer(y), y)
    given = {float(v) for v in x.flatten().tolist()}
    tiny = torch.finfo(dtype).tiny
    allowed = given | {-v for v in given} | {tiny, -tiny, float("inf")}
    assert set(y.flatten().tolist()) <= allowed


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(25))
def test_no_probability_breaks_a_rule(seed: int, dtype: torch.dtype) -> None:
    rules = stratified(seed)
    layer = ConstraintLayer(parse(rules, 9), kind="probabilities")
    draw = torch.Generator().manual_seed(seed)
    p = torch.rand(40, 9, generator=draw, dtype=torch.float64)
    near = torch.tensor([0.0, 1.0, 0.5, 0.5 - 2**-26, 0.5 + 2**-24, 0.5 - 2**-12, 1e-40, 5e-324, 0.25])
    which = torch.randint(0, 2 * len(near), (40, 9), generator=draw)
    p = torch.where(which < len(near), near.double()[which % len(near)], p).to(dtype)
    y = layer(p)
    assert y.dtype == dtype and bool(((y >= 0) & (y <= 1)).all())
    assert broken(rules, (y > 0.5).numpy()) == 0
    assert torch.equal(layer(y), y)


@pytest.mark.parametrize("kind", ["probabilities", "logits"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("seed", range(20))
def test_scores_are_those_of_rules_apply(seed: int, dtype: torch.dtype, kind: str) -> None:
    """Which are those of the command line."""
    rules = parse(stratified(seed), 9)
    draw = torch.Generator().manual_seed(seed)
    x = torch.rand(50, 9, generator=draw, dtype=torch.float64).to(dtype)
    if kind == "logits":
        x = (x - 0.5) * 8
    expected = torch.from_numpy(rules.apply(x.numpy(), kind=kind))
    assert torch.equal(ConstraintLayer(rules, kind=kind)(x), expected)


@pytest.mark.parametrize("kind", ["probabilities", "logits"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(20))
def test_thresholds(seed: int, dtype: torch.dtype, kind: str) -> None:
    rules = stratified(seed)
    draw = np.random.default_rng(seed)
    thresholds = draw.choice([0.5, 0.3, 0.7, 0.1, 1e-6, 0.999], 9).tolist()
    layer = ConstraintLayer(parse(rules, 9), thresholds, kind)
    x = torch.rand(40, 9, generator=torch.Generator().manual_seed(seed)).to(dtype)
    limit = torch.tensor(thresholds, dtype=torch.float64)
    if kind == "logits":
        x, limit = (x - 0.5) * 8, limit.logit()
    y = layer(x)
    assert y.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert broken(rules, (y.double() > limit).numpy()) == 0
    if dtype in (torch.float64, torch.float32):
        expected = torch.from_numpy(parse(rules, 9).apply(x.numpy(), kind=kind, thresholds=thresholds))
        torch.testing.assert_close(y, expected, rtol=1e-6 if dtype == torch.float32 else 1e-13, atol=0)


def test_zero_is_not_predicted_and_its_negation_is() -> None:
    for dtype in DTYPES:
        layer = ConstraintLayer(rb.Rules.parse("not b -> a", labels=["a", "b"]))
        tiny = torch.finfo(dtype).tiny
        assert layer(torch.tensor([-1.0, 0.0], dtype=dtype)).tolist() == [tiny, -tiny]


def test_any_shape_and_any_strides() -> None:
    layer = ConstraintLayer("a -> b\nc -> b")
    x = torch.randn(2, 3, 4, 3)
    y = layer(x)
    assert torch.equal(y.reshape(-1, 3), layer(x.reshape(-1, 3)))
    assert torch.equal(layer(x[0, 0, 0]), y[0, 0, 0])
    assert torch.equal(layer(x.transpose(0, 2)), y.transpose(0, 2))
    assert torch.equal(layer(x[:, ::2]), y[:, ::2])
    assert layer(torch.empty(0, 3)).shape == (0, 3)
    assert torch.equal(layer(x.mT.contiguous().mT), y)


def test_a_batch_is_its_rows_however_many_threads() -> None:
    rules = parse(stratified(3, 60, 90), 60)
    layer = ConstraintLayer(rules)
    x = torch.randn(3000, 60)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = layer(x)
        torch.set_num_threads(2)
        assert torch.equal(layer(x), one)
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(torch.cat([layer(part) for part in x.split(7)]), one)


def test_delegates_say_who_decided() -> None:
    layer = ConstraintLayer("stomach -> abdomen\nabdomen, not stomach -> other\n-> image")
    stomach, abdomen, other, image = range(4)
    x = torch.tensor([-2.0, 1.0, -1.0, -5.0])
    assert layer.rules.labels == ("stomach", "abdomen", "other", "image")
    delegates = layer.delegates(x)
    assert delegates.dtype == torch.int32
    assert delegates[:3].tolist() == [2 * stomach, 2 * abdomen, 2 * abdomen] and delegates[3] < 0
    assert layer.delegates(torch.tensor([-1.0, 2.0, -1.0, 0.0]))[other] == 2 * stomach + 1
    assert layer(x)[image] == float("inf")


def test_mistakes_have_their_row_and_class() -> None:
    layer = ConstraintLayer("a -> b")
    with pytest.raises(rb.ScoreError, match="row 1: the value of `b` is not a number") as caught:
        layer(torch.tensor([[1.0, 2.0], [1.0, float("nan")]]))
    assert (caught.value.row, caught.value.label) == (1, "b")
    with pytest.raises(rb.ScoreError, match="is not a probability") as caught:
        ConstraintLayer("a -> b", kind="probabilities")(torch.tensor([[0.1, 0.2], [1.5, 0.1]]))
    assert (caught.value.row, caught.value.label) == (1, "a")
    with pytest.raises(ValueError, match="3 numbers, but the rules have 2 classes"):
        layer(torch.zeros(4, 3))
    with pytest.raises(TypeError, match="int64; convert"):
        layer(torch.zeros(4, 2, dtype=torch.int64))
    with pytest.raises(ValueError, match="last dimension"):
        layer(torch.tensor(1.0))
    with pytest.raises(ValueError, match="kind 'scores'"):
        ConstraintLayer("a -> b", kind="scores")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="strictly between 0 and 1, not 1.0"):
        ConstraintLayer("a -> b", thresholds=1.0)
    with pytest.raises(ValueError, match="3 thresholds for 2 classes"):
        ConstraintLayer("a -> b", thresholds=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="margins are measured"):
        ConstraintLayer("a -> b", thresholds=0.3, kind="margins")
    with pytest.raises(TypeError, match="rulebound.Rules or a text, not int"):
        ConstraintLayer(3)  # type: ignore[arg-type]
    with pytest.raises(rb.RuleError):
        ConstraintLayer("a => b")


def test_a_damaged_tensor_of_rules_is_an_error() -> None:
    layer = ConstraintLayer("only -> here_and_nowhere_else")
    x = torch.zeros(2)
    for damaged in (layer.packed[:5].clone(), layer.packed + 1, torch.zeros(0, dtype=torch.int32)):
        with pytest.raises((ValueError, RuntimeError)):
            torch.ops.rulebound.layer(x, damaged, layer.key + 1, False)


def test_rules_come_back() -> None:
    rules = parse(stratified(7), 9)
    layer = ConstraintLayer(rules)
    assert layer.rules == rules and layer.rules.labels == tuple(names(9))
    assert "9 classes, kind='logits'" in repr(layer)
    assert "thresholds=0.3" in repr(ConstraintLayer("a -> b", 0.3))

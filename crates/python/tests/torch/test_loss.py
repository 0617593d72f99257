"""The loss, and what it selects."""

import math

import numpy as np
import pytest
import torch
from programs import Rule, parse, stratified
from torch.nn import functional

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss


def closed(rules: list[Rule], seed: int, rows: int = 30, classes: int = 9) -> torch.Tensor:
    """Targets that break no rule."""
    draw = torch.Generator().manual_seed(seed)
    return ConstraintLayer(parse(rules, classes))(torch.rand(rows, classes, generator=draw) - 0.7) > 0


def selected_by_definition(rules: list[Rule], strata: list[int], h: np.ndarray, y: np.ndarray) -> np.ndarray:
    """CM+ and CM- of one row, as defined: h·y and h·(1−y)+y at the leaves, then rules until nothing changes. A denied
    class whose CM- is the constant 1 keeps its own value."""
    inf = math.inf
    plus = np.where(y, h, -inf)
    minus = np.where(y, inf, h)
    for stratum in sorted(set(strata)):
        for _ in range(len(h) + 1):
            for head, body in rules:
                if strata[head] != stratum:
                    continue
                p, m = [inf], [inf]
                for label, negated in body:
                    same = not negated and strata[label] == stratum
                    if negated:
                        p.append(-minus[label] if not y[label] else -inf)
                        m.append(-plus[label] if y[label] else inf)
                    else:
                        p.append(plus[label] if same or y[label] else -inf)
                        m.append(minus[label] if same or not y[label] else inf)
                plus[head] = max(plus[head], min(p))
                minus[head] = max(minus[head], min(m))
    return np.where(y, plus, np.where(minus == inf, h, minus))


def strata_of(rules: list[Rule], classes: int) -> list[int]:
    """The least numbers such that a body is not above its head, and a negated literal below it."""
    stratum = [0] * classes
    for _ in range(classes * classes):
        for head, body in rules:
            for label, negated in body:
                stratum[head] = max(stratum[head], stratum[label] + negated)
    return stratum


@pytest.mark.parametrize("seed", range(40))
def test_the_selection_is_the_definition(seed: int) -> None:
    rules = stratified(seed, facts=False)
    loss = ConstraintLoss(parse(rules, 9))
    h = torch.randn(20, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    strata = strata_of(rules, 9)
    anything = torch.rand(20, 9, generator=torch.Generator().manual_seed(seed)) < 0.5
    for target in (closed(rules, seed, 20), anything):
        selected = loss.select(h, target)
        for row in range(20):
            expected = selected_by_definition(rules, strata, h[row].numpy(), target[row].numpy())
            assert np.array_equal(selected[row].numpy(), expected)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("masked", [False, True])
def test_the_loss_is_the_cross_entropy_of_the_selection(reduction: str, masked: bool) -> None:
    rules = stratified(5, facts=False)
    evaluated = [label % 3 != 1 for label in range(9)] if masked else None
    loss = ConstraintLoss(parse(rules, 9), evaluated, reduction)  # type: ignore[arg-type]
    x = torch.randn(30, 9, dtype=torch.float64).requires_grad_()
    target = closed(rules, 5)
    value = loss(x, target)
    value.sum().backward()
    mine, x.grad = x.grad, None
    chosen = slice(None) if evaluated is None else torch.tensor(evaluated)
    selected = loss.select(x, target)[:, chosen]
    expected = functional.binary_cross_entropy_with_logits(
        selected, target[:, chosen].double(), reduction=reduction
    )
    expected.sum().backward()
    torch.testing.assert_close(value, expected)
    torch.testing.assert_close(mine, x.grad)


def test_without_rules_it_is_the_plain_loss() -> None:
    loss = ConstraintLoss(rb.Rules.parse("a -> a", labels=["a", "b", "c"]))
    x, target = torch.randn(50, 3), torch.rand(50, 3) < 0.5
    torch.testing.assert_close(loss(x, target), functional.binary_cross_entropy_with_logits(x, target.float()))


def test_any_criterion() -> None:
    drawn = stratified(2, facts=False)
    rules = parse(drawn, 9)
    weight = torch.rand(9) + 0.5
    criterion = torch.nn.BCEWithLogitsLoss(pos_weight=weight)
    loss = ConstraintLoss(rules, criterion=criterion)
    x, target = torch.randn(30, 9), closed(drawn, 2)
    torch.testing.assert_close(loss(x, target), criterion(loss.select(x, target), target.float()))
    assert "criterion" in dict(loss.named_modules())


def test_targets_of_any_type_and_nothing_but_0_and_1() -> None:
    loss = ConstraintLoss("a -> b")
    x, target = torch.randn(6, 2), torch.tensor([[0, 1], [1, 1]] * 3)
    expected = loss(x, target.bool())
    for dtype in (torch.int64, torch.uint8, torch.float32, torch.float64, torch.bfloat16):
        assert torch.equal(loss(x, target.to(dtype)), expected)
    with pytest.raises(ValueError, match="0 or 1, not 0.5"):
        loss(x, target * 0.5)
    with pytest.raises(ValueError, match=r"shape \(6, 1\), but the logits have \(6, 2\)"):
        loss(x, target[:, :1])


def test_evaluated_by_name() -> None:
    labels = ["a", "b"]
    rules = rb.Rules.parse("a -> b", labels=labels)
    x, target = torch.randn(6, 2), torch.tensor([[False, True], [True, True]] * 3)
    by_name, by_mark = ConstraintLoss(rules, ["b"]), ConstraintLoss(rules, torch.tensor([False, True]))
    assert torch.equal(by_name(x, target), by_mark(x, target))
    with pytest.raises(ValueError, match="no class 'z'"):
        ConstraintLoss(rules, ["z"])
    with pytest.raises(ValueError, match="3 marks for 2 classes"):
        ConstraintLoss(rules, [True, False, True])
    with pytest.raises(ValueError, match="reduction 'max'"):
        ConstraintLoss(rules, reduction="max")  # type: ignore[arg-type]
    nobody = ConstraintLoss(rules, [False, False])
    x.requires_grad_()
    nobody(x, target).backward()
    assert float(nobody(x.detach(), target)) == 0 and not x.grad.any()


def test_broken_rows_are_counted_and_learn_from_themselves() -> None:
    loss = ConstraintLoss(rb.Rules.parse("a -> b", labels=["a", "b"]))
    target = torch.tensor([[1, 0], [1, 1], [0, 0]])
    assert int(loss.count_broken(target)) == 1
    x = torch.tensor([[2.0, -1.0]], requires_grad=True)
    loss(x, target[:1]).backward()
    assert loss.select(x, target[:1])[0, 1] == -1.0 and x.grad[0, 1] > 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_16_bits_have_a_loss_in_32(dtype: torch.dtype) -> None:
    rules = stratified(4)
    loss = ConstraintLoss(parse(rules, 9))
    x, target = torch.randn(30, 9).to(dtype).requires_grad_(), closed(rules, 4)
    value = loss(x, target)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, loss(x.detach().float(), target))
    value.backward()
    assert x.grad.dtype == dtype and x.grad.any()


def test_extreme_logits_and_empty_batches() -> None:
    loss = ConstraintLoss("a -> b")
    x = torch.tensor([[1e30, -1e30], [float("inf"), 3e38]], requires_grad=True)
    value = loss(x, torch.tensor([[1, 1], [1, 1]]))
    value.backward()
    assert bool(value.isfinite()) and bool(x.grad.isfinite().all())
    empty = torch.empty(0, 2, requires_grad=True)
    loss(empty, torch.empty(0, 2)).backward()
    assert empty.grad.shape == (0, 2)
    with pytest.raises(rb.ScoreError, match="row 0"):
        loss(torch.tensor([[float("nan"), 0.0]]), torch.tensor([[0, 0]]))


def test_training_with_it_lowers_it() -> None:
    rules = stratified(8)
    target = closed(rules, 8, 200)
    torch.manual_seed(0)
    inputs = torch.cat([target.float(), torch.randn(200, 3)], 1)
    network, loss = torch.nn.Linear(12, 9), ConstraintLoss(parse(rules, 9))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.1)
    values = []
    for _ in range(60):
        optimizer.zero_grad()
        value = loss(network(inputs), target)
        value.backward()
        optimizer.step()
        values.append(float(value))
    assert values[-1] < 0.2 * values[0]

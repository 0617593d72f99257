"""Which output of a network is which class, and thresholds by name."""

import pandas
import pytest
import torch

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss

RULES = rb.Rules.parse("cat -> animal")


def test_rules_follow_the_order_of_the_network() -> None:
    x = torch.tensor([[-1.0, 0.5, 2.0]])
    layer = ConstraintLayer(RULES, labels=["animal", "plant", "cat"])
    assert layer.labels == ("animal", "plant", "cat")
    assert layer(x).tolist() == [[2.0, 0.5, 2.0]]
    loss = ConstraintLoss(RULES, labels=["animal", "cat"])
    straight = ConstraintLoss(RULES)
    logits, target = torch.tensor([[0.3, -0.7]]), torch.tensor([[1, 0]])
    assert loss(logits, target) == straight(logits.flip(1), target.flip(1))
    with pytest.raises(rb.RuleError, match="the rules are about `animal`, which is not among the 1 classes"):
        ConstraintLayer(RULES, labels=["cat"])


def test_thresholds_are_taken_by_name() -> None:
    named = {"animal": 0.9, "cat": 0.2}
    x = torch.randn(20, 2)
    expected = ConstraintLayer(RULES, thresholds=[0.2, 0.9])(x)
    for given in (named, pandas.Series(named), pandas.Series(named)[["cat", "animal"]]):
        assert torch.equal(ConstraintLayer(RULES, thresholds=given)(x), expected)
    some = ConstraintLayer(RULES, thresholds={"animal": 0.9})
    assert some.shift.values == (0.5, 0.9)
    with pytest.raises(KeyError, match="`dog` is not one of the 2 classes"):
        ConstraintLayer(RULES, thresholds={"dog": 0.9})


def test_labels_that_are_not_known_have_no_term() -> None:
    rules = rb.Rules.parse("a -> b\nb, not c -> d")
    torch.manual_seed(0)
    logits = torch.randn(40, 4, dtype=torch.float64, requires_grad=True)
    target = torch.tensor(rules.close(torch.randint(0, 2, (40, 4)).numpy())).double()
    unknown = torch.rand(40, 4) < 0.3
    holes = target.masked_fill(unknown, float("nan"))
    zeros = target.masked_fill(unknown, 0.0)
    each = ConstraintLoss(rules, reduction="none")
    expected = each(logits, zeros)[~unknown].mean()
    (slopes,) = torch.autograd.grad(expected, logits)
    loss = ConstraintLoss(rules)
    for found in (loss(logits, holes), loss(logits, target, mask=~unknown), loss(logits, holes, mask=~unknown)):
        assert torch.allclose(found, expected, rtol=1e-12)
        assert torch.allclose(torch.autograd.grad(found, logits)[0], slopes, rtol=1e-12)
    assert torch.equal(each(logits, holes), each(logits, zeros).masked_fill(unknown, 0.0))
    assert torch.equal(loss.select(logits, holes), loss.select(logits, zeros))
    assert ConstraintLoss(rules, reduction="sum")(logits, holes) == each(logits, holes).sum()
    some = ConstraintLoss(rules, evaluated=["a", "d"])
    chosen = torch.tensor([True, False, False, True])
    assert torch.allclose(some(logits, holes), each(logits, zeros)[~unknown & chosen].mean(), rtol=1e-12)
    weighted = ConstraintLoss(rules, criterion=torch.nn.BCEWithLogitsLoss())
    assert torch.allclose(weighted(logits, holes), expected, rtol=1e-12)
    # A rule is broken only by what is known.
    broken = torch.tensor([[1.0, float("nan"), 1.0, 1.0], [1.0, 0.0, float("nan"), 0.0]])
    assert int(loss.count_broken(broken)) == 1
    assert loss(logits[:2], broken.double()).isfinite()
    with pytest.raises(ValueError, match="a target must be 0 or 1, not 0.5"):
        loss(logits[:1], torch.tensor([[0.5, float("nan"), 0, 0]]))
    with pytest.raises(ValueError, match="the mask is true where a label is known: bool"):
        loss(logits, target, mask=torch.ones(40, 4))
    nothing = torch.full((2, 4), float("nan"))
    assert loss(logits[:2], nothing) == 0.0


def test_a_target_that_nobody_looks_at_spoils_the_loss_and_no_weight() -> None:
    """As on a GPU: what is compiled does not wait for a look at the target."""
    loss = ConstraintLoss(RULES)
    compiled = torch.compile(loss, backend="eager", fullgraph=True)
    logits, target = torch.zeros(1, 2), torch.tensor([[float("nan"), 1.0]])
    assert compiled(logits, target).isnan()
    known = compiled(logits, target, ~target.isnan())
    assert torch.allclose(known, loss(logits, target))


def test_a_score_that_is_none_is_named_by_its_place() -> None:
    x = torch.zeros(4, 6, 2)
    x[2, 3, 1] = float("nan")
    with pytest.raises(rb.ScoreError, match=r"row \[2, 3\]: ") as told:
        ConstraintLayer(RULES)(x)
    assert (told.value.row, told.value.label) == (15, "animal")

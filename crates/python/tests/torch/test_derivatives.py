"""Derivatives of every order and in every mode, against finite differences."""

from collections.abc import Callable

import pytest
import torch
from programs import apart, parse, stratified
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from rulebound.torch import ConstraintLayer, ConstraintLoss
from rulebound.torch.selection import is_transformed

TEXTS = [
    "a -> b\nb -> c",
    "a -> b\nb, not c -> d\nd -> e\ne -> d",
    "a, b -> c\nnot c -> d\n-> e\ne, d -> f",
]


def functions(text: str) -> list[tuple[str, Callable[[Tensor], Tensor], Tensor]]:
    """What is differentiated, and where."""
    layer, loss = ConstraintLayer(text), ConstraintLoss(text)
    classes = layer.classes
    x = apart(3, classes, 1)
    target = layer(x.roll(1, 0)) > 0
    broken = torch.rand(3, classes, generator=torch.Generator().manual_seed(0)) < 0.5
    each = ConstraintLoss(text, reduction="none")
    some = ConstraintLoss(text, evaluated=[label % 2 == 0 for label in range(classes)])
    probabilities = ConstraintLayer(text, kind="probabilities")
    shifted = ConstraintLayer(text, [0.3 + 0.05 * label for label in range(classes)])
    finite = ~layer(x).isinf().any(0)
    return [
        ("layer", lambda x: layer(x)[:, finite], x),
        ("probabilities", lambda x: probabilities(x), torch.rand(3, classes).double()),
        ("thresholds", lambda x: shifted(x)[:, finite], x),
        ("loss", lambda x: loss(x / 9, target), x),
        ("loss of broken rows", lambda x: loss(x / 9, broken), x),
        ("some classes", lambda x: some(x / 9, target), x),
        ("selection", lambda x: loss.select(x, target)[:, finite], x),
        ("each term", lambda x: each(x / 9, target)[:, finite], x),
    ]


CASES = [(text, name) for text in TEXTS for name, _, _ in functions(text)]


@pytest.mark.parametrize(("text", "name"), CASES)
def test_derivatives(text: str, name: str) -> None:
    function, x = next((act, x) for other, act, x in functions(text) if other == name)
    x = x.clone().requires_grad_()
    assert gradcheck(
        function, (x,), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True
    )
    assert gradgradcheck(lambda x: torch.tanh(function(x)), (x,))
    assert gradgradcheck(lambda x: torch.tanh(function(x)), (x,), check_fwd_over_rev=True)


def test_the_gradient_at_zero_survives() -> None:
    for text in ("a -> b", "not b -> a"):
        layer = ConstraintLayer(text)
        x = torch.zeros(2, dtype=torch.float64)
        slopes = torch.autograd.functional.jacobian(layer, x)
        assert slopes.abs().sum(1).tolist() == [1.0, 1.0]
        assert torch.equal(torch.func.jacrev(layer)(x), slopes) and torch.equal(torch.func.jacfwd(layer)(x), slopes)


def test_ties_go_to_the_class_itself() -> None:
    x = torch.tensor([1.0, 1.0], requires_grad=True)
    ConstraintLayer("a -> b")(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_every_transform_agrees_with_backward() -> None:
    rules = parse(stratified(11, facts=False), 9)
    layer, loss = ConstraintLayer(rules), ConstraintLoss(rules)
    x = apart(6, 9, 3)
    target = layer(x.roll(1, 0)) > 0
    weights = torch.randn(6, 9, dtype=torch.float64)
    for scalar in (lambda x: (layer(x) * weights).sum(), lambda x: loss(x / 9, target)):
        y = x.clone().requires_grad_()
        (expected,) = torch.autograd.grad(scalar(y), y)
        torch.testing.assert_close(torch.func.grad(scalar)(x), expected)
        torch.testing.assert_close(torch.func.jacfwd(scalar)(x), expected)
        torch.testing.assert_close(torch.func.jacrev(scalar)(x), expected)
    per_row = torch.func.vmap(torch.func.grad(lambda x, t: loss(x / 9, t)))(x, target)
    for row in range(6):
        torch.testing.assert_close(per_row[row], torch.func.grad(lambda x: loss(x / 9, target[row]))(x[row]))  # noqa: B023
    hessian = torch.func.hessian(lambda x: loss(x, target[0]))(x[0] / 9)
    slow = torch.autograd.functional.hessian(lambda x: loss(x, target[0]), x[0] / 9)
    torch.testing.assert_close(hessian, slow)


def test_vmap_is_the_batch() -> None:
    layer = ConstraintLayer("a -> b\nb, not c -> d", kind="probabilities")
    x = torch.rand(5, 6, 4)
    assert torch.equal(torch.func.vmap(layer)(x), layer(x))
    assert torch.equal(torch.func.vmap(layer, in_dims=1, out_dims=1)(x), layer(x))
    assert torch.equal(torch.func.vmap(torch.func.vmap(layer))(x), layer(x))


def test_transforms_are_noticed() -> None:
    """By names that PyTorch does not document: this is where we hear of it if they go."""
    assert hasattr(torch._C, "_len_torch_dispatch_stack") and hasattr(torch._C, "_has_storage")
    assert hasattr(torch._C, "_are_functorch_transforms_active")
    assert hasattr(torch.autograd.forward_ad, "_current_level")
    assert not is_transformed()
    seen = []
    torch.func.grad(lambda x: (seen.append(is_transformed()), x.sum())[1])(torch.zeros(2))
    with torch.autograd.forward_ad.dual_level():
        seen.append(is_transformed())
    assert seen == [True, True] and not is_transformed()


def test_gradients_are_accumulated_in_the_order_of_the_classes() -> None:
    """The same bits in every run, and on every device."""
    layer = ConstraintLayer("\n".join(f"deep -> c{at}" for at in range(40)))
    x = torch.full((41,), -1.0)
    x[list(layer.rules.labels).index("deep")] = 1.0
    x.requires_grad_()
    outer = torch.randn(41, generator=torch.Generator().manual_seed(0)) * 1e4
    layer(x).backward(outer)
    expected = torch.tensor(0.0)
    for value in outer:
        expected = expected + value
    assert x.grad[layer.delegates(x)[0] >> 1] == expected

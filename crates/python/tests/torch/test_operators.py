"""The operators as PyTorch's own checks see them."""

import pytest
import torch
from programs import parse, stratified

import rulebound as rb
from rulebound import _native
from rulebound.torch import ConstraintLayer, cuda, operators
from rulebound.torch.packed import pack

INPUTS = {
    "rows": lambda: torch.randn(5, 9),
    "strided": lambda: torch.randn(9, 5).T,
    "empty": lambda: torch.randn(0, 9),
    "one": lambda: torch.randn(9),
    "deep": lambda: torch.randn(2, 3, 9),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("dtype", operators.NUMBERS)
def test_opcheck(dtype: torch.dtype, name: str) -> None:
    layer = ConstraintLayer(parse(stratified(1), 9))
    rules = (layer.packed, layer.key)
    x = INPUTS[name]().to(dtype)
    ops = torch.ops.rulebound
    delegates = ops.layer(x, *rules, False)[1]
    evaluated = torch.arange(9) % 2 == 0
    for op, arguments in (
        (ops.layer, (x, *rules, False)),
        (ops.layer, (x.sigmoid(), *rules, True)),
        (ops.scatter, (delegates, x)),
        (ops.select, (x, x > 0, *rules)),
        (ops.loss, (x, x > 0, *rules, None, True)),
        (ops.loss, (x, x > 0, *rules, evaluated, False)),
    ):
        assert set(torch.library.opcheck(op.default, arguments).values()) == {"SUCCESS"}


def test_other_devices_go_by_way_of_the_cpu() -> None:
    layer = ConstraintLayer(parse(stratified(1), 9))
    rules = (layer.packed, layer.key)
    x = torch.randn(5, 9)
    delegates = operators._layer_elsewhere(x, *rules, False)[1]
    for elsewhere, here, arguments in (
        (operators._layer_elsewhere, operators.layer_cpu, (x, *rules, False)),
        (operators._select_elsewhere, operators._select_cpu, (x, x > 0, *rules)),
        (operators._loss_elsewhere, operators._loss_cpu, (x, x > 0, *rules, x[0] > 0, True)),
    ):
        for ours, expected in zip(elsewhere(*arguments), here(*arguments), strict=True):
            assert torch.equal(ours, expected)
    assert torch.equal(operators._scatter_elsewhere(delegates, x), operators.scatter_cpu(delegates, x))


def test_hostile_arguments_are_errors() -> None:
    layer = ConstraintLayer("a -> b")
    x = torch.zeros(3, 2)
    ops = torch.ops.rulebound
    with pytest.raises(ValueError, match="not one of the classes"):
        ops.scatter(torch.full((3, 2), 1000, dtype=torch.int32), x)
    with pytest.raises(TypeError, match="must be bool"):
        ops.select(x, x, layer.packed, layer.key)
    with pytest.raises(ValueError, match="shape"):
        ops.loss(x, x[:1] > 0, layer.packed, layer.key, None, True)


def test_vmap_of_the_operators_is_their_batch() -> None:
    layer = ConstraintLayer("a -> b\nb, not c -> d")
    rules = (layer.packed, layer.key)
    x = torch.randn(5, 6, 4)
    ops, vmap = torch.ops.rulebound, torch.func.vmap
    for ours, expected in zip(
        vmap(lambda x: ops.layer(x, *rules, False), in_dims=1)(x), ops.layer(x, *rules, False), strict=True
    ):
        assert torch.equal(ours.movedim(0, 1), expected)
    target = x[:, 0] > 0
    losses, _, broken = vmap(lambda x: ops.loss(x, target, *rules, None, True), in_dims=1)(x)
    for at in range(6):
        expected = ops.loss(x[:, at], target, *rules, None, True)
        assert torch.equal(losses[at], expected[0]) and torch.equal(broken[at], expected[2])
    with pytest.raises(ValueError, match="vmap over the rules"):
        vmap(lambda rules: ops.layer(x, rules, layer.key, False))(layer.packed.expand(2, -1))


@pytest.mark.parametrize("kind", ["logits", "probabilities"])
@pytest.mark.parametrize("dtype", operators.NUMBERS)
def test_values_are_the_same_with_and_without_a_gradient(dtype: torch.dtype, kind: str) -> None:
    layer = ConstraintLayer(parse(stratified(1), 9), kind=kind)  # type: ignore[arg-type]
    x = torch.rand(40, 9).to(dtype)
    alone = layer(x)
    expected, _ = torch.ops.rulebound.layer(x, layer.packed, layer.key, kind == "probabilities")
    assert torch.equal(alone, expected)
    assert torch.equal(layer(x.clone().requires_grad_()), expected)
    assert torch.equal(torch.func.vmap(layer)(x), expected)


def test_rules_on_a_gpu_are_read_from_it_when_they_are_not_known() -> None:
    layer = ConstraintLayer("a_class -> that_no_other_test_has")
    packed, key = pack(rb.Rules.parse("another_class -> that_no_other_test_has"))
    calls = []

    def act() -> int:
        calls.append(None)
        return _native.tensor_cuda_scratch(99, 1, 2, key)[0]

    with pytest.raises(KeyError):
        act()
    # There is no GPU with this number, and none at all on most machines: then the rules were found.
    with pytest.raises(RuntimeError, match="device 99|driver"):
        cuda._knowing(packed, key, act)
    assert len(calls) == 3
    with pytest.raises(ValueError, match="changed"):
        cuda._knowing(layer.packed, key - 1, lambda: _native.tensor_cuda_scratch(99, 1, 2, key - 1))

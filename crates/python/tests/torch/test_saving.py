"""Files, copies and other processes."""

import copy
import pathlib
import pickle
import subprocess
import sys

import pytest
import torch
from programs import parse, stratified
from safetensors.torch import load_model, save_model

from rulebound.torch import ConstraintLayer, ConstraintLoss


class Network(torch.nn.Module):
    def __init__(self, seed: int = 1, kind: str = "logits") -> None:
        super().__init__()
        rules = parse(stratified(seed), 9)
        self.linear = torch.nn.Linear(4, 9)
        self.layer = ConstraintLayer(rules, kind=kind)  # type: ignore[arg-type]
        self.loss = ConstraintLoss(rules, evaluated=[True] * 8 + [False])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.linear(x))


LOAD = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from test_saving import Network
from safetensors.torch import load_model
folder = sys.argv[2]
x, target, y, value = torch.load(f"{folder}/expected.pt")
def check(network, how):
    assert torch.equal(network(x), y), how
    assert torch.equal(network.loss(network.linear(x), target), value), how
network = Network()
network.load_state_dict(torch.load(f"{folder}/state.pt", weights_only=True))
check(network, "state_dict")
network = Network()
load_model(network, f"{folder}/network.safetensors")
check(network, "safetensors")
check(torch.load(f"{folder}/whole.pt", weights_only=False), "pickle")
print("equal")
"""


def test_files_are_loaded_in_a_new_process(tmp_path: pathlib.Path) -> None:
    network = Network()
    x, target = torch.randn(20, 4), torch.rand(20, 9) < 0.5
    expected = (x, target, network(x).detach(), network.loss(network.linear(x), target).detach())
    torch.save(expected, tmp_path / "expected.pt")
    torch.save(network.state_dict(), tmp_path / "state.pt")
    torch.save(network, tmp_path / "whole.pt")
    save_model(network, str(tmp_path / "network.safetensors"))
    command = [sys.executable, "-c", LOAD, str(pathlib.Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "equal", done.stderr


def test_other_rules_are_a_clear_error(tmp_path: pathlib.Path) -> None:
    one, other = Network(1), Network(2)
    with pytest.raises(RuntimeError, match="the state of layer has other rules than this ConstraintLayer"):
        other.load_state_dict(one.state_dict())
    with pytest.raises(RuntimeError, match="the state of loss has other rules than this ConstraintLoss"):
        other.load_state_dict(one.state_dict())
    save_model(one, str(tmp_path / "one.safetensors"))
    with pytest.raises(RuntimeError, match="other rules"):
        load_model(other, str(tmp_path / "one.safetensors"))
    assert other.layer.rules == parse(stratified(2), 9)
    weights = {name: tensor for name, tensor in one.state_dict().items() if name.startswith("linear")}
    other.load_state_dict(weights, strict=False)
    assert torch.equal(other.linear.weight, one.linear.weight)


def test_other_thresholds_are_a_clear_error() -> None:
    rules = "cat -> animal"
    half, fifth = ConstraintLayer(rules), ConstraintLayer(rules, thresholds=0.2)
    with pytest.raises(RuntimeError, match="other thresholds than this ConstraintLayer .`cat` 0.2 there and 0.5 here"):
        half.load_state_dict(fifth.state_dict())
    with pytest.raises(RuntimeError, match="other thresholds"):
        fifth.load_state_dict(half.state_dict())
    each = ConstraintLayer(rules, thresholds=[0.2, 0.2])
    each.load_state_dict(fifth.state_dict())
    # A cast of the module does not touch them.
    fifth.half().double().load_state_dict(each.state_dict())
    assert fifth.levels.dtype == torch.int64
    with pytest.raises(RuntimeError, match="Missing key"):
        half.load_state_dict({"packed": half.packed})


def test_copies() -> None:
    network, x = Network(kind="margins"), torch.randn(6, 4)
    for copied in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        assert torch.equal(copied(x), network(x))
        assert copied.layer.kind == "margins" and copied.layer.rules == network.layer.rules


def test_casts_do_not_touch_the_rules() -> None:
    network = Network().to(torch.bfloat16)
    assert network.layer.packed.dtype == torch.int32
    assert network(torch.randn(6, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16
    assert network.double()(torch.randn(6, 4).double()).dtype == torch.float64


def test_autocast_leaves_the_layer_alone_and_the_loss_is_float32() -> None:
    network, x = Network(), torch.randn(6, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = network(x)
        value = network.loss(network.linear(x), torch.rand(6, 9) < 0.5)
    assert y.dtype == torch.bfloat16 and value.dtype == torch.float32
    value.backward()
    assert network.linear.weight.grad.dtype == torch.float32


def test_many_sets_of_rules() -> None:
    """More than are kept: an older one is compiled again."""
    layers = [ConstraintLayer(f"a{at} -> b") for at in range(150)]
    x = torch.tensor([2.0, 1.0])
    for layer in layers + layers[:3]:
        assert layer(x).tolist() == [2.0, 2.0]

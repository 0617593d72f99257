"""Compilers and exporters."""

import pathlib
import subprocess
import sys

import pytest
import torch
from programs import parse, stratified

from rulebound.torch import ConstraintLayer, ConstraintLoss

BACKENDS = ["eager", "aot_eager", "inductor"]
LAYERS = [("inductor", "logits", 0.5), ("inductor", "probabilities", 0.3)]
LAYERS += [("aot_eager", kind, at) for kind in ("logits", "probabilities") for at in (0.5, 0.3)]


@pytest.mark.parametrize(("backend", "kind", "thresholds"), LAYERS)
def test_compiled_layer(backend: str, kind: str, thresholds: float) -> None:
    torch.compiler.reset()
    layer = ConstraintLayer(parse(stratified(1), 9), thresholds, kind)  # type: ignore[arg-type]
    network = torch.nn.Sequential(torch.nn.Linear(4, 9), torch.nn.Sigmoid(), layer)
    compiled = torch.compile(network, backend=backend, fullgraph=True, dynamic=True)
    for rows in (3, 7):
        x = torch.randn(rows, 4)
        network.zero_grad()
        expected = network(x)
        expected.nan_to_num(posinf=0.0).sum().backward()
        gradient = network[0].weight.grad.clone()
        network.zero_grad()
        y = compiled(x)
        y.nan_to_num(posinf=0.0).sum().backward()
        torch.testing.assert_close(y, expected)
        torch.testing.assert_close(network[0].weight.grad, gradient)
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), expected.detach())


@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_loss(backend: str) -> None:
    torch.compiler.reset()
    loss = ConstraintLoss(parse(stratified(1), 9))
    network = torch.nn.Linear(4, 9)

    def step(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return loss(network(x), target)

    compiled = torch.compile(step, backend=backend, fullgraph=True, dynamic=True)
    for rows in (3, 7):
        x, target = torch.randn(rows, 4), torch.rand(rows, 9).round()
        network.zero_grad()
        expected = step(x, target)
        expected.backward()
        gradient = network.weight.grad.clone()
        network.zero_grad()
        value = compiled(x, target)
        value.backward()
        torch.testing.assert_close(value, expected)
        torch.testing.assert_close(network.weight.grad, gradient)


LOAD = """
import sys, torch, rulebound.torch
program = torch.export.load(sys.argv[1])
x, expected = torch.load(sys.argv[2])
assert torch.equal(program.module()(x), expected), "exported program"
print("equal")
"""


@pytest.mark.parametrize("kind", ["logits", "probabilities"])
def test_an_exported_program_runs_in_a_new_process(tmp_path: pathlib.Path, kind: str) -> None:
    layer = ConstraintLayer(parse(stratified(1), 9), kind=kind)  # type: ignore[arg-type]
    network = torch.nn.Sequential(torch.nn.Linear(4, 9), torch.nn.Sigmoid(), layer)
    rows = torch.export.Dim("rows", min=2, max=1000)
    # Older versions are strict unless told otherwise, and fail inside of PyTorch.
    program = torch.export.export(network, (torch.randn(5, 4),), dynamic_shapes=({0: rows},), strict=False)
    assert any("rulebound.layer" in str(node.target) for node in program.graph.nodes)
    torch.export.save(program, tmp_path / "program.pt2")
    x = torch.randn(11, 4)
    torch.save((x, network(x).detach()), tmp_path / "expected.pt")
    command = [sys.executable, "-c", LOAD, str(tmp_path / "program.pt2"), str(tmp_path / "expected.pt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "equal", done.stderr


def test_cross_entropy_of_exported_facts_is_finite() -> None:
    loss = ConstraintLoss("-> a\na -> b", reduction="none")
    value = loss(torch.tensor([[-3.0, 1.0]]), torch.tensor([[1, 1]]))
    assert bool(value.isfinite().all())

"""HMCN-F and HMCN-R against PyTorch: from equal weights, steps over all rows lead to equal weights."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import rulebound as rb

UNITS, ROWS, RATE, PENALTY, SHARE = 6, 50, 0.01, 0.1, 0.5
RULES = rb.Rules.parse("b -> a\nc -> a\nd -> b\ne -> b\ne -> c\nf -> d", labels=list("abcdef"))
LEVELS = [[0], [1, 2], [3, 4], [5]]
CHILDREN, PARENTS = [1, 2, 3, 4, 4, 5], [0, 0, 1, 1, 2, 3]


def data() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    features = draw.normal(size=(ROWS, 4))
    return features, RULES.close(draw.random((ROWS, 6)) < 0.2)


def trained(method: str, **settings: float) -> dict[str, torch.Tensor]:
    """The weights of a model after full batches without dropout."""
    common = {"units": UNITS, "batch": ROWS, "dropout": 0.0, "input_dropout": 0.0}
    model = rb.train(data(), rules=RULES, method=method, scaling="none", **common, **settings)
    file = model.to_bytes()
    size = int.from_bytes(file[:8], "little")
    prefix, found = "part.0.level-network.0.", {}
    for name, tensor in json.loads(file[8 : 8 + size]).items():
        if name.startswith(prefix) and tensor["dtype"] == "F32":
            start, end = (8 + size + at for at in tensor["data_offsets"])
            numbers = np.frombuffer(file[start:end], dtype="<f4").reshape(tensor["shape"])
            found[name.removeprefix(prefix)] = torch.tensor(numbers.astype(np.float64))
    return found


def outputs(weights: Mapping[str, torch.Tensor], x: torch.Tensor, recurrent: bool) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Local logits of each level, and global ones, as the paper of HMCN has them."""

    def linear(name: str, inputs: torch.Tensor) -> torch.Tensor:
        return F.linear(inputs, weights[f"{name}.weight"], weights[f"{name}.bias"])

    state, memory = x.new_zeros(len(x), UNITS), x.new_zeros(len(x), UNITS)
    local = []
    for level in range(len(LEVELS)):
        if recurrent:
            forget, enter, leave, candidate = linear("state.0", torch.cat([state, x], 1)).chunk(4, 1)
            memory = forget.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
            state = leave.sigmoid() * memory.tanh()
        else:
            state = linear(f"state.{level}", torch.cat([state, x], 1) if level else x).relu()
        local.append(linear(f"local.{level}", linear(f"transition.{level}", state).relu()))
    return local, linear("global", state)


def loss_of(weights: Mapping[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor, recurrent: bool) -> torch.Tensor:
    local, everything = outputs(weights, x, recurrent)
    loss = F.binary_cross_entropy_with_logits(everything, y)
    mixed = (1 - SHARE) * everything.sigmoid()
    for classes, logits in zip(LEVELS, local):
        loss = loss + F.binary_cross_entropy_with_logits(logits, y[:, classes])
        mixed = mixed.index_add(1, torch.tensor(classes), SHARE * logits.sigmoid())
    return loss + PENALTY * (mixed[:, CHILDREN] - mixed[:, PARENTS]).clamp(min=0).square().mean()


@pytest.mark.parametrize("method", ["hmcn-f", "hmcn-r"])
def test_steps_are_those_of_pytorch(method: str) -> None:
    x, y = (torch.tensor(np.asarray(part, dtype=np.float64)) for part in data())
    # A step of this size changes no weight.
    weights = trained(method, learning_rate=1e-30, epochs=1)
    parameters = {name: nn.Parameter(weight) for name, weight in weights.items()}
    optimizer = torch.optim.Adam(parameters.values(), lr=RATE)
    for _ in range(20):
        optimizer.zero_grad()
        loss_of(parameters, x, y, method == "hmcn-r").backward()
        optimizer.step()
    ours = trained(method, learning_rate=RATE, epochs=20)
    assert ours.keys() == parameters.keys() and len(ours) > 10
    for name, weight in ours.items():
        assert not torch.equal(weight, weights[name]), name
        torch.testing.assert_close(weight, parameters[name].detach(), rtol=1e-3, atol=2e-4, msg=lambda text: f"{name}: {text}")

"""Models as modules of PyTorch."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import rulebound as rb
from rulebound.torch import ConstraintLoss


def imported(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def table(rows: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    x, y = random.normal(size=rows), random.normal(size=rows)
    colour = random.choice(["red", "blue", "green"], rows)
    frame = pd.DataFrame({"x": x, "colour": colour, "y": y})
    frame["warm"] = (colour == "red").astype(int)
    frame["big"] = (x > 0).astype(int)
    frame["any"] = frame["warm"] | frame["big"]
    frame.loc[random.random(rows) < 0.1, "y"] = np.nan
    return frame


def test_a_module_predicts_the_same_and_goes_on_training(tmp_path: Path) -> None:
    labels = ["warm", "big", "any"]
    model = rb.train(table(200, 0), labels=labels, rules=rb.Rules.parse("warm -> any\nbig -> any", labels), hidden=[8, 6], epochs=5, members=2)
    model = model.with_thresholds([0.4, 0.5, 0.7])
    script = model.export_torch(tmp_path / "pets.safetensors")
    module = imported(script)
    loaded = module.load()
    rows = table(60, 1)
    expected = model.predict(rows[["x", "colour", "y"]])
    numbers = torch.tensor(rows[module.COLUMNS].to_numpy(np.float32))
    values = module.CATEGORIES[0]["values"]
    codes = torch.tensor([[values.index(value)] for value in rows["colour"]])
    probabilities, predicted = loaded.predict(numbers, codes)
    assert np.allclose(probabilities, expected.probabilities, atol=1e-5)
    assert np.allclose(loaded.coherent(numbers, codes).detach(), expected.margins, atol=1e-5)
    assert not model.rules.violations(predicted.numpy())

    loss = ConstraintLoss(loaded.layer.rules)
    target = torch.tensor(rows[labels].to_numpy(np.float32))
    optimizer = torch.optim.Adam(loaded.parameters(), lr=0.01)

    def of_members() -> torch.Tensor:
        return torch.stack([loss(one, target) for one in loaded.each(numbers, codes)]).sum()

    before = of_members()
    for _ in range(20):
        optimizer.zero_grad()
        of_members().backward()
        optimizer.step()
    assert of_members() < before


def test_members_are_coherent_before_they_are_averaged(tmp_path: Path) -> None:
    """Where each is coherent, a class that one leaves to the rules is not lost in the mean."""
    labels = ["warm", "big", "any"]
    rules = rb.Rules.parse("warm -> any\nany, not warm -> big", labels)
    model = rb.train(table(200, 0), labels=labels, rules=rules, hidden=[8], epochs=3, members=3)
    module = imported(model.export_torch(tmp_path / "three.safetensors"))
    loaded, rows = module.load(), table(60, 1)
    numbers = torch.tensor(rows[module.COLUMNS].to_numpy(np.float32))
    values = module.CATEGORIES[0]["values"]
    codes = torch.tensor([[values.index(value)] for value in rows["colour"]])
    expected = model.predict(rows[["x", "colour", "y"]])
    assert np.allclose(loaded.coherent(numbers, codes).detach(), expected.margins, atol=1e-5)
    each = [torch.sigmoid(loaded.layer(one)) for one in loaded.each(numbers, codes)]
    assert np.allclose(torch.sigmoid(loaded(numbers, codes)).detach(), torch.stack(each).mean(dim=0).detach(), atol=1e-6)


@pytest.mark.parametrize("members", [1, 2])
def test_requirements_go_with_the_module(tmp_path: Path, members: int) -> None:
    labels = ["warm", "big", "any"]
    rules = rb.Rules.parse("warm -> any\nexclusive(warm, big)", labels)
    model = rb.train(table(200, 0), labels=labels, rules=rules, hidden=[8], epochs=3, members=members)
    module = imported(model.export_torch(tmp_path / f"required{members}.safetensors"))
    rows = table(60, 1)
    numbers = torch.tensor(rows[module.COLUMNS].to_numpy(np.float32))
    values = module.CATEGORIES[0]["values"]
    codes = torch.tensor([[values.index(value)] for value in rows["colour"]])
    expected = model.predict(rows[["x", "colour", "y"]])
    _, predicted = module.load().predict(numbers, codes)
    assert not model.rules.violations(predicted.numpy())
    assert np.array_equal(predicted.numpy(), expected.decisions)


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    labels = ["warm", "big", "any"]
    forest = rb.train(table(100, 0), labels=labels, rules=rb.Rules.parse("warm -> any", labels), method="forest", trees=3)
    with pytest.raises(ValueError, match="only networks"):
        forest.export_torch(tmp_path / "forest.safetensors")
    network = rb.train(table(100, 0), labels=labels, rules=rb.Rules.parse("warm -> any", labels), hidden=[4], epochs=1)
    with pytest.raises(ValueError, match="name of a Python module"):
        network.export_torch(tmp_path / "1-st.safetensors")
    assert not list(tmp_path.iterdir())

"""Writes crates/engine/tests/fixtures/adam.json: twenty steps of Adam as PyTorch takes them.

    benches/peers/.venv/bin/python benches/peers/make_adam_fixture.py

Start, inputs and targets are multiples of 1/64, so float32 and float64 begin from the same numbers.
Weights are row-major [outputs, inputs], as torch.nn.Linear stores them.
"""

import json
import math
import pathlib
import random
import re

import torch

FILE = pathlib.Path(__file__).resolve().parents[2] / "crates/engine/tests/fixtures/adam.json"
SHAPE, ROWS, STEPS = [3, 4, 3, 2], 5, 20
LEARNING_RATE, BETAS, EPSILON = 0.01, (0.9, 0.999), 1e-8
DTYPES = {"float64": torch.float64, "float32": torch.float32}
ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}


def sixty_fourths(dice, count, most):
    return [dice.randint(-most, most) / 64 for _ in range(count)]


def start():
    dice = random.Random(7)
    layers = [{"weight": sixty_fourths(dice, inputs * outputs, 48),
               "bias": sixty_fourths(dice, outputs, 16)}
              for inputs, outputs in zip(SHAPE, SHAPE[1:])]
    inputs = sixty_fourths(dice, ROWS * SHAPE[0], 128)
    targets = [float(dice.random() < 0.5) for _ in range(ROWS * SHAPE[-1])]
    return {"layers": layers, "inputs": inputs, "targets": targets}


def number(value, dtype):
    """As few digits as give the same number back when read in `dtype`."""
    return value if dtype == "float64" else float(f"{value:.9g}")


def case(begin, activation, weight_decay, dtype):
    kind = DTYPES[dtype]

    def tensor(values, *shape):
        return torch.tensor(values, dtype=kind).reshape(shape)

    weights = []
    for (inputs, outputs), layer in zip(zip(SHAPE, SHAPE[1:]), begin["layers"]):
        weights.append((tensor(layer["weight"], outputs, inputs).requires_grad_(),
                        tensor(layer["bias"], outputs).requires_grad_()))
    features, targets = (tensor(begin["inputs"], ROWS, SHAPE[0]),
                         tensor(begin["targets"], ROWS, SHAPE[-1]))
    optimizer = torch.optim.Adam([one for pair in weights for one in pair], lr=LEARNING_RATE,
                                 betas=BETAS, eps=EPSILON, weight_decay=weight_decay,
                                 foreach=False, fused=False)
    losses, first_gradients = [], None
    for _ in range(STEPS):
        optimizer.zero_grad()
        values = features
        for index, (weight, bias) in enumerate(weights):
            values = torch.nn.functional.linear(values, weight, bias)
            if index + 1 < len(weights):
                values = ACTIVATIONS[activation](values)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(values, targets)
        loss.backward()
        losses.append(number(loss.item(), dtype))
        first_gradients = first_gradients or layers(weights, dtype, lambda one: one.grad)
        optimizer.step()
    return {"activation": activation, "weight_decay": weight_decay, "dtype": dtype,
            "loss_before_step": losses, "first_gradients": first_gradients,
            "final_layers": layers(weights, dtype, lambda one: one.detach())}


def layers(weights, dtype, look):
    return [{name: [number(value, dtype) for value in look(one).flatten().tolist()]
             for name, one in zip(("weight", "bias"), pair)} for pair in weights]


def initial_bounds():
    """torch.nn.Linear draws weight and bias uniformly from ±1/sqrt(fan_in)."""
    torch.manual_seed(0)
    found = []
    for fan_in in (77, 500):
        layer = torch.nn.Linear(fan_in, 2000)
        bound = {"fan_in": fan_in, "outputs": 2000, "bound": 1 / math.sqrt(fan_in)}
        for name in ("weight", "bias"):
            values = getattr(layer, name)
            bound[name] = {"least": values.min().item(), "most": values.max().item()}
            assert values.abs().max().item() <= bound["bound"] * (1 + 1e-6)
        found.append(bound)
    return found


def main():
    begin = start()
    document = {
        "about": "Made by benches/peers/make_adam_fixture.py: full-batch steps, no dropout, mean "
                 "binary cross-entropy of the logits over rows and outputs, Adam with L2 decay in "
                 "the gradient. Weights row-major [outputs, inputs].",
        "torch": torch.__version__,
        "shape": SHAPE, "rows": ROWS, "steps": STEPS,
        "learning_rate": LEARNING_RATE, "betas": BETAS, "epsilon": EPSILON,
        "start": begin,
        "cases": [case(begin, activation, weight_decay, dtype) for activation in ACTIVATIONS
                  for weight_decay in (0.0, 0.1) for dtype in DTYPES],
        "linear_initial_bounds": initial_bounds(),
    }
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(compact(json.dumps(document, indent=1)) + "\n")
    print(FILE.name, FILE.stat().st_size, "bytes")


def compact(text):
    """One line per list of numbers."""
    return re.sub(r"\[\s*((?:-?[\d.e+-]+,?\s*)+)\]",
                  lambda found: "[" + ", ".join(found[1].replace(",", " ").split()) + "]", text)


if __name__ == "__main__":
    main()

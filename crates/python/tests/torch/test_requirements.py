"""Requirements: what the layer settles, and that they have no part in the loss."""

import random

import numpy as np
import pytest
import torch
from programs import adversarial, apart, names
from torch.autograd import gradcheck, gradgradcheck

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]

Literal = tuple[int, bool]
"""A class, and whether it is negated."""
Line = tuple[list[Literal], int, int, list[Literal]]
"""Where all of the guard hold, from so many to so many of the members do."""

TEXTS = [
    "exclusive(a, b, c)\na -> d\nd | e",
    "light -> one of(red, amber, green)\nred -> light\nnot (red, moves)\nprefer light",
    "at most 2 of(a, b, c, d)\nat least 1 of(a, d)\n-> not e\nb, not e -> f",
]


def holds(row: np.ndarray, literal: Literal) -> bool:
    return bool(row[literal[0]]) != literal[1]


def broken(lines: list[Line], predicted: np.ndarray) -> int:
    """How many lines the rows of predictions break, from their meaning."""
    count = 0
    for row in predicted:
        for guard, least, most, members in lines:
            if all(holds(row, one) for one in guard):
                count += not least <= sum(holds(row, one) for one in members) <= most
    return count


def drawn(seed: int, classes: int = 8) -> tuple[list[Line], rb.Rules]:
    """Groups and clauses over some classes that something satisfies."""
    draw = random.Random(seed)

    def literals(most: int) -> list[Literal]:
        return [(label, draw.random() < 0.3) for label in draw.sample(range(classes), draw.randint(2, most))]

    def text(literal: Literal) -> str:
        return f"{'not ' if literal[1] else ''}c{literal[0]}"

    while True:
        lines: list[Line] = []
        for _ in range(draw.randint(1, 6)):
            members = literals(5)
            guard = [members.pop()] if draw.random() < 0.3 and len(members) > 2 else []
            most = draw.choice([1, 2, len(members)])
            lines.append((guard, draw.choice([0, 1, 1]), most, members))
        if all(least == 0 and most == len(members) for _, least, most, members in lines):
            continue
        written = [
            f"{text(guard[0]) + ' -> ' if guard else ''}between {least} and {most} of({', '.join(map(text, members))})"
            for guard, least, most, members in lines
        ]
        try:
            return lines, rb.Rules.parse("\n".join(written), labels=names(classes))
        except rb.RuleError:
            continue


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(25))
def test_no_prediction_breaks_a_requirement(seed: int, dtype: torch.dtype) -> None:
    lines, rules = drawn(seed)
    layer = ConstraintLayer(rules)
    x = adversarial(40, 8, dtype, seed)
    y = layer(x)
    assert y.dtype == dtype and y.shape == x.shape
    assert broken(lines, (y > 0).numpy()) == 0 and broken(lines, (x > 0).numpy()) > 0
    assert torch.equal(layer(y) > 0, y > 0)
    p = torch.rand(40, 8, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    near = torch.tensor([0.0, 1.0, 0.5, 0.5 - 2**-26, 0.5 + 2**-24, 0.5 - 2**-12, 1e-40, 5e-324])
    p = torch.where(p < 0.3, near.double()[(p * 1e6).long() % len(near)], p).to(dtype)
    y = ConstraintLayer(rules, kind="probabilities")(p)
    assert y.dtype == dtype and bool(((y >= 0) & (y <= 1)).all())
    assert broken(lines, (y > 0.5).numpy()) == 0


@pytest.mark.parametrize("kind", ["probabilities", "logits"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("seed", range(20))
def test_scores_are_those_of_rules_apply(seed: int, dtype: torch.dtype, kind: str) -> None:
    """Which are those of the command line; with thresholds the decisions, because conversions are rounded elsewhere."""
    lines, rules = drawn(seed)
    draw = torch.Generator().manual_seed(seed)
    x = torch.rand(50, 8, generator=draw, dtype=torch.float64).to(dtype)
    if kind == "logits":
        x = (x - 0.5) * 8
    applied = rules.apply(x.numpy(), kind=kind)
    assert torch.equal(ConstraintLayer(rules, kind=kind)(x), torch.from_numpy(applied))  # type: ignore[arg-type]
    thresholds = [0.1 + 0.1 * label for label in range(8)]
    shifted = ConstraintLayer(rules, thresholds, kind)  # type: ignore[arg-type]
    y = shifted(x)
    applied = rules.apply(x.numpy(), kind=kind, thresholds=thresholds)
    torch.testing.assert_close(y, torch.from_numpy(applied), rtol=1e-4, atol=1e-6)
    limits = shifted.shift.limits(x.double())
    assert broken(lines, (y.double() > limits).numpy()) == 0


def functions(text: str) -> list[tuple[str, object, torch.Tensor]]:
    layer = ConstraintLayer(text)
    classes = layer.classes
    x = apart(3, classes, 1)
    target = layer(x.roll(1, 0)) > 0
    finite = ~layer(x).isinf().any(0)
    loss = ConstraintLoss(text)
    each = ConstraintLoss(text, reduction="none")
    some = ConstraintLoss(text, [label % 2 == 0 for label in range(classes)])
    shifted = ConstraintLayer(text, [0.3 + 0.05 * label for label in range(classes)])
    return [
        ("layer", lambda x: layer(x)[:, finite], x),
        ("probabilities", ConstraintLayer(text, kind="probabilities"), torch.sigmoid(x / 9)),
        ("thresholds", lambda x: shifted(x)[:, finite], x),
        ("loss", lambda x: loss(x / 9, target), x),
        ("loss of broken rows", lambda x: loss(x / 9, ~target), x),
        ("some classes", lambda x: some(x / 9, target), x),
        ("selection", lambda x: loss.select(x, target)[:, finite], x),
        ("each term", lambda x: each(x / 9, target)[:, finite], x),
    ]


@pytest.mark.parametrize(("text", "name"), [(text, name) for text in TEXTS for name, _, _ in functions(text)])
def test_derivatives(text: str, name: str) -> None:
    function, x = next((act, x) for other, act, x in functions(text) if other == name)
    x = x.clone().requires_grad_()
    assert gradcheck(
        function, (x,), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True
    )
    assert gradgradcheck(lambda x: torch.tanh(function(x)), (x,))  # type: ignore[operator]
    assert gradgradcheck(lambda x: torch.tanh(function(x)), (x,), check_fwd_over_rev=True)  # type: ignore[operator]


@pytest.mark.parametrize("text", TEXTS)
def test_transforms_agree(text: str) -> None:
    layer, loss = ConstraintLayer(text), ConstraintLoss(text)
    x = apart(6, layer.classes, 3)
    target = layer(x.roll(1, 0)) > 0
    assert torch.equal(torch.func.vmap(layer)(x), layer(x))
    y = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(y / 9, target), y)
    torch.testing.assert_close(torch.func.grad(lambda x: loss(x / 9, target))(x), expected)
    torch.testing.assert_close(torch.func.jacfwd(lambda x: loss(x / 9, target))(x), expected)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(backend: str) -> None:
    torch.compiler.reset()
    layer, loss = ConstraintLayer(TEXTS[0]), ConstraintLoss(TEXTS[0])
    network = torch.nn.Linear(4, layer.classes)

    def step(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = network(x)
        return loss(logits, target), layer(logits)

    compiled = torch.compile(step, backend=backend, fullgraph=True, dynamic=True)
    for rows in (3, 7):
        x, target = torch.randn(rows, 4), torch.rand(rows, layer.classes) < 0.5
        for got, expected in zip(compiled(x, target), step(x, target), strict=True):
            torch.testing.assert_close(got, expected)


def test_exported() -> None:
    layer = ConstraintLayer(TEXTS[1])
    x = torch.randn(5, layer.classes)
    exported = torch.export.export(layer, (x,), dynamic_shapes=({0: torch.export.Dim("rows")},))
    x = torch.randn(9, layer.classes)
    assert torch.equal(exported.module()(x), layer(x))


def test_they_have_no_part_in_the_loss() -> None:
    logits = torch.tensor([[3.0, 2.0]], requires_grad=True)
    target = torch.tensor([[1, 0]])
    loss = ConstraintLoss("exclusive(red, green)", reduction="sum")
    (slopes,) = torch.autograd.grad(loss(logits, target), logits)
    torch.testing.assert_close(slopes, torch.sigmoid(logits.detach()) - target)
    # Labels are counted by both.
    assert loss.count_broken(torch.tensor([[1, 1], [1, 0], [0, 0]])) == 1
    assert loss.count_broken(torch.tensor([[[1, 1]], [[0, 1]]])) == 1
    both = ConstraintLoss("cat -> animal\nexclusive(cat, dog)", labels=["cat", "animal", "dog"])
    assert both.count_broken(torch.tensor([[1, 0, 1], [1, 0, 0], [1, 1, 1], [1, 1, 0]])) == 3


def test_a_state_and_a_process_keep_them() -> None:
    layer = ConstraintLayer("exclusive(a, b)\nprefer b")
    other = ConstraintLayer("exclusive(a, b)\nprefer b")
    other.load_state_dict(layer.state_dict())
    x = torch.tensor([2.0, 1.0])
    assert other(x).tolist() == [-1.0, 1.0]
    with pytest.raises(RuntimeError, match="other rules"):
        ConstraintLayer("exclusive(a, b)").load_state_dict(layer.state_dict())


def test_a_row_past_the_limit_is_an_error_with_its_number() -> None:
    """Pigeons without holes, pair by pair so that they cannot be counted: that `all` cannot hold is not found
    soon, and no row is guessed."""
    holes, pigeons = range(9), range(10)
    lines = [f"all -> {' | '.join(f'p{p}h{h}' for h in holes)}" for p in pigeons]
    lines += [f"not (p{p}h{h}, p{q}h{h})" for h in holes for p in pigeons for q in range(p)]
    layer = ConstraintLayer(rb.Rules.parse("\n".join(lines), settle_limit=100))
    x = torch.full((2, layer.classes), -1.0)
    assert bool((layer(x[0]) == x[0]).all())
    x[1, list(layer.rules.labels).index("all")] = 5.0
    with pytest.raises(ValueError, match="row 1: the requirements could not be settled within 100 conflicts"):
        layer(x)

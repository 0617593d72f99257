"""The authors' function: written again from the paper, and ours under its name."""

import pytest
import torch
from programs import hierarchy, parse

from rulebound.torch import get_constr_out


def matrix(rules: list[tuple[int, list[tuple[int, bool]]]], classes: int) -> torch.Tensor:
    """A 1 in row A and column B if B is A or a descendant of A."""
    reach = torch.eye(classes, dtype=torch.bool)
    for _ in range(classes):
        for head, ((child, _),) in rules:
            reach[head] |= reach[child]
    return reach.float().unsqueeze(0)


def slow(x: torch.Tensor, R: torch.Tensor) -> torch.Tensor:
    """For each class the largest probability among it and its descendants."""
    x = x.double()
    return (R.double() * x.unsqueeze(1)).max(2).values


@pytest.mark.parametrize("seed", range(20))
def test_equal_in_double_precision(seed: int) -> None:
    rules = hierarchy(seed, 30)
    R = matrix(rules, 30)
    x = torch.rand(16, 30, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    for given in (x, x.float(), torch.where(x < 0.3, 0.0, x), (x * 4).round() / 4):
        assert torch.equal(get_constr_out(given, R), slow(given, R))
        assert torch.equal(get_constr_out(given, R[0]), slow(given, R))
        assert torch.equal(get_constr_out(given, parse(rules, 30)), slow(given, R))


def test_a_changed_matrix_is_noticed() -> None:
    R = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    x = torch.tensor([[0.75, 0.25]])
    assert get_constr_out(x, R).tolist() == [[0.75, 0.75]]
    R[1, 0] = 0.0
    assert get_constr_out(x, R).tolist() == [[0.75, 0.25]]


def test_gradients_go_to_the_class_that_decided() -> None:
    R = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    x = torch.tensor([[0.75, 0.25]], requires_grad=True)
    get_constr_out(x, R).sum().backward()
    assert x.grad.tolist() == [[2.0, 0.0]]

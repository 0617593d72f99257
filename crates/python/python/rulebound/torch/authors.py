"""The constraint layer under the name that the authors' code gave it."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from rulebound.rules import Rules
from rulebound.torch.layer import ConstraintLayer

_layers: Any = WeakTensorKeyDictionary()
"""The layer of each matrix, with the version of the matrix that it was made from."""


def get_constr_out(x: Tensor, R: Tensor | Rules) -> Tensor:
    """Coherent probabilities, as the `get_constr_out` of Coherent Hierarchical Multi-label Classification Networks.

    `R` is the authors' matrix, `[1, classes, classes]` or `[classes, classes]`, with a 1 in row A and column B if B is
    A or a descendant of A; or `Rules`. As there, the result is in double precision.

    >>> import torch
    >>> R = torch.tensor([[1, 0], [1, 1]])
    >>> get_constr_out(torch.tensor([[0.75, 0.25]]), R)
    tensor([[0.7500, 0.7500]], dtype=torch.float64)
    """
    if isinstance(R, Rules):
        return _double(ConstraintLayer(R, kind="probabilities").to(x.device), x)
    version, device = R._version, x.device
    kept = _layers.get(R)
    if kept is None or kept[0] != version or kept[1].packed.device != device:
        matrix = R.detach().cpu().reshape(R.shape[-2], R.shape[-1])
        rules = Rules.from_matrix(matrix.numpy())
        kept = (version, ConstraintLayer(rules, kind="probabilities").to(device))
        _layers[R] = kept
    return _double(kept[1], x)


def _double(layer: ConstraintLayer, x: Tensor) -> Tensor:
    coherent: Tensor = layer(x)
    return coherent.double()

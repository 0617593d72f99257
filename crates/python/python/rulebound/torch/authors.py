"""The constraint layer under the name that the authors' code gave it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from rulebound.rules import Rules
from rulebound.torch.layer import ConstraintLayer

_layers = WeakTensorKeyDictionary()


def get_constr_out(x: Tensor, R: Tensor | Rules) -> Tensor:
    """Coherent probabilities, as the `get_constr_out` of Coherent Hierarchical Multi-label Classification Networks.

    `R` is the authors' matrix, `[1, classes, classes]` or `[classes, classes]`, with a 1 in row A and column B if B is
    A or a descendant of A; or `Rules`. As there, the result is in double precision.

    >>> R = torch.tensor([[1, 0], [1, 1]])
    >>> get_constr_out(torch.tensor([[0.75, 0.25]]), R)
    tensor([[0.7500, 0.7500]], dtype=torch.float64)
    """
    if isinstance(R, Rules):
        return ConstraintLayer(R, kind="probabilities").to(x.device)(x).double()
    version, device = R._version, x.device
    kept = _layers.get(R)
    if kept is None or kept[0] != version or kept[1].packed.device != device:
        matrix = R.detach().cpu().reshape(R.shape[-2], R.shape[-1]) != 0
        kept = (version, ConstraintLayer(Rules.from_matrix(matrix.numpy()), kind="probabilities").to(device))
        _layers[R] = kept
    layer: ConstraintLayer = kept[1]
    return layer(x).double()

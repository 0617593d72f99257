"""Rules inside networks: a layer whose outputs satisfy them, and the loss that trains through it.

>>> import torch
>>> import rulebound as rb
>>> from rulebound.torch import ConstraintLayer
>>> layer = ConstraintLayer(rb.Rules.parse("stomach -> abdomen"))
>>> layer(torch.tensor([1.5, -0.5]))
tensor([1.5000, 1.5000])

Everything works on `[..., classes]`, in `float64`, `float32`, `bfloat16` and `float16`, with autograd of any order,
forward mode, `vmap` and `torch.func`, under `torch.compile` and `torch.export`, on the CPU and on NVIDIA GPUs.
"""

from rulebound.torch.authors import get_constr_out
from rulebound.torch.layer import ConstraintLayer
from rulebound.torch.loss import ConstraintLoss

__all__ = ["ConstraintLayer", "ConstraintLoss", "get_constr_out"]

"""Rules as a tensor, which goes wherever a network goes: to a GPU, into a file, to another process."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from rulebound import _native
from rulebound.class_order import rules_in_order
from rulebound.rules import Rules


def pack(rules: Rules | str, labels: Iterable[str] | None = None) -> tuple[Tensor, int]:
    """The rules as `int32`, and the key by which operators name them; `labels` are the classes of the columns, in order.

    >>> tensor, key = pack("cat -> animal")
    >>> tensor.dtype
    torch.int32
    >>> unpack(tensor, key).labels
    ('cat', 'animal')
    """
    if isinstance(rules, str):
        rules = Rules.parse(rules)
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be rulebound.Rules or a text, not {type(rules).__name__}")
    if labels is not None:
        rules = rules_in_order(rules, labels)
    data, key = _native.tensor_rules(rules._program)
    return torch.frombuffer(bytearray(data), dtype=torch.int32), key


def unpack(tensor: Tensor, key: int) -> Rules:
    """The rules of a tensor."""
    tensor = tensor.cpu().contiguous()
    return Rules(_native.tensor_program(tensor.data_ptr(), tensor.numel(), key))

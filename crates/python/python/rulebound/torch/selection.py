"""Derivatives of what the layer and the loss select.

Every result is the number of one class, or its negation, or a constant: the *delegate* says which. So a derivative is
a gather from the delegates, and its transpose a scatter to them.

Outside of transforms the operators are called inside of an old-style `autograd.Function`, which is the cheapest way
that `torch.compile` understands. Under `torch.func` and forward-mode differentiation, where such a function would lose
tangents, only the delegates come from an operator, and the rest is a gather that PyTorch differentiates itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from rulebound.torch import operators as operators

_layer = torch.ops.rulebound.layer.default
_select = torch.ops.rulebound.select.default
_scatter = torch.ops.rulebound.scatter.default

_transforms_active: Callable[[], bool] | None = getattr(torch._C, "_are_functorch_transforms_active", None)


def is_transformed() -> bool:
    """Whether `torch.func` or forward-mode differentiation is at work; also where PyTorch cannot tell."""
    if torch.compiler.is_compiling():
        return False
    if _transforms_active is None or _transforms_active():
        return True
    return getattr(forward_ad, "_current_level", 0) >= 0


def gather(delegates: Tensor, values: Tensor) -> Tensor:
    """The value of each delegate, negated if it is; 0 for constants."""
    index = (delegates >> 1).clamp(min=0).long()
    sign = (1 - 2 * (delegates & 1)).to(values.dtype)
    return torch.where(delegates < 0, 0, values.gather(-1, index) * sign)


def constants(delegates: Tensor, values: Tensor, true: float, false: float) -> Tensor:
    """The values, with these in the place of constants."""
    replaced = torch.where((delegates & 1) == 0, true, false).to(values.dtype)
    return torch.where(delegates < 0, replaced, values)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, delegates: Tensor, gradient: Tensor) -> Tensor:
        ctx.save_for_backward(delegates)
        result: Tensor = _scatter(delegates, gradient)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:  # type: ignore[override]
        (delegates,) = ctx.saved_tensors
        return None, gather(delegates, gradient)


def scatter(delegates: Tensor, gradient: Tensor) -> Tensor:
    """The gradient with respect to what was given, from that with respect to what was selected."""
    if torch.is_grad_enabled() and gradient.requires_grad:
        return _Scatter.apply(delegates, gradient)  # type: ignore[no-any-return]
    result: Tensor = _scatter(delegates, gradient)
    return result


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Any:
        coherent, delegates = _layer(scores, rules, key, probabilities)
        ctx.save_for_backward(delegates)
        ctx.mark_non_differentiable(delegates)
        ctx.set_materialize_grads(False)
        return coherent, delegates

    @staticmethod
    def backward(ctx: Any, gradient: Tensor | None, _: Any) -> Any:  # type: ignore[override]
        (delegates,) = ctx.saved_tensors
        return None if gradient is None else scatter(delegates, gradient), None, None, None


class _Select(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, target: Tensor, rules: Tensor, key: int) -> Any:
        selected, delegates = _select(logits, target, rules, key)
        ctx.save_for_backward(delegates)
        ctx.mark_non_differentiable(delegates)
        ctx.set_materialize_grads(False)
        return selected, delegates

    @staticmethod
    def backward(ctx: Any, gradient: Tensor | None, _: Any) -> Any:  # type: ignore[override]
        (delegates,) = ctx.saved_tensors
        return None if gradient is None else scatter(delegates, gradient), None, None, None


def constrain(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    """Coherent scores, differentiable, and their delegates."""
    if is_transformed():
        return _constrain_transformed(scores, rules, key, probabilities)
    if scores.requires_grad and torch.is_grad_enabled():
        return _Layer.apply(scores, rules, key, probabilities)  # type: ignore[no-any-return]
    coherent, delegates = _layer(scores, rules, key, probabilities)
    return coherent, delegates


def _constrain_transformed(
    scores: Tensor, rules: Tensor, key: int, probabilities: bool
) -> tuple[Tensor, Tensor]:
    exact, delegates = _layer(scores.detach(), rules, key, probabilities)
    if not probabilities:
        # A margin of 0 is moved below it; written so that its derivative survives.
        tiny = torch.finfo(scores.dtype).tiny
        margins = scores - tiny * (scores == 0).to(scores.dtype)
        infinity = float("inf")
        return constants(delegates, gather(delegates, margins), infinity, -infinity), delegates
    moved = gather(delegates, scores)
    # The complement of a probability is a new number, which the operator has rounded.
    return exact + (moved - moved.detach()), delegates


def select(logits: Tensor, target: Tensor, rules: Tensor, key: int) -> tuple[Tensor, Tensor]:
    """The logits that the loss uses, differentiable, and their delegates."""
    if is_transformed():
        _, delegates = _select(logits.detach(), target, rules, key)
        infinity = float("inf")
        return constants(delegates, gather(delegates, logits), infinity, -infinity), delegates
    if logits.requires_grad and torch.is_grad_enabled():
        return _Select.apply(logits, target, rules, key)  # type: ignore[no-any-return]
    selected, delegates = _select(logits, target, rules, key)
    return selected, delegates

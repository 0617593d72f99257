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

from rulebound.torch import operators

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


_modes: Callable[[], int] | None = getattr(torch._C, "_len_torch_dispatch_stack", None)
_has_storage: Callable[[Tensor], bool] | None = getattr(torch._C, "_has_storage", None)
_is_tracing: Callable[[], bool] = torch.jit.is_tracing  # type: ignore[attr-defined]


def _is_plain(scores: Tensor) -> bool:
    """Whether nobody but the CPU is to hear of an operator, so that it can be called without PyTorch's dispatcher,
    which takes longer than the layer does for a small batch."""
    if torch.compiler.is_compiling():
        return False
    return (
        scores.is_cpu
        and type(scores) is Tensor
        and _modes is not None
        and _modes() == 0
        and _has_storage is not None
        and _has_storage(scores)
        and not _is_tracing()
    )


def gather(delegates: Tensor, values: Tensor) -> Tensor:
    """The value of each delegate, negated if it is; 0 for constants."""
    index = (delegates >> 1).clamp(min=0).long()
    sign = (1 - 2 * (delegates & 1)).to(values.dtype)
    return torch.where(delegates < 0, 0, values.gather(-1, index) * sign)


def constants(delegates: Tensor, values: Tensor) -> Tensor:
    """The values, with the infinite margins of what is constant in their places."""
    infinity = float("inf")
    infinite = torch.where((delegates & 1) == 0, infinity, -infinity).to(values.dtype)
    return torch.where(delegates < 0, infinite, values)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, delegates: Tensor, gradient: Tensor) -> Tensor:
        ctx.save_for_backward(delegates)
        result: Tensor = _scatter(delegates, gradient)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        (delegates,) = ctx.saved_tensors
        return None, gather(delegates, gradient)


def scatter(delegates: Tensor, gradient: Tensor) -> Tensor:
    """The gradient with respect to what was given, from that with respect to what was selected."""
    if torch.is_grad_enabled() and gradient.requires_grad:
        return _Scatter.apply(delegates, gradient)  # type: ignore[no-any-return]
    if _is_plain(gradient):
        return operators.scatter_cpu(delegates, gradient)
    result: Tensor = _scatter(delegates, gradient)
    return result


def _run_layer(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    if _is_plain(scores) and rules.is_cpu:
        return operators.layer_cpu(scores, rules, key, probabilities)
    coherent, delegates = _layer(scores, rules, key, probabilities)
    return coherent, delegates


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Tensor:
        coherent, delegates = _run_layer(scores, rules, key, probabilities)
        ctx.save_for_backward(delegates)
        return coherent

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return scatter(ctx.saved_tensors[0], gradient), None, None, None


class _Select(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, target: Tensor, rules: Tensor, key: int) -> Tensor:
        selected, delegates = _select(logits, target, rules, key)
        ctx.save_for_backward(delegates)
        result: Tensor = selected
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return scatter(ctx.saved_tensors[0], gradient), None, None, None


def decide(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    """Coherent scores without a derivative, and their delegates."""
    coherent, delegates = _layer(scores.detach(), rules, key, probabilities)
    return coherent, delegates


def constrain(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Tensor:
    """Coherent scores, differentiable."""
    if is_transformed():
        return _constrain_transformed(scores, rules, key, probabilities)
    if scores.requires_grad and torch.is_grad_enabled():
        return _Layer.apply(scores, rules, key, probabilities)  # type: ignore[no-any-return]
    if _is_plain(scores) and rules.is_cpu:
        return operators.values_cpu(scores, rules, key, probabilities)
    coherent: Tensor = _layer(scores, rules, key, probabilities)[0]
    return coherent


def _constrain_transformed(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Tensor:
    exact, delegates = decide(scores, rules, key, probabilities)
    if not probabilities:
        # A margin of 0 is moved below it; written so that its derivative survives.
        tiny = torch.finfo(scores.dtype).tiny
        margins = scores - tiny * (scores == 0).to(scores.dtype)
        return constants(delegates, gather(delegates, margins))
    moved = gather(delegates, scores)
    # The complement of a probability is a new number, which the operator has rounded.
    return exact + (moved - moved.detach())


def choose(logits: Tensor, target: Tensor, rules: Tensor, key: int) -> Tensor:
    """The delegates of the logits that the loss uses."""
    delegates: Tensor = _select(logits.detach(), target, rules, key)[1]
    return delegates


def select(logits: Tensor, target: Tensor, rules: Tensor, key: int) -> Tensor:
    """The logits that the loss uses, differentiable."""
    if is_transformed():
        delegates = choose(logits, target, rules, key)
        return constants(delegates, gather(delegates, logits))
    if logits.requires_grad and torch.is_grad_enabled():
        return _Select.apply(logits, target, rules, key)  # type: ignore[no-any-return]
    selected: Tensor = _select(logits, target, rules, key)[0]
    return selected

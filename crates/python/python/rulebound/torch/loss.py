"""The constraint loss as a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from rulebound.rules import Rules
from rulebound.torch.layer import expect_same_rules
from rulebound.torch.operators import wide
from rulebound.torch.packed import pack, unpack
from rulebound.torch.selection import choose, is_transformed, scatter, select

_loss = torch.ops.rulebound.loss.default

Reduction = Literal["mean", "sum", "none"]


class ConstraintLoss(nn.Module):
    """The cross-entropy of what the layer will make of the logits.

    Called with logits `[..., classes]` and a target of 0 and 1 of any type, on the raw logits of a network: never on what
    comes out of the layer. Column `i` is the class `rules.labels[i]`; `labels` says which classes a network has, in its
    order, and the rules follow. For a class that the target affirms, only
    rules with true bodies may raise it; for one that it denies, every true literal is taken for granted. So a network
    learns the class that decides.

    `evaluated` are the classes that have a term of their own, by name or as a mask; the others still take part in the
    rules. `criterion` is any loss of logits and targets, such as `nn.BCEWithLogitsLoss(pos_weight=…)`; it gets the
    selected logits of the evaluated classes, and does its own reduction. 16-bit logits have a loss in `float32`.

    Requirements have no part in it: they are settled by `ConstraintLayer`.

    A label that is NaN, or False in a `mask` of the shape of the target, is not known: its class has no term, the mean is
    over the terms there are, and in the rules it counts as not true, as in the training of the engine. On a GPU, where
    looking for NaN would mean to wait, a target with NaN and without a mask gives a loss that is NaN: give
    `mask=~target.isnan()`. A criterion of one's own gets the selected logits and targets of the known labels, in one
    dimension.

    A target that breaks a rule has no value in the definition: such a class learns from its own logit alone.
    `count_broken` tells how many rows do.

    >>> loss = ConstraintLoss("stomach -> abdomen")
    >>> loss(torch.tensor([[1.0, -1.0]]), torch.tensor([[0, 1]]))
    tensor(1.3133)
    """

    packed: Tensor
    evaluated: Tensor | None

    def __init__(
        self,
        rules: Rules | str,
        evaluated: Sequence[str] | Sequence[bool] | Tensor | None = None,
        reduction: Reduction = "mean",
        criterion: Callable[[Tensor, Tensor], Tensor] | None = None,
        *,
        labels: Iterable[str] | None = None,
    ) -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f'reduction {reduction!r} is not one of "mean", "sum", "none"')
        packed, self.key = pack(rules, labels)
        self.register_buffer("packed", packed)
        self.register_buffer("evaluated", _mask(evaluated, self.rules.labels))
        self.reduction = reduction
        self.criterion = criterion

    @property
    def rules(self) -> Rules:
        """The rules."""
        return unpack(self.packed, self.key)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes of the columns, in order."""
        return self.rules.labels

    def forward(self, logits: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
        """The loss; `mask` is true where a label is known."""
        labels, known = _labels(logits, target, mask)
        if known is not None:
            return self._known_loss(logits, labels, known)
        if self.criterion is None and self.reduction != "none" and not is_transformed():
            is_mean = self.reduction == "mean"
            loss: Tensor = _Loss.apply(logits, labels, self.packed, self.key, self.evaluated, is_mean)
            return _spoiled(loss, target, mask)
        selected = select(logits, labels, self.packed, self.key)
        if self.evaluated is not None:
            selected, labels = selected[..., self.evaluated], labels[..., self.evaluated]
        selected = selected.to(wide(selected.dtype))
        if self.criterion is not None:
            return _spoiled(self.criterion(selected, labels.to(selected.dtype)), target, mask)
        return _spoiled(_entropy(selected, labels, self.reduction), target, mask)

    def _known_loss(self, logits: Tensor, labels: Tensor, known: Tensor) -> Tensor:
        """The loss of the labels that are known."""
        selected = select(logits, labels, self.packed, self.key)
        selected = selected.to(wide(selected.dtype))
        if self.evaluated is not None:
            known = known & self.evaluated
        if self.criterion is not None:
            return self.criterion(selected[known], labels[known].to(selected.dtype))
        # What has no term is replaced before it is used: an infinite logit must not make its gradient NaN.
        terms = _entropy(torch.where(known, selected, 0.0), labels, "none")
        terms = torch.where(known, terms, 0.0)
        if self.reduction == "none":
            return terms if self.evaluated is None else terms[..., self.evaluated]
        return terms.sum() / known.sum().clamp(min=1) if self.reduction == "mean" else terms.sum()

    def select(self, logits: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
        """The logits that the loss uses: of each class that of the class which decides, for any loss of your own; labels
        that are not known have no part in what the others select.

        >>> ConstraintLoss("stomach -> abdomen").select(torch.tensor([1.0, -1.0]), torch.tensor([1, 1]))
        tensor([1., 1.])
        """
        return select(logits, _labels(logits, target, mask)[0], self.packed, self.key)

    def count_broken(self, target: Tensor, mask: Tensor | None = None) -> Tensor:
        """The number of rows whose target breaks a rule or a requirement, as far as its labels are known."""
        logits = torch.zeros(target.shape, device=target.device)
        labels, known = _labels(logits, target, mask)
        rules = self.rules
        if known is not None or rules._program.has_requirements():
            # The operator counts broken rules, of labels that are all known.
            marks = labels.double() if known is None else torch.where(known, labels.double(), float("nan"))
            marks = marks.reshape(-1, target.shape[-1])
            rows = {found["row"] for found in rules.violations(marks.cpu().numpy())}
            return torch.tensor(len(rows), dtype=torch.int64, device=target.device)
        broken: Tensor = _loss(logits, labels, self.packed, self.key, None, True)[2]
        return broken

    def extra_repr(self) -> str:
        return f"{len(self.rules.labels)} classes, reduction={self.reduction!r}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        expect_same_rules(self, state_dict, prefix, rest[-1])
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *rest)


def _mask(evaluated: Any, labels: Sequence[str]) -> Tensor | None:
    if evaluated is None:
        return None
    if isinstance(evaluated, Tensor):
        evaluated = evaluated.tolist()
    evaluated = list(evaluated)
    if evaluated and all(isinstance(name, str) for name in evaluated):
        unknown = [name for name in evaluated if name not in labels]
        if unknown:
            raise ValueError(f"the rules have no class {unknown[0]!r}")
        chosen = set(evaluated)
        return torch.tensor([label in chosen for label in labels])
    if len(evaluated) != len(labels):
        raise ValueError(f"{len(evaluated)} marks for {len(labels)} classes")
    return torch.tensor([bool(mark) for mark in evaluated])


def _labels(logits: Tensor, target: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """The target as truth values, and which of them are known; none if all are. That a target has nothing but 0, 1 and
    NaN is only checked where it costs no wait."""
    if target.shape != logits.shape:
        raise ValueError(
            f"the target has the shape {tuple(target.shape)}, but the logits have {tuple(logits.shape)}"
        )
    if mask is not None:
        if mask.shape != target.shape or mask.dtype != torch.bool:
            raise ValueError(
                f"the mask is true where a label is known: bool of the shape {tuple(target.shape)}, not {mask.dtype} of"
                f" {tuple(mask.shape)}"
            )
        labels = (target != 0) & mask
        if target.dtype.is_floating_point:
            labels, mask = labels & ~target.isnan(), mask & ~target.isnan()
    elif target.dtype == torch.bool:
        return target, None
    else:
        labels = target != 0
    if target.device.type == "cpu" and not torch.compiler.is_compiling() and not is_transformed():
        other = labels & (target != 1)
        if bool(other.any()):
            unknown = target.isnan()
            other = other & ~unknown
            if bool(other.any()):
                value = target[other][0].item()
                raise ValueError(f"a target must be 0 or 1, not {value}; soft labels have no meaning for rules")
            return labels & ~unknown, ~unknown
    return labels, mask


def _spoiled(loss: Tensor, target: Tensor, mask: Tensor | None) -> Tensor:
    """The loss, or NaN where nobody has looked for NaN in the target and there is some."""
    is_looked_for = target.device.type == "cpu" and not torch.compiler.is_compiling() and not is_transformed()
    if mask is not None or is_looked_for or not target.dtype.is_floating_point:
        return loss
    return loss + (target.detach() - target.detach()).sum().to(loss.dtype)


def _entropy(selected: Tensor, truth: Tensor, reduction: str) -> Tensor:
    """The cross-entropy, also of the infinite logits of facts, for which PyTorch's own is NaN."""
    terms = -functional.logsigmoid(torch.where(truth, selected, -selected))
    if reduction == "none":
        return terms
    return terms.sum() / max(terms.numel(), 1) if reduction == "mean" else terms.sum()


class _Loss(torch.autograd.Function):
    """The fused loss, whose gradient is made on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        labels: Tensor,
        rules: Tensor,
        key: int,
        evaluated: Tensor | None,
        mean: bool,
    ) -> Tensor:
        loss, gradient, _ = _loss(logits, labels, rules, key, evaluated, mean)
        ctx.save_for_backward(logits, labels, rules, evaluated, gradient)
        ctx.key, ctx.mean = key, mean
        result: Tensor = loss
        return result

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> Any:
        logits, labels, rules, evaluated, gradient = ctx.saved_tensors
        if torch.is_grad_enabled() and (logits.requires_grad or outer.requires_grad):
            gradient = _slopes(logits, labels, rules, ctx.key, evaluated, ctx.mean)
        return (gradient * outer).to(logits.dtype), None, None, None, None, None


def _slopes(
    logits: Tensor,
    labels: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> Tensor:
    """The gradient of the loss, differentiable itself."""
    delegates = choose(logits, labels, rules, key)
    selected = select(logits, labels, rules, key).to(wide(logits.dtype))
    slopes = torch.sigmoid(selected) - labels.to(selected.dtype)
    if evaluated is not None:
        slopes = slopes * evaluated
    if mean:
        terms = labels.numel() if evaluated is None else evaluated.sum() * (labels.numel() // len(evaluated))
        slopes = slopes / max(terms, 1) if isinstance(terms, int) else slopes / terms.clamp(min=1)
    return scatter(delegates, slopes)

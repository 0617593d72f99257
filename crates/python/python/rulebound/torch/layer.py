"""The constraint layer as a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rulebound.errors import ScoreError
from rulebound.rules import Rules
from rulebound.torch.packed import pack, unpack
from rulebound.torch.selection import constrain, decide
from rulebound.torch.shifted import Shift, constrain_shifted

Kind = Literal["logits", "probabilities", "margins"]


class ConstraintLayer(nn.Module):
    """Makes scores coherent: `[..., classes]` in, the same shape out, and no prediction breaks a rule.

    A class is predicted if its probability is above its threshold. Each score that comes out is that of some class, or
    its negation, or the constant of a fact; gradients go to the score that decided.

    `kind` says what the scores are: `"logits"`, `"probabilities"` in [0, 1], or `"margins"`, which are logits measured
    from the thresholds already. With thresholds other than 0.5, 16-bit scores come out as `float32`.

    Requirements are settled after the rules, by how sure the scores are. That happens on the CPU: with requirements,
    scores on a GPU go there and back.

    NaN is an error on the CPU. On a GPU, where looking for it would mean to wait, its row becomes NaN; with
    `check=True` it is an error there too.

    The rules are a buffer, so they are saved and moved with the module; loading those of other rules is an error.

    >>> layer = ConstraintLayer("stomach -> abdomen", kind="probabilities")
    >>> layer(torch.tensor([[0.9, 0.2], [0.1, 0.3]]))
    tensor([[0.9000, 0.9000],
            [0.1000, 0.3000]])
    >>> ConstraintLayer("exclusive(red, green)")(torch.tensor([1.5, 0.5]))
    tensor([ 1.5000, -1.5000])
    """

    packed: Tensor

    def __init__(
        self,
        rules: Rules | str,
        thresholds: float | Sequence[float] = 0.5,
        kind: Kind = "logits",
        *,
        check: bool = False,
    ) -> None:
        super().__init__()
        if kind not in ("logits", "probabilities", "margins"):
            raise ValueError(f'kind {kind!r} is not one of "logits", "probabilities", "margins"')
        packed, self.key = pack(rules)
        self.register_buffer("packed", packed)
        self.kind = kind
        self.check = check
        self.classes = len(self.rules.labels)
        self.shift = Shift(thresholds, self.classes, kind)
        self.settles = self.rules._program.has_requirements()

    @property
    def rules(self) -> Rules:
        """The rules."""
        return unpack(self.packed, self.key)

    def forward(self, scores: Tensor) -> Tensor:
        """The coherent scores."""
        if self.shift.is_trivial:
            coherent = constrain(scores, self.packed, self.key, self.kind == "probabilities")
        else:
            coherent = constrain_shifted(scores, self.packed, self.key, self.shift, self.settles)
        if self.check and scores.device.type == "cuda":
            _expect_numbers(coherent)
        return coherent

    def delegates(self, scores: Tensor) -> Tensor:
        """Who decided each class, as `int32`: twice the class, plus 1 if it was its negation; negative for a
        fact, and for what never holds.

        >>> ConstraintLayer("stomach -> abdomen").delegates(torch.tensor([1.5, -0.5]))
        tensor([0, 0], dtype=torch.int32)
        """
        if self.shift.is_trivial:
            return decide(scores, self.packed, self.key, self.kind == "probabilities")[1]
        return decide(self.shift.margins(scores.detach().double()), self.packed, self.key, False)[1]

    def extra_repr(self) -> str:
        return f"{self.classes} classes, kind={self.kind!r}{self.shift}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        expect_same_rules(self, state_dict, prefix, rest[-1])
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *rest)


def _expect_numbers(coherent: Tensor) -> None:
    wrong = coherent.isnan()
    if bool(wrong.any()):
        row = int(wrong.reshape(-1, wrong.shape[-1]).any(-1).nonzero()[0])
        raise ScoreError(f"row {row}: a score is not a number, or not a probability", row)


def expect_same_rules(module: Any, state_dict: Any, prefix: str, errors: list[str]) -> None:
    """Rules are part of what a module is, not of what it learned: a state with others does not belong to it."""
    saved = state_dict.get(f"{prefix}packed")
    if isinstance(saved, Tensor) and not (
        saved.shape == module.packed.shape and torch.equal(saved.cpu(), module.packed.cpu())
    ):
        name = type(module).__name__
        errors.append(
            f"the state of {prefix.rstrip('.') or name} has other rules than this {name}: make it from the same rules,"
            " or leave its entries out and load with strict=False"
        )
        state_dict[f"{prefix}packed"] = module.packed

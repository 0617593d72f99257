"""The constraint layer as a module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rulebound.errors import ScoreError
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds
from rulebound.torch.packed import pack, unpack
from rulebound.torch.selection import constrain, decide
from rulebound.torch.shifted import Shift, constrain_shifted

Kind = Literal["logits", "probabilities", "margins"]


class ConstraintLayer(nn.Module):
    """Makes scores coherent: `[..., classes]` in, the same shape out, and no prediction breaks a rule.

    Column `i` of the scores is the class `rules.labels[i]`: say with `labels` which classes a network has, in its order,
    and the rules follow, or are refused where they need a class that it has not.

    A class is predicted if its probability is above its threshold; `thresholds` are one for all, one for each class, or
    by name. Each score that comes out is that of some class, or
    its negation, or the constant of a fact; gradients go to the score that decided.

    `kind` says what the scores are: `"logits"`, `"probabilities"` in [0, 1], or `"margins"`, which are logits measured
    from the thresholds already. With thresholds other than 0.5, 16-bit scores come out as `float32`.

    Requirements are settled after the rules, by how sure the scores are. That happens on the CPU: with requirements,
    scores on a GPU go there and back.

    NaN is an error on the CPU. On a GPU, where looking for it would mean to wait, its row becomes NaN; with
    `check=True` it is an error there too.

    Rules and thresholds are buffers, so they are saved and moved with the module; loading a state with others is an error.

    >>> layer = ConstraintLayer("stomach -> abdomen", kind="probabilities")
    >>> layer(torch.tensor([[0.9, 0.2], [0.1, 0.3]]))
    tensor([[0.9000, 0.9000],
            [0.1000, 0.3000]])
    >>> ConstraintLayer("exclusive(red, green)")(torch.tensor([1.5, 0.5]))
    tensor([ 1.5000, -1.5000])
    """

    packed: Tensor
    levels: Tensor

    def __init__(
        self,
        rules: Rules | str,
        thresholds: Thresholds = 0.5,
        kind: Kind = "logits",
        *,
        labels: Iterable[str] | None = None,
        check: bool = False,
    ) -> None:
        super().__init__()
        if kind not in ("logits", "probabilities", "margins"):
            raise ValueError(f'kind {kind!r} is not one of "logits", "probabilities", "margins"')
        packed, self.key = pack(rules, labels)
        self.register_buffer("packed", packed)
        self.kind = kind
        self.check = check
        unpacked = self.rules
        self.classes = len(unpacked.labels)
        self.shift = Shift(thresholds, unpacked.labels, kind)
        self.register_buffer("levels", self.shift.packed())
        self.settles = unpacked._program.has_requirements()

    @property
    def rules(self) -> Rules:
        """The rules."""
        return unpack(self.packed, self.key)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes of the columns, in order."""
        return self.rules.labels

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
        _expect_same_thresholds(self, state_dict, prefix, rest[-1])
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *rest)


def _expect_numbers(coherent: Tensor) -> None:
    wrong = coherent.isnan()
    if bool(wrong.any()):
        row = int(wrong.reshape(-1, wrong.shape[-1]).any(-1).nonzero()[0])
        raise ScoreError(f"row {row}: a score is not a number, or not a probability", row)


def _expect_same_thresholds(module: Any, state_dict: Any, prefix: str, errors: list[str]) -> None:
    """From where on a class is predicted is part of what a module is, too."""
    name = f"{prefix}levels"
    saved = state_dict.get(name)
    if not isinstance(saved, Tensor):
        return
    there, here = (levels.cpu().view(torch.float64) for levels in (saved, module.levels))
    if there.shape == here.shape and torch.equal(there, here):
        return
    own = type(module).__name__
    labels = module.rules.labels
    if there.numel() in (1, len(labels)):
        pairs = zip(labels, there.expand(len(labels)).tolist(), here.expand(len(labels)).tolist(), strict=True)
        differ = [f"`{label}` {one} there and {other} here" for label, one, other in pairs if one != other]
        text = "; ".join(differ[:3]) + (f", and {len(differ) - 3} more" if len(differ) > 3 else "")
    else:
        text = f"{there.numel()} there and {here.numel()} here"
    errors.append(
        f"the state of {prefix.rstrip('.') or own} has other thresholds than this {own} ({text}): make it with the same"
        " thresholds, or leave its entries out and load with strict=False"
    )
    state_dict[name] = module.levels


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

"""The layer with thresholds other than 0.5.

Scores become margins in double precision, the layer decides on those, and each class takes the score of its delegate:
as it is where both have the same threshold, else moved by the difference of the thresholds. What rounding would move
across a threshold is moved back, so that a class is predicted iff its margin is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from rulebound.thresholds import Thresholds, threshold_list
from rulebound.torch.operators import wide
from rulebound.torch.selection import decide


class Shift:
    """The thresholds of the classes, and what the scores are."""

    def __init__(self, thresholds: Thresholds, labels: Sequence[str], kind: str) -> None:
        values = threshold_list(0.5 if thresholds is None else thresholds, labels) or []
        for value in values:
            if not 0 < value < 1:
                raise ValueError(f"a threshold must be strictly between 0 and 1, not {value}")
        self.kind = kind
        self.is_trivial = all(value == 0.5 for value in values)
        if kind == "margins" and not self.is_trivial:
            raise ValueError(
                "margins are measured from the thresholds already; leave `thresholds` out, or give logits"
            )
        self.values = tuple(values)
        self.logits = tuple(_logit(value) for value in values)

    def packed(self) -> Tensor:
        """The thresholds as bits, which no cast of a module touches: one if all are the same."""
        same = len(set(self.values)) <= 1
        values = torch.tensor(self.values[:1] if same else self.values, dtype=torch.float64)
        return values.view(torch.int64)

    def margins(self, scores: Tensor) -> Tensor:
        """The margins of scores in double precision, on the right side of 0."""
        logits = torch.tensor(self.logits, dtype=torch.float64, device=scores.device)
        if self.kind == "logits":
            return scores - logits
        values = torch.tensor(self.values, dtype=torch.float64, device=scores.device)
        scores = torch.where((scores >= 0) & (scores <= 1), scores, float("nan"))
        complement = torch.where(scores < 0.5, torch.log1p(-scores), torch.log(1 - scores))
        margins = scores.log() - complement - logits
        tiny = torch.finfo(torch.float64).tiny
        margins = torch.where((scores > values) & (margins <= 0), tiny, margins)
        return torch.where((scores <= values) & (margins > 0), -tiny, margins)

    def limits(self, scores: Tensor) -> Tensor:
        """For each score the one above which its class is predicted."""
        values = self.logits if self.kind == "logits" else self.values
        return torch.tensor(values, dtype=torch.float64, device=scores.device).expand_as(scores)

    def __str__(self) -> str:
        if self.is_trivial:
            return ""
        same = len(set(self.values)) == 1
        return f", thresholds={self.values[0] if same else self.values}"


def _logit(p: float) -> float:
    return math.log(p) - (math.log1p(-p) if p < 0.5 else math.log(1 - p))


def constrain_shifted(scores: Tensor, rules: Tensor, key: int, shift: Shift, settles: bool) -> Tensor:
    """Coherent scores, differentiable; `settles` if there are requirements, which lower scores too."""
    if not torch.is_floating_point(scores):
        raise TypeError(f"scores must be floating-point numbers, not {scores.dtype}")
    exact = scores.double()
    coherent, delegates = decide(shift.margins(exact.detach()), rules, key, False)
    source = (delegates >> 1).clamp(min=0).long()
    negated, constant = (delegates & 1) == 1, delegates < 0
    limits, given = shift.limits(exact), exact.gather(-1, source)
    moved = _moved(given, negated, limits.gather(-1, source), limits, shift.kind)
    copied = ~negated & (limits.gather(-1, source) == limits)
    # A converted score is rounded: a class keeps its own if that is not below it.
    own = torch.arange(exact.shape[-1], device=scores.device) * 2 == delegates
    keeps = own if settles else own | (~copied & ~constant & (moved <= exact))
    result = torch.where(keeps, exact, torch.where(copied, given, moved))
    top, bottom = (float("inf"), -float("inf")) if shift.kind == "logits" else (1.0, 0.0)
    result = torch.where(constant, torch.where(negated, bottom, top), result)
    return _on_side(result, coherent > 0, limits, top, wide(scores.dtype))


def _moved(given: Tensor, negated: Tensor, source: Tensor, limits: Tensor, kind: str) -> Tensor:
    """The scores that the delegates have as scores of the classes they decide."""
    sign = torch.where(negated, -1.0, 1.0)
    if kind == "logits":
        return limits + sign * (given - source)
    inside = given.clamp(torch.finfo(torch.float64).tiny, 1 - 2.0**-53)
    moved = torch.sigmoid(limits.logit() + sign * (inside.logit() - source.logit()))
    halves = (source == 0.5) & (limits == 0.5)
    return torch.where(halves, torch.where(negated, 1 - given, given), moved)


def _on_side(result: Tensor, predicted: Tensor, limits: Tensor, top: float, dtype: torch.dtype) -> Tensor:
    """The result in its final type, on the side of the threshold that was decided."""
    narrow = result.to(dtype)
    at = limits.to(dtype)
    infinity = torch.tensor(float("inf"), dtype=dtype, device=result.device)
    above = torch.where(at.double() > limits, at, torch.nextafter(at, infinity)).clamp(max=top)
    below = torch.where(at.double() > limits, torch.nextafter(at, -infinity), at)
    wrong_below = predicted & (narrow.detach().double() <= limits)
    wrong_above = ~predicted & (narrow.detach().double() > limits)
    narrow = torch.where(wrong_below, narrow + (above - narrow).detach(), narrow)
    return torch.where(wrong_above, narrow + (below - narrow).detach(), narrow)

"""Random rules and numbers, and slow, obvious versions of what is tested: written from the definitions, in numpy and
plain Python, without anything of the package but the texts of rules."""

from __future__ import annotations

import random

import numpy as np
import torch

import rulebound as rb

Rule = tuple[int, list[tuple[int, bool]]]
"""A head, and literals: a class, and whether it is negated."""


def names(classes: int) -> list[str]:
    return [f"c{label}" for label in range(classes)]


def text_of(rules: list[Rule]) -> str:
    def literal(label: int, negated: bool) -> str:
        return f"not c{label}" if negated else f"c{label}"

    return "\n".join(f"{', '.join(literal(*part) for part in body)} -> c{head}" for head, body in rules)


def stratified(seed: int, classes: int = 9, count: int = 12, cycles: bool = True, facts: bool = True) -> list[Rule]:
    """Rules whose negation looks at classes with higher numbers only, so that they are stratified unless a cycle
    joins those; then others are drawn."""
    draw = random.Random(seed)
    while True:
        rules: list[Rule] = []
        while len(rules) < count:
            head = draw.randrange(classes)
            if facts and draw.random() < 0.05:
                rules.append((head, []))
                continue
            body = []
            for label in draw.sample(range(classes), draw.choice([1, 1, 2, 3])):
                if label > head and draw.random() < 0.3:
                    body.append((label, True))
                elif label > head or (cycles and label != head):
                    body.append((label, False))
            if body:
                rules.append((head, body))
        try:
            rb.Rules.parse(text_of(rules), labels=names(classes))
        except rb.RuleError:
            continue
        return rules


def parse(rules: list[Rule], classes: int) -> rb.Rules:
    return rb.Rules.parse(text_of(rules), labels=names(classes))


def hierarchy(seed: int, classes: int) -> list[Rule]:
    """Each class but the first has one or two parents with lower numbers."""
    draw = random.Random(seed)
    rules: list[Rule] = []
    for child in range(1, classes):
        for parent in {draw.randrange(child) for _ in range(draw.choice([1, 1, 2]))}:
            rules.append((parent, [(child, False)]))
    return rules


def broken(rules: list[Rule], predicted: np.ndarray) -> int:
    """How many rules the rows of predictions break."""
    count = 0
    for row in predicted:
        for head, body in rules:
            count += all(row[label] != negated for label, negated in body) and not row[head]
    return count


def apart(rows: int, classes: int, seed: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Numbers whose sizes all differ by a half or more, so that no small step changes who decides."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(rows * classes, generator=generator).to(dtype)
    signs = torch.where(torch.rand(rows * classes, generator=generator) < 0.5, -1.0, 1.0).to(dtype)
    return ((order + 0.5) * signs / 2).reshape(rows, classes)


ADVERSARIAL = [0.0, -0.0, 5e-324, -5e-324, 1e-45, 1e-38, -1e-38, 6e-8, -6e-8, 6.1e-5, 1.0, -1.0, 2.0, 65504.0, -65504.0]
ADVERSARIAL += [3e38, -3e38, 1e308, float("inf"), -float("inf")]


def adversarial(rows: int, classes: int, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Critical floats: few values, so that ties are common; values near 0; the extremes."""
    draw = random.Random(seed)
    return torch.tensor([[draw.choice(ADVERSARIAL) for _ in range(classes)] for _ in range(rows)]).to(dtype)

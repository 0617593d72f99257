"""A small problem: animals by weight and fur."""

from typing import Any

import numpy as np

import rulebound as rb

RULES = rb.Rules.parse("cat -> animal\ndog -> animal", labels=["animal", "cat", "dog"])


def arrays(rows: int = 90, seed: int = 0) -> tuple[Any, Any]:
    """Features (weight, fur) and labels in the order of the rules."""
    random = np.random.default_rng(seed)
    kind = np.arange(rows) % 3
    weight = np.choose(kind, [4.0, 25.0, 70.0]) + random.normal(0, 1.5, rows)
    features = np.stack([weight, kind < 2], axis=1)
    return features, np.stack([kind < 2, kind == 0, kind == 1], axis=1).astype(int)


def columns(rows: int = 90, seed: int = 0) -> dict[str, Any]:
    """The same as columns of a frame, with text and an identifier."""
    features, labels = arrays(rows, seed)
    return {
        "name": [f"pet {row}" for row in range(rows)],
        "weight": features[:, 0],
        "fur": ["yes" if fur else "no" for fur in features[:, 1]],
        "animal": labels[:, 0],
        "cat": labels[:, 1],
        "dog": labels[:, 2],
    }

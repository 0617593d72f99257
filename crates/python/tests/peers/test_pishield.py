"""What satisfies requirements here satisfies the same clauses in PiShield's propositional layer, and vice versa."""

import contextlib
import io
import random
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch

import rulebound as rb

# For pictures that are not drawn here.
sys.modules.setdefault("matplotlib", types.ModuleType("matplotlib"))
sys.modules.setdefault("matplotlib.pyplot", types.ModuleType("matplotlib.pyplot"))

from pishield.propositional_requirements import clauses_group  # noqa: E402
from pishield.propositional_requirements.constraints_group import ConstraintsGroup  # noqa: E402
from pishield.propositional_requirements.shield_layer import ShieldLayer  # noqa: E402

CLASSES = 8


def drawn(seed: int) -> list[str]:
    """Clauses as PiShield writes them, mostly exclusions."""
    draw = random.Random(seed)
    lines = []
    for _ in range(draw.randint(3, 14)):
        labels = draw.sample(range(CLASSES), draw.choice([2, 2, 2, 3]))
        lines.append(" or ".join(("not " if draw.random() < 0.6 else "") + f"y_{label}" for label in labels))
    return lines


def theirs(lines: list[str], order: list[int], scores: np.ndarray, folder: Path) -> np.ndarray | None:
    """What PiShield gives; none where its own assertion or error ends it."""
    # Its reader keeps the ends of lines, so the last one has none.
    (folder / "clauses.txt").write_text("\n".join(lines))
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            clauses = clauses_group.ClausesGroup.from_constraints_group(ConstraintsGroup(str(folder / "clauses.txt")))
            layer = ShieldLayer(CLASSES, requirements=clauses.stratify(list(order))).double()
        except (AssertionError, Exception):  # noqa: B014
            return None
        result: np.ndarray = layer(torch.from_numpy(scores)).detach().numpy()
        return result


def parsed(lines: list[str]) -> rb.Rules:
    return rb.Rules.parse("\n".join(lines) + "\n", labels=[f"y{at}" for at in range(CLASSES)], format="pishield")


def test_what_one_makes_coherent_keeps_its_decisions_in_the_other(tmp_path: Path) -> None:
    rows = seed = 0
    while rows < 3000:
        seed += 1
        draw = random.Random(seed)
        lines, order = drawn(seed), draw.sample(range(CLASSES), CLASSES)
        scores = np.random.default_rng(seed).random((50, CLASSES))
        coherent = theirs(lines, order, scores, tmp_path)
        if coherent is None:
            continue
        rules = parsed(lines)
        # Numbers may change: a class that the clauses alone decide is certain here.
        assert np.array_equal(rules.apply(coherent) > 0.5, coherent > 0.5)
        ours = rules.apply(scores)
        again = theirs(lines, order, ours, tmp_path)
        assert again is not None and np.array_equal(again > 0.5, ours > 0.5)
        rows += len(scores)


def test_what_it_cannot_read_is_what_nothing_satisfies_or_leaves_no_free_label(tmp_path: Path) -> None:
    """Its end for a set of clauses is an assertion; ours is an error with the lines that clash, or an answer."""
    lines = ["y_0", "not y_0"]
    assert theirs(lines, list(range(CLASSES)), np.full((1, CLASSES), 0.9), tmp_path) is None
    with pytest.raises(rb.RuleError, match="no prediction satisfies"):
        parsed(lines)

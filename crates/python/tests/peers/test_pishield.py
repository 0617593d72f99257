"""Requirements settled in a fixed order are what PiShield's propositional layer makes of the same clauses."""

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


def ours(lines: list[str], order: list[int], scores: np.ndarray) -> np.ndarray:
    rules = rb.Rules.parse("\n".join(lines) + "\n", labels=[f"y{at}" for at in range(CLASSES)], format="pishield")
    preferred = rb.Rules.parse(
        rules.text() + f"prefer {', '.join(f'y{label}' for label in order)}\n", labels=rules.labels
    )
    result: np.ndarray = preferred.apply(scores, settle="ordered")
    return result


def compare(tmp_path: Path, sets: int) -> tuple[int, int, int]:
    """Rows, those whose values differ, and those whose decisions do."""
    rows = values = decisions = seed = 0
    while rows < 50 * sets:
        seed += 1
        draw = random.Random(seed)
        lines, order = drawn(seed), draw.sample(range(CLASSES), CLASSES)
        scores = np.random.default_rng(seed).random((50, CLASSES))
        expected = theirs(lines, order, scores, tmp_path)
        if expected is None:
            continue
        found = ours(lines, order, scores)
        rows += len(scores)
        values += int((np.abs(found - expected).max(1) > 1e-12).sum())
        decisions += int(((found > 0.5) != (expected > 0.5)).any(1).sum())
    return rows, values, decisions


def test_a_fixed_order_gives_its_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its preprocessing for strong coherency, which splits clauses."""
    monkeypatch.setattr(clauses_group, "strong_coherency_constraint_preprocessing", lambda *_: None)
    assert compare(tmp_path, 60) == (3000, 0, 0)


def test_with_its_preprocessing_decisions_are_the_same(tmp_path: Path) -> None:
    rows, values, decisions = compare(tmp_path, 60)
    assert (rows, decisions) == (3000, 0) and 0 < values < rows


def test_what_it_cannot_read_is_what_nothing_satisfies_or_leaves_no_free_label(tmp_path: Path) -> None:
    """Its end for a set of clauses is an assertion; ours is an error with the lines that clash, or an answer."""
    lines = ["y_0", "not y_0"]
    assert theirs(lines, list(range(CLASSES)), np.full((1, CLASSES), 0.9), tmp_path) is None
    with pytest.raises(rb.RuleError, match="no prediction satisfies"):
        ours(lines, list(range(CLASSES)), np.full((1, CLASSES), 0.9))

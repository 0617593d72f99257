"""A table of scores, and what the command `rulebound apply` makes of it."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

import rulebound as rb

COMMAND = os.environ.get("RULEBOUND_COMMAND", str(Path(__file__).parents[4] / "target" / "debug" / "rulebound"))
ROWS, CLASSES = 3_000, 60


def rule_text(random: np.random.Generator) -> str:
    """Rules over classes `c0`, `c1` …, whose heads come after their bodies: some of them negate."""
    lines = []
    for head in range(1, CLASSES):
        for _ in range(random.integers(0, 3)):
            body = random.choice(head, min(head, int(random.integers(1, 4))), replace=False)
            literals = [f"not c{at}" if random.random() < 0.3 else f"c{at}" for at in body]
            lines.append(f"{', '.join(literals)} -> c{head}")
    return "\n".join(lines)


def run_command(*arguments: Any) -> str:
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@dataclass(frozen=True)
class Scene:
    """Scores of some rows, rules, and coherent scores by the command line."""

    rules: rb.Rules
    scores: NDArray[Any]
    coherent: NDArray[Any]
    kind: str

    def lists(self) -> Any:
        """A list column, between others."""
        column = pyarrow.FixedSizeListArray.from_arrays(self.scores.reshape(-1), CLASSES)
        number = pyarrow.from_numpy_dtype(self.scores.dtype)
        return pyarrow.table(
            {"id": range(ROWS), "scores": column.cast(pyarrow.list_(number)), "text": [f"row {at}" for at in range(ROWS)]}
        )

    def columns(self) -> Any:
        """One column per class, in another order than that of the rules."""
        columns = {f"c{at}": self.scores[:, at] for at in reversed(range(CLASSES))}
        return pyarrow.table({"id": range(ROWS), **columns})


def evaluated(scene: Scene, truth: NDArray[Any], folder: Path, labels_in_metrics: str) -> dict[str, Any]:
    """What `rulebound evaluate` says of the scores of a scene, before rules are applied."""
    names = list(scene.rules.labels)
    for name, values in (("scores", scene.scores), ("truth", truth)):
        columns = {label: values[:, at] for at, label in enumerate(names)}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{name}.parquet")
    scene.rules.save(folder / "rules")
    text = run_command(
        "evaluate", "--scores", folder / "scores.parquet", "--truth", folder / "truth.parquet", "--rules", folder / "rules",
        "--labels-in-metrics", labels_in_metrics, "--json",
    )
    found: dict[str, Any] = json.loads(text)
    return found


def check_evaluation(found: dict[str, Any], command: dict[str, Any]) -> None:
    """All metrics are those of the command; means over rows are added there in the order of the rows."""
    for name in ("auprc", "macro_auprc", "hamming_loss", "multilabel_accuracy", "micro_f1", "macro_f1"):
        assert found[name] == command[name], name
    for name in ("average_precision", "coverage_error", "one_error", "ranking_loss"):
        assert found[name] == pytest.approx(command[name], rel=1e-12, abs=0), name
    assert found["rows"] == command["rows"] and found["classes"] == command["classes"]
    assert found["incoherent_rows"] == command["incoherent_rows"] > 0
    assert found["incoherent_truth_rows"] == command["incoherent_truth_rows"] > 0


def random_truth() -> NDArray[Any]:
    """Labels that break rules here and there; one class has no row."""
    truth = (np.random.default_rng(9).random((ROWS, CLASSES)) < 0.2).astype(np.int64)
    truth[:, 17] = 0
    return truth


def sorted_numbers(table: Any, column: str = "scores") -> NDArray[Any]:
    """A list column as an array, rows by their `id`; every row is there once."""
    table = table.sort_by("id").combine_chunks()
    assert table.column("id").to_pylist() == list(range(ROWS))
    lists = table.column(column).chunk(0)
    assert len(lists) == ROWS
    numbers: NDArray[Any] = lists.flatten().to_numpy().reshape(ROWS, -1)
    return numbers


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()

"""A table of scores, and what the command `rulebound apply` makes of it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
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

"""The code blocks of docs/distributed.md run, each section after the first block; so does the recipe of examples/python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scene import COMMAND

ROOT = Path(__file__).parents[4]
SECTIONS = (ROOT / "docs" / "distributed.md").read_text().split("\n## ")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = [section for section in SECTIONS[1:] if BLOCK.search(section)]

if "ray" not in sys.modules:
    pytest.importorskip("ray")


@pytest.mark.parametrize("section", PARTS, ids=lambda section: section.partition("\n")[0])
def test_its_lines_run(section: str, tmp_path: Path) -> None:
    code = "\n".join(BLOCK.findall(SECTIONS[0]) + BLOCK.findall(section))
    assert code.count("assert ") >= 2
    script = tmp_path / "section.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == [script]


def test_each_engine_has_a_section() -> None:
    names = {section.partition("\n")[0] for section in PARTS}
    assert {"Spark", "Ray", "Dask", "Daft"} <= names


def test_the_recipe_runs_and_does_nothing_twice(tmp_path: Path) -> None:
    script = ROOT / "examples" / "python" / "grid_on_ray.py"
    environment = {**os.environ, "RULEBOUND_COMMAND": COMMAND}

    def run() -> str:
        done = subprocess.run(
            [sys.executable, script, tmp_path], env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / "results.csv").read_text()

    table = run()
    assert len(table.splitlines()) == 1 + 4 * 3 * 3
    assert (tmp_path / "ensemble.rulebound").exists()
    # What is in the table is not done again: a wrong line stays, one that is missing is added.
    lines = table.splitlines(keepends=True)
    wrong = lines[1].rpartition(",")[0] + ",0.125\n"
    (tmp_path / "results.csv").write_text("".join([lines[0], wrong, *lines[3:]]))
    again = run().splitlines(keepends=True)
    assert again[1] == wrong and sorted(again) == sorted([lines[0], wrong, *lines[2:]])

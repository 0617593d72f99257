"""The scripts of examples/python and the program of the README run; those about PyTorch are in tests/torch, those about Ray in tests/engines."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "python"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if not {"torch", "ray"} & set(path.read_text().split()))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_it_runs(script: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # Examples leave nothing behind.
    assert list(tmp_path.iterdir()) == []


def test_there_are_some() -> None:
    assert {"gene_ontology.py", "detector_scores.py"} <= {script.name for script in SCRIPTS}


def test_the_program_of_the_readme_settles_as_its_comment_says() -> None:
    readme = (FOLDER.parents[1] / "README.md").read_text()
    block = readme.split("```python\n")[1].split("```")[0]
    lines = block.rstrip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines[:-1]), names)
    settled = eval(lines[-1].split("#")[0], names)
    cat, animal, dog = settled[0]
    assert names["rules"].labels == ("cat", "animal", "dog")
    assert (cat, animal) == (0.9, 0.9)
    assert dog == 1 - 0.9

"""The scripts of examples/python run; those about PyTorch are in tests/torch, those about Ray in tests/engines."""

import subprocess
import sys
from pathlib import Path

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

"""The examples about PyTorch run."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[4] / "examples/python"


@pytest.mark.parametrize("name", ["pytorch_hierarchy", "coming_from_others"])
def test_an_example_runs(name: str) -> None:
    done = subprocess.run([sys.executable, str(FOLDER / f"{name}.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr

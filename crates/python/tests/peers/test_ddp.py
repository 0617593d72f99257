"""The example of DDP: two processes have the losses and gradients of one with the double batch."""

import pathlib
import subprocess
import sys
from typing import Any

import torch

EXAMPLE = pathlib.Path(__file__).parents[4] / "examples/python/ddp.py"


def recorded(file: pathlib.Path, *launcher: str) -> dict[str, Any]:
    command = [sys.executable, *launcher, str(EXAMPLE), "--record", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "0 predictions do" in done.stdout
    found: dict[str, Any] = torch.load(file)
    return found


def test_two_processes_are_one_with_the_double_batch(tmp_path: pathlib.Path) -> None:
    one = recorded(tmp_path / "one")
    two = recorded(tmp_path / "two", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    # Seven batches per epoch; in the last of them the second process has no rows.
    assert one["losses"].shape == two["losses"].shape == (140,)
    assert torch.allclose(one["losses"], two["losses"], rtol=0, atol=1e-6)
    assert torch.allclose(one["gradients"], two["gradients"], rtol=0, atol=1e-6)
    assert one["broken"] == two["broken"] > 0
    assert one["losses"][-7:].mean() < 0.7 * one["losses"][:7].mean()

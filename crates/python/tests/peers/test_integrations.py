"""The code blocks of docs/integrations.md run, each section after the first block."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[4] / "docs" / "integrations.md"
SECTIONS = [part for part in PAGE.read_text().split("\n## ") if not part.startswith("Others")]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(section: str) -> list[str]:
    return BLOCK.findall(section)


@pytest.mark.parametrize("section", SECTIONS[1:], ids=lambda section: section.partition("\n")[0])
def test_its_lines_run(section: str, tmp_path: Path) -> None:
    code = "\n".join(blocks(SECTIONS[0]) + blocks(section))
    assert "assert rules.violations(decisions) == []" in code
    script = tmp_path / "section.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # What they write is in folders that they delete.
    assert list(tmp_path.iterdir()) == [script]


def test_each_library_has_a_section() -> None:
    assert len(SECTIONS) == 6 and all(len(blocks(section)) == 1 for section in SECTIONS)

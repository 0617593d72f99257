"""What `Rules.check` found."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class RuleWarning:
    """A rule that is valid, and probably not what was meant."""

    code: str
    """A short name for the kind of warning."""
    message: str
    """What is odd about it."""
    line: int
    """Its line, from 1; 0 if it was not read from a text."""
    column: int
    """Its column, from 1."""
    rule: str
    """The rule."""

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}: " if self.line else ""
        return f"{place}`{self.rule}` {self.message}"


@dataclass(frozen=True)
class Report:
    """All warnings about rules; true if there are none.

    >>> import rulebound as rb
    >>> report = rb.Rules.parse("a -> b\\na, c -> b").check()
    >>> bool(report), report.warnings[0].code
    (False, 'subsumed')
    """

    warnings: tuple[RuleWarning, ...]

    def __bool__(self) -> bool:
        return not self.warnings

    def __len__(self) -> int:
        return len(self.warnings)

    def __iter__(self) -> Iterator[RuleWarning]:
        return iter(self.warnings)

    def __str__(self) -> str:
        return "\n".join(str(warning) for warning in self.warnings) or "no warnings"

    def _repr_html_(self) -> str:
        if self:
            return "<p>no warnings</p>"
        lines = "".join(f"<li>{html.escape(str(warning))}</li>" for warning in self.warnings)
        return f"<ul>{lines}</ul>"

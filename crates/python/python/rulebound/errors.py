"""What can be wrong with rules and scores. Each error is a `ValueError`, so that code which knows
nothing about this package treats it as what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """One mistake in a text of rules."""

    code: str
    """A short name for the kind of mistake."""
    message: str
    """What is wrong."""
    line: int
    """The line, from 1; 0 if the rule was not read from a text."""
    column: int
    """The column of the first character, from 1."""
    length: int
    """The number of characters."""
    text: str
    """The whole line."""
    hint: str | None
    """What to do about it."""


class RuleError(ValueError):
    """Rules that cannot be read. The text shows every mistake where it is.

    >>> import rulebound as rb
    >>> try:
    ...     rb.Rules.parse("cat => animal")
    ... except rb.RuleError as error:
    ...     print(error.mistakes[0].hint)
    write `body -> head` or `head :- body`
    """

    mistakes: list[Mistake]

    def __init__(self, message: str, mistakes: Sequence[Mistake] = ()) -> None:
        super().__init__(message)
        self.mistakes = list(mistakes)


class ScoreError(ValueError):
    """A score that no class can have.

    >>> import rulebound as rb
    >>> try:
    ...     rb.Rules.parse("cat -> animal").apply([0.9, float("nan")])
    ... except rb.ScoreError as error:
    ...     print(error.row, error.label)
    0 animal
    """

    row: int | None
    """The row, from 0."""
    label: str | None
    """The class."""

    def __init__(self, message: str, row: int | None = None, label: str | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.label = label

    def moved(self, rows: int) -> ScoreError:
        """The same error where so many rows came before its batch."""
        if self.row is None:
            return self
        row = rows + self.row
        text = str(self).replace(f"row {self.row}:", f"row {row}:", 1)
        return ScoreError(text, row, self.label)

    # Workers send their errors to somebody else.
    def __reduce__(self) -> tuple[type[ScoreError], tuple[str, int | None, str | None]]:
        return (ScoreError, (str(self), self.row, self.label))


class LabelsBreakRules(UserWarning):
    """Labels of training rows break the rules. `Rules.close` completes them."""


class DoubtfulColumn(UserWarning):
    """A column of a table is probably not what it is taken for: an id that is trained on, or text that is not used.
    `id_column`, `ignore`, `nominal` and `numeric` of `rulebound.train` say what it is."""

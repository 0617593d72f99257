"""What the columns of a table are, where the table itself does not show it: the options `--ignore`, `--id-column`,
`--nominal` and `--numeric` of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rulebound.names import unknown_names

Names = str | Sequence[str] | None
Kind = Literal["nominal", "numeric"]


@dataclass(frozen=True)
class ColumnRoles:
    """Columns by their roles; an ignored one may be a prefix that ends in `*`."""

    ignored: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    kinds: dict[str, Kind] = field(default_factory=dict)

    @classmethod
    def of(cls, ignore: Names, id_column: Names, nominal: Names, numeric: Names) -> ColumnRoles:
        """The roles that arguments name.

        >>> ColumnRoles.of("x_*", None, ["zip"], None).kinds
        {'zip': 'nominal'}
        """
        kinds: dict[str, Kind] = {name: "nominal" for name in _tuple(nominal)}
        for name in _tuple(numeric):
            if name in kinds:
                raise ValueError(f"`{name}` cannot be both nominal and numeric")
            kinds[name] = "numeric"
        return cls(_tuple(ignore), _tuple(id_column), kinds)

    def ignores(self, column: str) -> bool:
        """Whether a column is left out."""
        return any(
            column == name or (name.endswith("*") and column.startswith(name[:-1])) for name in self.ignored
        )

    def expect_columns(self, columns: Iterable[str]) -> None:
        """Raises for a name that no column has."""
        there = list(columns)
        message = unknown_names((*self.identifiers, *self.kinds), there, "a column of the data")
        unmatched = [name for name in self.ignored if not any(ColumnRoles((name,)).ignores(c) for c in there)]
        message = message or unknown_names(unmatched, there, "a column of the data")
        if message is not None:
            raise KeyError(message)

    def __bool__(self) -> bool:
        return bool(self.ignored or self.identifiers or self.kinds)


def _tuple(names: Names) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)

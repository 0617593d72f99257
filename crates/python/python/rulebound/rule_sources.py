"""Where rules come from: texts, files, edges, graphs, matrices, paths, bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from rulebound import _native, rule_text

Path = str | os.PathLike[str]


def expect_limit(limit: int | None) -> None:
    """A limit on settling is a whole number of conflicts."""
    if limit is not None and (isinstance(limit, bool) or not 0 <= limit < 2**64):
        raise ValueError(f"settle_limit must be from 0 to 2**64 - 1, not {limit}")


class RuleSources:
    """The ways to make rules; see `Rules`."""

    __slots__ = ("_program", "_labels")
    _program: _native.Program
    _labels: tuple[str, ...]

    def __init__(self, program: _native.Program) -> None:
        object.__setattr__(self, "_program", program)
        object.__setattr__(self, "_labels", tuple(program.labels()))

    @classmethod
    def parse(
        cls,
        text: str,
        labels: Iterable[str] | None = None,
        *,
        format: str | None = None,
        rules_as: str = "rules",
        settle_limit: int | None = None,
    ) -> Self:
        """Rules from a text, in a format ("rules", "ccn", "edges", "dimacs" or "pishield") that is
        detected unless given.
        `labels` fixes the classes and their order; otherwise they are the names in the text.
        With `rules_as="clauses"` rules are requirements too, of which any class may give way. `settle_limit`
        is the most conflicts that settling requirements may take, here and in each row.

        >>> import rulebound as rb
        >>> rb.Rules.parse("cat -> animal", labels=["animal", "cat", "car"]).labels
        ('animal', 'cat', 'car')
        """
        listed = None if labels is None else list(labels)
        expect_limit(settle_limit)
        return cls(_native.Program.parse(text, listed, format, rules_as, settle_limit))

    @classmethod
    def read(
        cls,
        path: Path,
        labels: Path | Sequence[str] | None = None,
        *,
        format: str | None = None,
        rules_as: str = "rules",
        settle_limit: int | None = None,
    ) -> Self:
        """Rules from a file: text of rules, edges, or an ontology (OBO); plain or gzip. `labels` are the
        classes, or a file with one class per line; of an ontology they select the terms. `rules_as` and
        `settle_limit` are those of `parse`."""
        if hasattr(path, "read"):
            raise TypeError("Rules.read takes a path; of an open file, give Rules.parse its text")
        expect_limit(settle_limit)
        if labels is None or isinstance(labels, (str, os.PathLike)):
            return cls(_native.Program.read(path, labels, format, rules_as, settle_limit))
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as listed:
            listed.writelines(f"{rule_text.quoted(label)}\n" for label in labels)
            listed.flush()
            return cls(_native.Program.read(path, listed.name, format, rules_as, settle_limit))

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[str, str]], labels: Iterable[str] | None = None
    ) -> Self:
        """A hierarchy from pairs of child and parent.

        >>> import rulebound as rb
        >>> rb.Rules.from_edges([("stomach", "abdomen")]).rules
        ('stomach -> abdomen',)
        """
        return cls.parse(rule_text.from_edges(edges), labels, format="rules")

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[tuple[str, Iterable[rule_text.Literal]]],
        labels: Iterable[str] | None = None,
    ) -> Self:
        """Rules from pairs of head and body; a literal is a class, `not` and a class, or a pair of class
        and whether it is negated.

        >>> import rulebound as rb
        >>> rb.Rules.from_rules([("lower", ["abdomen", "not upper"])]).rules
        ('abdomen, not upper -> lower',)
        """
        return cls.parse(rule_text.from_rules(rules), labels, format="rules")

    @classmethod
    def from_networkx(cls, graph: Any, *, edges: str) -> Self:
        """A hierarchy from a directed graph whose nodes are class names. `edges` says where its edges
        lead: "child_to_parent" (as those of obonet) or "parent_to_child" (as those of HiClass)."""
        if edges not in ("child_to_parent", "parent_to_child"):
            raise ValueError(f'edges={edges!r} is not "child_to_parent" or "parent_to_child"')
        if not graph.is_directed():
            raise ValueError("the edges of the graph have no direction")
        pairs = ((str(one), str(other)) for one, other in graph.edges())
        if edges == "parent_to_child":
            pairs = ((child, parent) for parent, child in pairs)
        return cls.from_edges(pairs, [str(node) for node in graph.nodes()])

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, labels: Sequence[str] | None = None) -> Self:
        """A hierarchy from a matrix that has a 1 in row `i` and column `j` where class `j` is a descendant
        of class `i`, or `i` itself: the `R` of the authors' code, with or without a leading dimension.
        Without `labels` the classes are called by their numbers.

        >>> import rulebound as rb
        >>> rb.Rules.from_matrix([[1, 1], [0, 1]], ["animal", "cat"]).rules
        ('cat -> animal',)
        """
        names, text = rule_text.matrix_edges(matrix, labels)
        return cls.parse(text, names, format="rules")

    @classmethod
    def from_paths(cls, paths: Iterable[Iterable[Any]]) -> Self:
        """A hierarchy from paths, each from a root to a leaf; empty cells fill up short ones.

        >>> import rulebound as rb
        >>> rb.Rules.from_paths([["animal", "cat"], ["animal", "dog"]]).rules
        ('cat -> animal', 'dog -> animal')
        """
        rows = [list(path) for path in paths]
        return cls.from_edges(rule_text.path_edges(rows), rule_text.path_nodes(rows))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Rules from what `to_bytes` gave."""
        return cls(_native.Program.from_bytes(data))

"""Rules written as text: from edges, graphs, matrices, paths and pairs of head and body."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Literal = str | tuple[str, bool]
"""A class, `not` a class, or a class and whether it is negated."""

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(name: str) -> str:
    """A class as the rule language always understands it.

    >>> quoted('not "a"')
    '"not \\\\"a\\\\""'
    """
    if not isinstance(name, str):
        raise TypeError(f"a class is a str, not {type(name).__name__}: {name!r}")
    return '"' + "".join(_ESCAPES.get(character, character) for character in name) + '"'


def is_path(given: str) -> bool:
    """Whether a str that may be rules or a path is a path: a file that exists, or one line without a sign of rules.

    >>> is_path("pets.rules"), is_path("cat -> animal"), is_path("exclusive(cat, dog)")
    (True, False, False)
    """
    if "\n" in given:
        return False
    return os.path.exists(given) or not any(sign in given for sign in ("->", ":-", ",", "("))


def from_edges(edges: Iterable[tuple[str, str]]) -> str:
    """A rule for each pair of child and parent.

    >>> from_edges([("cat", "animal")])
    '"cat" -> "animal"\\n'
    """
    return "".join("{} -> {}\n".format(*_pair(edge)) for edge in edges)


def _pair(edge: tuple[str, str]) -> tuple[str, str]:
    if isinstance(edge, str) or len(edge) != 2:
        raise ValueError(f"an edge is a pair of child and parent, not {edge!r}")
    return quoted(edge[0]), quoted(edge[1])


def from_rules(rules: Iterable[tuple[str, Iterable[Literal]]]) -> str:
    """A rule for each pair of head and body.

    >>> from_rules([("lower", ["abdomen", "not upper"]), ("person", [])])
    '"abdomen", not "upper" -> "lower"\\n -> "person"\\n'
    """
    return "".join(f"{_body(body)} -> {quoted(head)}\n" for head, body in rules)


def _body(body: Iterable[Literal]) -> str:
    if isinstance(body, str):
        raise TypeError(f"a body is a list of literals, not the str {body!r}")
    return ", ".join(_literal(literal) for literal in body)


def _literal(literal: Literal) -> str:
    if isinstance(literal, str):
        name = literal.removeprefix("not ")
        negated = name != literal
    else:
        name, negated = literal
    return f"not {quoted(name)}" if negated else quoted(name)


def matrix_edges(matrix: ArrayLike, labels: Sequence[str] | None) -> tuple[list[str], str]:
    """The classes and the rules of a matrix that has a 1 in row `i` and column `j` where class `j` is a
    descendant of class `i`, or `i` itself: the `R` of the authors' code. Only the nearest are kept.

    >>> matrix_edges([[1, 1, 1], [0, 1, 1], [0, 0, 1]], ["animal", "cat", "kitten"])[1]
    '"cat" -> "animal"\\n"kitten" -> "cat"\\n'
    """
    given: NDArray[Any] = np.asarray(matrix)
    if given.ndim == 3 and given.shape[0] == 1:
        given = given[0]
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError(f"a matrix of shape {given.shape} has not one row and column for each class")
    if not np.isin(given, (0, 1)).all():
        raise ValueError("the matrix has numbers other than 0 and 1")
    names = [str(number) for number in range(len(given))] if labels is None else list(labels)
    if len(names) != len(given):
        raise ValueError(f"{len(names)} labels for a matrix of {len(given)} classes")
    below = given.astype(bool)
    np.fill_diagonal(below, False)
    steps = below.astype(np.float32)
    further = (steps @ steps) > 0
    np.fill_diagonal(further, False)
    missing = further & ~below
    if missing.any():
        parent, child = (int(place[0]) for place in np.nonzero(missing))
        raise ValueError(
            f"the matrix is not transitive: `{names[child]}` is below `{names[parent]}` through "
            "another class, but its entry is 0"
        )
    nearest = below if (below & below.T).any() else below & ~further
    places = zip(*np.nonzero(nearest), strict=True)
    return names, from_edges((names[child], names[parent]) for parent, child in places)


def path_edges(paths: Iterable[Iterable[Any]]) -> Iterator[tuple[str, str]]:
    """Child and parent of each step of paths from a root to a leaf, each pair once. Empty cells end a path.

    >>> list(path_edges([["animal", "cat"], ["animal", "dog"], ["animal", ""]]))
    [('cat', 'animal'), ('dog', 'animal')]
    """
    seen: set[tuple[str, str]] = set()
    for path in paths:
        nodes = _nodes(path)
        for parent, child in zip(nodes, nodes[1:], strict=False):
            if (child, parent) not in seen:
                seen.add((child, parent))
                yield child, parent


def path_nodes(paths: Iterable[Iterable[Any]]) -> list[str]:
    """Every class of the paths once, in the order of its first occurrence.

    >>> path_nodes([["animal", "cat"], ["plant", ""]])
    ['animal', 'cat', 'plant']
    """
    nodes = dict.fromkeys(node for path in paths for node in _nodes(path))
    return list(nodes)


def _nodes(path: Iterable[Any]) -> list[str]:
    return [str(node) for node in path if node is not None and str(node) not in ("", "nan")]

"""Rules: made, compared, kept, drawn."""

import copy
import gzip
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rulebound as rb


def test_rules_are_equal_by_content_and_survive_a_pickle() -> None:
    rules = rb.Rules.parse("a, not b -> c\n-> d")
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules and hash(again) == hash(rules)
    assert again.rules == ("a, not b -> c", "-> d")
    assert copy.deepcopy(rules) is rules and copy.copy(rules) is rules
    assert rules != rb.Rules.parse("a, not b -> c")
    assert rules != "a, not b -> c"


def test_rules_never_change() -> None:
    rules = rb.Rules.parse("a -> b")
    with pytest.raises(AttributeError):
        rules.labels = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del rules._program


def test_bytes_that_are_no_rules_are_refused() -> None:
    data = rb.Rules.parse("a -> b").to_bytes()
    assert len(data) % 4 == 0
    for bad in (b"", data[:-4], data + b"\0\0\0\0", b"x" * 40):
        with pytest.raises(ValueError, match="rules|bytes"):
            rb.Rules.from_bytes(bad)


def test_strata_kinds_and_components() -> None:
    rules = rb.Rules.parse("a -> b\nb -> a\nnot b -> c\nnot c -> d")
    assert rules.kind == "stratified" and not rules.is_hierarchy
    assert rules.strata == [["a", "b"], ["c"], ["d"]]
    assert sorted(map(sorted, rules.components)) == [["a", "b"], ["c"], ["d"]]
    assert rb.Rules.parse("a -> b").is_hierarchy


NAMES = ["plain", "with space", 'a"b', "back\\slash", "two\nlines", "tab\tbed", "not", "not x", "ß"]


def test_any_name_can_be_a_class() -> None:
    rules = rb.Rules.from_edges(zip(NAMES, NAMES[1:], strict=False), NAMES)
    assert rules.labels == tuple(NAMES)
    assert len(rules) == len(NAMES) - 1 and rules.is_hierarchy
    again = rb.Rules.parse(rules.text(), NAMES)
    assert again == rules


def test_rules_from_heads_and_bodies() -> None:
    rules = rb.Rules.from_rules([("c", ["a", "not b"]), ("d", []), ("e", [("not x", True)])])
    assert rules.rules == ("a, not b -> c", "-> d", 'not "not x" -> e')
    with pytest.raises(TypeError, match="list of literals"):
        rb.Rules.from_rules([("c", "ab")])
    with pytest.raises(TypeError, match="a class is a str"):
        rb.Rules.from_edges([("a", 1)])  # type: ignore[list-item]


def test_rules_from_a_graph_need_the_direction() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([("cat", "animal"), ("dog", "animal")])
    graph.add_node("rock")
    rules = rb.Rules.from_networkx(graph, edges="child_to_parent")
    assert rules.rules == ("cat -> animal", "dog -> animal")
    assert rules.labels == ("cat", "animal", "dog", "rock")
    assert rb.Rules.from_networkx(graph.reverse(), edges="parent_to_child") == rb.Rules.from_edges(
        [("cat", "animal"), ("dog", "animal")], graph.nodes
    )
    with pytest.raises(TypeError):
        rb.Rules.from_networkx(graph)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="up"):
        rb.Rules.from_networkx(graph, edges="up")
    with pytest.raises(ValueError, match="direction"):
        rb.Rules.from_networkx(networkx.Graph(graph), edges="child_to_parent")


def test_a_matrix_of_ancestors_becomes_its_nearest_edges() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        direct = np.triu(random.random((8, 8)) < 0.3, 1)
        # Warshall: whatever can be reached.
        reach = direct | np.eye(8, dtype=bool)
        for middle in range(8):
            reach |= reach[:, [middle]] & reach[[middle], :]
        rules = rb.Rules.from_matrix(reach[None].astype(float))
        # Each rule is needed, and together they reach as much.
        edges = {tuple(map(int, rule.split(" -> "))) for rule in rules.rules}
        again = np.eye(8, dtype=bool)
        for child, parent in edges:
            again[parent, child] = True
        for middle in range(8):
            again |= again[:, [middle]] & again[[middle], :]
        assert (again == reach).all()
        assert edges <= {(int(child), int(parent)) for parent, child in np.argwhere(direct)}
    with pytest.raises(ValueError, match="not transitive"):
        rb.Rules.from_matrix([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    with pytest.raises(ValueError, match="other than 0 and 1"):
        rb.Rules.from_matrix([[1, 2], [0, 1]])
    with pytest.raises(ValueError, match="shape"):
        rb.Rules.from_matrix([[1, 0]])


def test_rules_from_paths() -> None:
    rules = rb.Rules.from_paths(np.array([["a", "b", "c"], ["a", "d", ""], ["e", "", ""]]))
    assert rules.labels == ("a", "b", "c", "d", "e")
    assert rules.rules == ("b -> a", "c -> b", "d -> a")


OBO = """format-version: 1.2

[Term]
id: X:1

[Term]
id: X:2
is_a: X:1 ! one

[Term]
id: X:3
relationship: part_of X:2
"""


def test_rules_from_files(tmp_path: Path) -> None:
    (tmp_path / "x.obo.gz").write_bytes(gzip.compress(OBO.encode()))
    rules = rb.Rules.read(tmp_path / "x.obo.gz")
    assert rules.rules == ("X:2 -> X:1", "X:3 -> X:2")
    assert rb.Rules.read(tmp_path / "x.obo.gz", ["X:1", "X:3"]).rules == ("X:3 -> X:1",)
    rules.save(tmp_path / "x.rules")
    assert rb.Rules.read(str(tmp_path / "x.rules")).rules == rules.rules
    (tmp_path / "labels.txt").write_text("X:3\nX:2\nX:1\nother\n")
    assert rb.Rules.read(tmp_path / "x.rules", tmp_path / "labels.txt").labels[-1] == "other"
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rb.Rules.read(tmp_path / "nowhere.rules")
    with pytest.raises(IsADirectoryError):
        rb.Rules.read(tmp_path)
    with (tmp_path / "x.rules").open() as file:
        assert rb.Rules.parse(file.read()).rules == rules.rules
    with pytest.raises(TypeError, match="takes a path"):
        rb.Rules.read(file)  # type: ignore[arg-type]
    for edge in (("a", "b", "c"), "ab"):
        with pytest.raises(ValueError, match="pair of child and parent"):
            rb.Rules.from_edges([edge])  # type: ignore[list-item]


def test_a_bad_text_shows_every_mistake_where_it_is() -> None:
    with pytest.raises(rb.RuleError) as raised:
        rb.Rules.parse("cat => animal\nok -> fine\na, -> b")
    error = raised.value
    assert isinstance(error, ValueError)
    assert [(mistake.line, mistake.code) for mistake in error.mistakes] == [
        (1, "syntax"),
        (3, "syntax"),
    ]
    assert error.mistakes[0].text == "cat => animal"
    lines = str(error).splitlines()
    assert "1 | cat => animal" in lines
    assert any(line.strip() == "|     ^^" for line in lines)
    again = pickle.loads(pickle.dumps(error))
    assert again.mistakes == error.mistakes and str(again) == str(error)


def test_a_cycle_through_a_negation_shows_all_its_rules() -> None:
    with pytest.raises(rb.RuleError) as raised:
        rb.Rules.from_rules([("b", ["not a"]), ("a", ["b"])])
    assert raised.value.mistakes[0].code == "not-stratified"
    drawn = str(raised.value)
    assert "1 | not " in drawn.replace('"', "") and "2 | b -> a" in drawn.replace('"', "")


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        rb.Rules.parse("a -> b", format="nonsense")
    with pytest.raises(ValueError, match="duplicate label"):
        rb.Rules.parse("a -> b", labels=["a", "b", "a"])
    with pytest.raises(rb.RuleError, match="label list"):
        rb.Rules.parse("a -> b", labels=["a"])


def test_check_finds_what_is_odd() -> None:
    report = rb.Rules.parse("a -> b\na, c -> b\nb -> d\na -> d").check()
    assert not report and [(warning.code, warning.line) for warning in report] == [("subsumed", 2)]
    assert "2:1" in str(report)
    deep = rb.Rules.parse("a -> b\nb -> c\na -> c").check(deep=True)
    assert [warning.code for warning in deep] == ["implied"]
    assert rb.Rules.parse("a -> b").check()


def test_a_notebook_shows_names_as_text_and_not_as_html() -> None:
    rules = rb.Rules.parse('"<b>" -> "&"')
    assert "<b>&" not in rules._repr_html_() and "&lt;b&gt;" in rules._repr_html_()
    shown = rules.explain([0.9, 0.1], "&")._repr_html_()
    assert "&lt;b&gt;" in shown and "&amp;" in shown and '"<b>"' not in shown
    many = rb.Rules.from_edges((f"a{n}", "b") for n in range(60))
    assert "and 10 more" in many._repr_html_()


def test_importing_imports_nothing_else() -> None:
    code = (
        "import sys, rulebound; "
        "print([m for m in ('numpy', 'pandas', 'torch', 'sklearn', 'polars') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_a_panic_is_an_exception() -> None:
    from rulebound import _native

    with pytest.raises(BaseException, match="on purpose") as raised:
        _native.panic_on_purpose()
    assert type(raised.value).__name__ == "PanicException"


def test_a_card_says_that_there_are_requirements() -> None:
    assert "(a hierarchy)" in rb.Rules.parse("cat -> animal")._repr_html_()
    shown = rb.Rules.parse("cat -> animal\nexclusive(cat, plant)")._repr_html_()
    assert "hierarchy" not in shown and "with requirements" in shown
    assert repr(rb.Rules.parse("a -> b")) == "<Rules: 2 classes, 1 rules, definite>"
    required = rb.Rules.parse("a -> b\nexclusive(a, c)\na | c")
    assert repr(required) == "<Rules: 3 classes, 1 rules, definite, 2 requirements>"
    assert not required.is_hierarchy

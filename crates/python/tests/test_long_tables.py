"""Long tables and listed classes of Arrow data: what is not listed has the lowest score."""

from typing import Any

import numpy as np
import pytest

import rulebound as rb
import rulebound.arrow

pyarrow = pytest.importorskip("pyarrow")

RULES = rb.Rules.parse("siamese -> cat\ncat -> mammal\ndog -> mammal\nmammal -> animal\nmammal, not dog -> quiet")
LABELS = list(RULES.labels)
LONG = ("protein", "term", "score")


def lines(rows: int = 50, seed: int = 0) -> list[tuple[str, list[tuple[str, float]]]]:
    """Some classes of each row, in any order, with their scores."""
    random = np.random.default_rng(seed)
    found = []
    for row in range(rows):
        chosen = random.permutation(LABELS)[: random.integers(1, len(LABELS))]
        found.append((f"p{row}", [(str(name), float(np.float32(random.random()))) for name in chosen]))
    return found


def expected(row: list[tuple[str, float]]) -> dict[str, float]:
    """By the dense layer: absent classes are 0, and what is 0 in the end is not listed."""
    dense = np.zeros((1, len(LABELS)), np.float32)
    for name, score in row:
        dense[0, LABELS.index(name)] = score
    coherent = RULES.apply(dense)[0]
    return {name: float(score) for name, score in zip(LABELS, coherent, strict=True) if score > 0}


def long_table(rows: Any, kind: Any = None) -> Any:
    ids = [name for name, listed in rows for _ in listed]
    classes = [name for _, listed in rows for name, _ in listed]
    scores = [score for _, listed in rows for _, score in listed]
    return pyarrow.table(
        {
            "protein": ids,
            "extra": range(len(ids)),
            "term": pyarrow.array(classes, pyarrow.string()).cast(kind or pyarrow.string()),
            "score": pyarrow.array(scores, pyarrow.float32()),
        }
    )


def rows_of(table: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    columns = (table.column(name).to_pylist() for name in LONG)
    for name, term, score in zip(*columns, strict=True):
        assert term not in found.setdefault(name, {})
        found[name][term] = score
    return found


@pytest.mark.parametrize("kind", [None, pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())])
def test_a_long_table_is_the_dense_one(kind: Any) -> None:
    rows = lines()
    table = long_table(rows, kind)
    done = rulebound.arrow.apply(table, RULES, long=LONG)
    assert done.schema.names == list(LONG)
    assert done.schema.types == [pyarrow.string(), table.schema.field("term").type, pyarrow.float32()]
    assert rows_of(done) == {name: expected(listed) for name, listed in rows}


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_ids_may_go_on_in_the_next_batch(size: int) -> None:
    rows = lines()
    table = long_table(rows)
    batches = table.to_batches(max_chunksize=size)
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches)
    done = rulebound.arrow.apply(reader, RULES, long=LONG).read_all()
    assert rows_of(done) == {name: expected(listed) for name, listed in rows}
    chunked = pyarrow.Table.from_batches(batches)
    assert rulebound.arrow.apply(chunked, RULES, long=LONG).equals(rulebound.arrow.apply(table, RULES, long=LONG))


def test_classes_by_number() -> None:
    rows = lines()
    table = long_table(rows)
    numbers = [LABELS.index(name) for name in table.column("term").to_pylist()]
    table = table.set_column(2, "term", pyarrow.array(numbers, pyarrow.int32()))
    done = rulebound.arrow.apply(table, RULES, long=LONG)
    assert done.schema.field("term").type == pyarrow.int32()
    named = done.set_column(1, "term", pyarrow.array([LABELS[at] for at in done.column("term").to_pylist()]))
    assert rows_of(named) == {name: expected(listed) for name, listed in rows}
    wrong = table.set_column(2, "term", pyarrow.array([len(LABELS)] * len(numbers)))
    with pytest.raises(ValueError, match="id 'p0': class 6, but there are 6 classes"):
        rulebound.arrow.apply(wrong, RULES, long=LONG)


def listed_batch(rows: Any, kind: Any = None) -> Any:
    text = kind or pyarrow.list_
    return pyarrow.record_batch(
        {
            "protein": [name for name, _ in rows],
            "term": pyarrow.array([[name for name, _ in listed] for _, listed in rows], text(pyarrow.string())),
            "score": pyarrow.array([[score for _, score in listed] for _, listed in rows], text(pyarrow.float32())),
        }
    )


@pytest.mark.parametrize("kind", [pyarrow.list_, pyarrow.large_list])
def test_listed_classes_are_the_dense_ones(kind: Any) -> None:
    rows = lines()
    rows[7] = ("p7", [])
    given = listed_batch(rows, kind)
    for start in (0, 5):
        done = rulebound.arrow.apply(given.slice(start), RULES, classes="term", scores="score")
        done.validate(full=True)
        assert done.schema == given.schema and done.column("protein") == given.slice(start).column("protein")
        terms, scores = done.column("term").to_pylist(), done.column("score").to_pylist()
        found = [dict(zip(*row, strict=True)) for row in zip(terms, scores, strict=True)]
        assert found == [expected(listed) for _, listed in rows[start:]]
    assert rulebound.arrow.apply(given.slice(0, 0), RULES, classes="term", scores="score").num_rows == 0
    assert rulebound.arrow.apply(long_table(rows).slice(0, 0), RULES, long=LONG).num_rows == 0


def test_cuts() -> None:
    given = listed_batch([("p", [("siamese", 0.9), ("dog", 0.2)])])
    definite = rb.Rules.parse("siamese -> cat\ncat -> mammal\ndog -> mammal\nmammal -> animal")
    done = rulebound.arrow.apply(given, definite, classes="term", scores="score", above=0.5)
    assert done.column("term").to_pylist() == [["siamese", "cat", "mammal", "animal"]]
    with pytest.raises(ValueError, match="negation"):
        rulebound.arrow.apply(given, RULES, classes="term", scores="score", above=0.5)
    with pytest.raises(ValueError, match="`top` and `above` choose among listed classes"):
        rulebound.arrow.apply(given, RULES, scores="score", top=3)


def test_mistakes_are_named() -> None:
    rows = lines(4)

    def failing(table: Any, error: Any, match: str) -> None:
        with pytest.raises(error, match=match):
            rulebound.arrow.apply(table, RULES, long=LONG)

    table = long_table(rows)
    failing(pyarrow.concat_tables([table, table.slice(0, 1)]), ValueError, "id 'p0' comes back later: sort the table by `protein`")
    for size in (1, 2, 100):
        again = pyarrow.concat_tables([table, table.slice(1, 1)])
        batches = pyarrow.RecordBatchReader.from_batches(again.schema, again.to_batches(max_chunksize=size))
        with pytest.raises(ValueError, match="id 'p1' comes back later"):
            rulebound.arrow.apply(batches, RULES, long=LONG).read_all()
    unknown = [*rows, ("q", [("dogg", 0.5)])]
    failing(long_table(unknown), KeyError, "id 'q': `dogg` is not a class of the rules; did you mean `dog`")
    failing(long_table([*rows, ("q", [("dog", float("nan"))])]), rb.ScoreError, "id 'q'.*dog")
    failing(long_table([*rows, ("q", [(None, 0.5)])]), ValueError, "id 'q': a line without a class")
    failing(long_table([*rows, ("q", [("dog", None)])]), ValueError, "id 'q': a line without a score")
    failing(long_table([*rows, (None, [("dog", 0.5)])]), ValueError, f"row {len(table)}: no id")
    failing(long_table([*rows, ("q", [("dog", 0.5), ("dog", 0.6)])]), ValueError, "dog")
    failing(table.rename_columns(["protein", "extra", "terms", "score"]), KeyError, "no column `term`; did you mean `terms`")
    with pytest.raises(ValueError, match="three columns"):
        rulebound.arrow.apply(table, RULES, long=("protein", "term"))
    with pytest.raises(ValueError, match="leave out `scores`"):
        rulebound.arrow.apply(table, RULES, long=LONG, scores="score")
    uneven = pyarrow.record_batch({"term": [["dog"], ["dog"]], "score": [[0.5], [0.5, 0.6]]})
    with pytest.raises(rb.ScoreError, match="row 1: 1 classes, but 2 scores"):
        rulebound.arrow.apply(uneven, RULES, classes="term", scores="score")
    missing = pyarrow.record_batch({"term": [["dog"], None], "score": [[0.5], [0.6]]})
    with pytest.raises(rb.ScoreError, match="row 1: no list in the column `term`"):
        rulebound.arrow.apply(missing, RULES, classes="term", scores="score")

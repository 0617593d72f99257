"""Frames and tables: matched by name, given back as what they were."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rulebound as rb

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

RULES = rb.Rules.parse("cat -> animal\nnot animal -> thing")
COLUMNS: dict[str, Any] = {
    "id": ["x", "y", "z"],
    "animal": [0.2, 0.1, 0.7],
    "weight": [4, 5, 6],
    "cat": [0.9, 0.3, 0.1],
    "thing": [0.1, 0.2, 0.3],
}


def expected() -> dict[str, list[float]]:
    scores = np.array([COLUMNS[name] for name in RULES.labels]).T
    coherent = RULES.apply(scores)
    return {name: coherent[:, place].tolist() for place, name in enumerate(RULES.labels)}


def check(table: Any) -> None:
    assert list(table) == list(COLUMNS)
    assert table["id"] == COLUMNS["id"] and table["weight"] == COLUMNS["weight"]
    assert {name: table[name] for name in RULES.labels} == expected()


def test_pandas() -> None:
    frame = pandas.DataFrame(COLUMNS, index=[7, 8, 7])
    before = frame.copy()
    result = RULES.apply(frame)
    check({name: result[name].tolist() for name in result.columns})
    assert result.index.tolist() == [7, 8, 7]
    assert frame.equals(before)
    for column in (["a", "b", "c"], pandas.Categorical([0.1, 0.2, 0.3]), pandas.to_datetime([0, 1, 2])):
        with pytest.raises(TypeError, match="column of the class `cat` has no numbers"):
            RULES.apply(frame.assign(cat=column))
    narrow = RULES.apply(frame.astype({name: "float32" for name in RULES.labels}))
    assert all(narrow[name].dtype == np.float32 for name in RULES.labels)
    applied = RULES.apply(frame, decisions=True, delegates=True)
    assert applied.decisions["animal"].tolist() == [True, False, True]
    assert applied.delegates["animal"].tolist() == ["cat", "cat", "animal"]
    assert applied.delegates["id"].tolist() == COLUMNS["id"]


def test_pandas_with_missing_scores_and_columns() -> None:
    frame = pandas.DataFrame(COLUMNS)
    frame.loc[2, "thing"] = None
    with pytest.raises(rb.ScoreError) as raised:
        RULES.apply(frame)
    assert (raised.value.row, raised.value.label) == (2, "thing")
    nullable = pandas.DataFrame(COLUMNS).convert_dtypes()
    nullable.loc[1, "cat"] = pandas.NA
    with pytest.raises(rb.ScoreError):
        RULES.apply(nullable)
    with pytest.raises(KeyError, match="no column for the class `animal`; did you mean `animals`"):
        RULES.apply(pandas.DataFrame(COLUMNS).rename(columns={"animal": "animals"}))
    twice = pandas.concat([pandas.DataFrame(COLUMNS), pandas.DataFrame({"cat": [0.1] * 3})], axis=1)
    with pytest.raises(ValueError, match="several columns"):
        RULES.apply(twice)
    with pytest.raises(TypeError, match="Series"):
        RULES.apply(pandas.Series([0.1, 0.2, 0.3]))


def test_polars() -> None:
    frame = polars.DataFrame(COLUMNS)
    result = RULES.apply(frame)
    assert isinstance(result, polars.DataFrame)
    check(result.to_dict(as_series=False))
    assert RULES.apply(frame.lazy()).equals(result)
    narrow = RULES.apply(frame.cast({name: polars.Float32 for name in RULES.labels}))
    assert narrow.schema["cat"] == polars.Float32 and narrow.schema["weight"] == polars.Int64
    applied = RULES.apply(frame, delegates=True)
    assert applied.delegates["animal"].to_list() == ["cat", "cat", "animal"]
    with pytest.raises(rb.ScoreError):
        RULES.apply(frame.with_columns(polars.Series("cat", [0.1, None, 0.2])))


def test_arrow_tables() -> None:
    table = pyarrow.table(COLUMNS)
    result = RULES.apply(table)
    assert isinstance(result, pyarrow.Table)
    check(result.to_pydict())
    chunked = pyarrow.concat_tables([table.slice(0, 1), table.slice(1)])
    assert RULES.apply(chunked).to_pydict() == result.to_pydict()
    batch = table.to_batches()[0]
    check(RULES.apply(batch).to_pydict())
    nulls = table.set_column(3, "cat", pyarrow.array([0.1, None, 0.2]))
    with pytest.raises(rb.ScoreError) as raised:
        RULES.apply(nulls)
    assert (raised.value.row, raised.value.label) == (1, "cat")


def test_a_stream_is_read_when_it_is_asked_for() -> None:
    table = pyarrow.table(COLUMNS)
    read: list[int] = []

    def batches() -> Iterator[Any]:
        for number in range(3):
            read.append(number)
            yield table.to_batches()[0]

    reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
    result = RULES.apply(reader)
    assert isinstance(result, pyarrow.RecordBatchReader) and read == []
    check(result.read_next_batch().to_pydict())
    assert len(read) < 3
    assert result.read_all().num_rows == 6 and read == [0, 1, 2]


def test_an_error_in_a_stream_counts_rows_from_its_beginning() -> None:
    table = pyarrow.table(COLUMNS)
    bad = table.set_column(3, "cat", pyarrow.array([0.1, float("nan"), 0.2]))
    parts = [table.to_batches()[0], bad.to_batches()[0]]
    result = RULES.apply(pyarrow.RecordBatchReader.from_batches(table.schema, iter(parts)))
    with pytest.raises(rb.ScoreError, match="row 4: ") as raised:
        result.read_all()
    assert raised.value.row == 4
    with pytest.raises(ValueError, match="stream"):
        RULES.apply(pyarrow.RecordBatchReader.from_batches(table.schema, []), decisions=True)


def test_labels_in_frames() -> None:
    frame = pandas.DataFrame({"cat": [1, 0], "animal": [0, 0], "thing": [0, 0], "id": ["x", "y"]})
    closed = RULES.close(frame)
    assert closed["animal"].tolist() == [1, 0] and closed["thing"].tolist() == [0, 1]
    assert closed["id"].tolist() == ["x", "y"]
    records = pandas.DataFrame(RULES.violations(frame))
    assert records["row"].tolist() == [0, 0, 1]

"""Frames are read as files with the same cells are: what is no feature is refused, what is doubtful is a warning."""

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays, columns

import rulebound as rb

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

QUICK: dict[str, Any] = {"hidden": [8], "epochs": 3}
DAYS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(days=day) for day in range(90)]


def frame(**more: Any) -> Any:
    return pandas.DataFrame({**columns(), **more}).drop(columns="name")


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (pandas.to_datetime(DAYS).as_unit("us"), "dates"),
        (pandas.to_datetime(DAYS).as_unit("ns").tz_localize("UTC"), "dates"),
        (pandas.Series(DAYS).dt.to_period("D"), "dates"),
        (pandas.Series([day.date() for day in DAYS], dtype=object), "dates"),
        (pandas.to_timedelta(range(90), unit="s"), "spans of time"),
        (np.arange(90) * 1j, "complex numbers"),
        (pandas.Series([[1.0, 2.0]] * 90), "lists"),
    ],
)
def test_what_is_no_feature_is_refused_by_name(cells: Any, what: str) -> None:
    with pytest.raises(ValueError, match=f"column `when` holds {what}: .*ignore='when'"):
        rb.train(frame(when=cells), rules=RULES, **QUICK)
    model = rb.train(frame(when=cells), rules=RULES, ignore="when", **QUICK)
    assert model.columns == ["weight", "fur"]
    # What the model does not need is not read.
    assert len(model.predict(frame(when=cells))) == 90


def test_other_libraries_and_arrays_refuse_the_same() -> None:
    for table in (polars.DataFrame({**columns(), "when": DAYS}), pyarrow.table({**columns(), "when": DAYS})):
        with pytest.raises(ValueError, match="column `when` holds dates"):
            rb.train(table, rules=RULES, **QUICK)
    lists = polars.DataFrame({**columns(), "emb": [[1.0, 2.0]] * 90})
    with pytest.raises(ValueError, match="column `emb` holds lists"):
        rb.train(lists, rules=RULES, **QUICK)
    _, labels = arrays()
    for cells in (np.array(DAYS, "datetime64[s]")[:, None], np.ones((90, 1)) * 1j):
        with pytest.raises(ValueError, match="the features holds? "):
            rb.train((cells, labels), rules=RULES, **QUICK)


def test_dates_as_text_and_long_text_are_refused_as_in_files(tmp_path: Path) -> None:
    dates = [str(day.date()) for day in DAYS[:45]] * 2
    for cells, what in ((dates, "dates"), ([f"{row % 60} words" for row in range(90)], "text")):
        table = frame(note=cells)
        with pytest.raises(ValueError, match=f"`note` holds {what}.*ignore="):
            rb.train(table, rules=RULES, **QUICK)
        table.to_csv(tmp_path / "pets.csv", index=False)
        with pytest.raises(ValueError, match=f"`note` holds {what}.*ignore="):
            rb.train(tmp_path / "pets.csv", labels=list(RULES.labels), rules=RULES, **QUICK)
        assert "note" in rb.train(table, rules=RULES, nominal="note", **QUICK).columns
        path = tmp_path / "pets.csv"
        in_file = rb.train(path, labels=list(RULES.labels), rules=RULES, ignore=["no*"], **QUICK)
        assert in_file.columns == ["weight", "fur"]


def test_columns_that_are_probably_ids_are_a_warning() -> None:
    table = pandas.DataFrame({"id": range(1000, 1090), **columns()})
    with pytest.warns(rb.DoubtfulColumn) as told:
        model = rb.train(table, rules=RULES, **QUICK)
    texts = [str(one.message) for one in told]
    assert any("`id` looks like an id and is used as a feature" in text for text in texts)
    assert any("`name` has a different value in nearly every row and is not used" in text for text in texts)
    assert model.columns == ["id", "weight", "fur"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        silent = rb.train(table, rules=RULES, id_column=["id"], ignore="name", **QUICK)
        assert silent.columns == ["weight", "fur"]
        named = rb.train(table, rules=RULES, numeric="id", nominal="name", **QUICK)
        assert named.columns == ["id", "name", "weight", "fur"]
    with pytest.raises(KeyError, match="`nmae` is not a column of the data; did you mean `name`"):
        rb.train(table, rules=RULES, ignore="nmae", **QUICK)
    with pytest.raises(ValueError, match="both nominal and numeric"):
        rb.train(table, rules=RULES, nominal="id", numeric="id", **QUICK)
    with pytest.raises(ValueError, match="row 1: column `fur` has '3 kg', which is not a number"):
        rb.train(frame().assign(fur=["1", "3 kg"] * 45), rules=RULES, numeric="fur", **QUICK)


def test_missing_cells_are_missing_whatever_they_are_called() -> None:
    """Nullable columns, None, NaN and the words of files."""
    fur = ["yes", "no", None] * 30
    plain = frame(fur=fur)
    model = rb.train(plain, rules=RULES, **QUICK)
    expected = model.predict(plain).logits.to_numpy()
    same = [
        pandas.Series(fur, dtype="string"),
        pandas.Series(fur, dtype="category"),
        pandas.Series([cell or np.nan for cell in fur], dtype=object),
        pandas.Series([cell or pandas.NA for cell in fur], dtype=object),
        pandas.Series([cell or "NA" for cell in fur], dtype=object),
    ]
    for cells in same:
        assert rb.train(plain.assign(fur=cells), rules=RULES, **QUICK) == model, cells.dtype
        assert (model.predict(plain.assign(fur=cells)).logits.to_numpy() == expected).all()
    flags = pandas.Series([True, False, pandas.NA] * 30, dtype="boolean")
    found = rb.train(plain.assign(fur=flags), rules=RULES, **QUICK)
    assert found == rb.train(plain.assign(fur=[True, False, None] * 30), rules=RULES, **QUICK)
    weights = plain["weight"].where(plain.index % 5 != 0)
    holes = rb.train(plain.assign(weight=weights), rules=RULES, **QUICK)
    nullable = plain.assign(weight=weights.astype("Float64"))
    assert rb.train(nullable, rules=RULES, **QUICK) == holes


def test_weights_of_rows_come_from_a_column_or_beside_the_data(tmp_path: Path) -> None:
    weights = np.where(np.arange(90) % 3 == 0, 5.0, 1.0)
    beside = rb.train(frame(), rules=RULES, sample_weight=weights, **QUICK)
    column = rb.train(frame(counts=weights), rules=RULES, sample_weight="counts", **QUICK)
    assert column == beside and beside != rb.train(frame(), rules=RULES, **QUICK)
    assert rb.train(frame(), rules=RULES, sample_weight=np.ones(90), **QUICK).predict(frame()).probabilities.equals(
        rb.train(frame(), rules=RULES, **QUICK).predict(frame()).probabilities
    )
    frame(counts=weights).to_csv(tmp_path / "pets.csv", index=False)
    names = list(RULES.labels)
    path = rb.train(tmp_path / "pets.csv", labels=names, rules=RULES, sample_weight="counts", **QUICK)
    assert path.columns == ["weight", "fur"]
    for wrong, message in ((-weights, "is not a weight"), (weights * 0, "no weights above 0"), (weights[:3], "90 rows")):
        with pytest.raises(ValueError, match=message):
            rb.train(frame(), rules=RULES, sample_weight=wrong, **QUICK)


def test_data_is_described_as_by_the_command_line() -> None:
    found = rb.data_info(pandas.DataFrame({"id": range(90), **columns()}), rules=RULES)
    kinds = {column["name"]: (column["kind"], column["is_feature"]) for column in found["columns"]}
    assert kinds["id"] == ("id", True) and kinds["name"] == ("text", False) and kinds["fur"] == ("nominal", True)
    assert found["rows"] == {"train": 90} and found["classes"] == 3


def test_few_rows_are_predicted_like_many(tmp_path: Path) -> None:
    """A value that no other of a few rows has does not make a column one of identifiers."""
    table = frame(fur=["long", "short", "none", "dense", "curly", "7"] * 15)
    model = rb.train(table, rules=RULES, **QUICK)
    expected = model.predict(table).logits.to_numpy()
    table[:6].to_csv(tmp_path / "few.csv", index=False)
    assert (model.predict(table[:6]).logits.to_numpy() == expected[:6]).all()
    assert (model.predict(tmp_path / "few.csv").logits == expected[:6]).all()
    codes = frame(fur=[1, 2, 3] * 30)
    model = rb.train(codes, rules=RULES, nominal="fur", **QUICK)
    expected = model.predict(codes).logits.to_numpy()
    codes.to_csv(tmp_path / "codes.csv", index=False)
    assert (model.predict(tmp_path / "codes.csv").logits == expected).all()
    holes = codes.assign(fur=codes["fur"].where(codes.index != 3))
    assert (model.predict(holes).logits.to_numpy()[4:] == expected[4:]).all()

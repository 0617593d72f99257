"""Arrow data: every layout of scores and features, read where it is."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pets import RULES as PETS
from pets import columns as pet_columns

import rulebound as rb
import rulebound.arrow
from rulebound import handle
from rulebound.arrow.list_table import ListTable

pyarrow = pytest.importorskip("pyarrow")

RULES = rb.Rules.parse("a -> b\nb, not c -> d\nnot d -> e")
CLASSES = len(RULES.labels)


def numbers(rows: int = 40, dtype: type = np.float32, seed: int = 0) -> Any:
    return np.random.default_rng(seed).random((rows, CLASSES)).astype(dtype)


def lists(values: Any, kind: str = "list") -> Any:
    """Rows as a column, built by pyarrow and not by the package."""
    number = pyarrow.from_numpy_dtype(values.dtype)
    types = {
        "list": pyarrow.list_(number),
        "large_list": pyarrow.large_list(number),
        "fixed_size_list": pyarrow.list_(number, values.shape[1]),
    }
    return pyarrow.array(values.tolist(), types[kind])


def batch(values: Any, kind: str = "list") -> Any:
    ids = pyarrow.array(range(len(values)))
    return pyarrow.record_batch({"id": ids, "scores": lists(values, kind), "text": ids.cast("string")})


def array(column: Any) -> Any:
    return np.array(column.to_pylist())


@pytest.mark.parametrize("kind", ["list", "large_list", "fixed_size_list"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_of_any_type(kind: str, dtype: type) -> None:
    values = numbers(dtype=dtype)
    given = batch(values, kind)
    done = rulebound.arrow.apply(given, RULES, scores="scores")
    assert isinstance(done, pyarrow.RecordBatch) and done.schema == given.schema
    assert done.column("id") == given.column("id") and done.column("text") == given.column("text")
    expected = RULES.apply(values)
    assert np.array_equal(array(done.column("scores")).astype(dtype), expected)
    done.validate(full=True)
    # A slice starts anywhere in its buffers.
    part = rulebound.arrow.apply(given.slice(3, 11), RULES, scores="scores")
    assert part.equals(done.slice(3, 11))
    part.validate(full=True)


def test_one_thread_and_many_agree() -> None:
    values = numbers(40_000)
    given = pyarrow.record_batch(
        {"scores": pyarrow.FixedSizeListArray.from_arrays(values.reshape(-1), CLASSES)}
    )
    alone = rulebound.arrow.apply(given, RULES, scores="scores", parallel=False)
    assert alone.equals(rulebound.arrow.apply(given, RULES, scores="scores"))
    found = alone.column(0).values.to_numpy().reshape(values.shape)
    assert np.array_equal(found, RULES.apply(values))


@pytest.mark.parametrize("kind", ["list", "large_list", "fixed_size_list"])
def test_numbers_are_read_in_place(kind: str) -> None:
    given = batch(numbers(), kind).slice(5, 20)
    column = given.column("scores")
    table = ListTable(given, "scores", RULES.labels)
    view = table.values()
    start = column.values.buffers()[1].address + 5 * CLASSES * 4
    assert view.__array_interface__["data"][0] == start and not view.flags.owndata
    # What comes back is the memory of the result, not another copy of it.
    coherent = RULES.apply(view)
    result = table.replaced(coherent).column("scores")
    assert result.values.buffers()[1].address == coherent.__array_interface__["data"][0]


def test_columns_of_classes() -> None:
    values = numbers(dtype=np.float64)
    columns = {name: values[:, place] for place, name in enumerate(RULES.labels)}
    table = pyarrow.table({"id": range(40), **columns}).replace_schema_metadata({"by": "somebody"})
    done = rulebound.arrow.apply(table, RULES)
    expected = RULES.apply(values)
    assert done.schema.equals(table.schema, check_metadata=True)
    for place, name in enumerate(RULES.labels):
        assert np.array_equal(done.column(name).to_numpy(), expected[:, place])
    # By other names, in the order of the classes.
    renamed = table.rename_columns(["id", *(f"score of {name}" for name in RULES.labels)])
    done = rulebound.arrow.apply(renamed, RULES, columns=renamed.column_names[1:])
    assert np.array_equal(done.column(5).to_numpy(), expected[:, 4])
    # Columns of one result are parts of one buffer.
    one = rulebound.arrow.apply(table.to_batches()[0], RULES)
    addresses = [one.column(name).buffers()[1].address for name in RULES.labels]
    assert np.diff(addresses).tolist() == [8 * 40] * (CLASSES - 1)
    with pytest.raises(KeyError, match="no column for the class `e`; did you mean"):
        rulebound.arrow.apply(table.drop_columns("e").append_column("ee", table.column("e")), RULES)
    with pytest.raises(ValueError, match="2 columns for 5 classes"):
        rulebound.arrow.apply(table, RULES, columns=["a", "b"])
    with pytest.raises(ValueError, match="leave one of them out"):
        rulebound.arrow.apply(table, RULES, columns=list("abcde"), scores="a")
    nulls = table.set_column(1, "a", pyarrow.array([0.5] * 39 + [None]))
    with pytest.raises(rb.ScoreError) as raised:
        rulebound.arrow.apply(nulls, RULES)
    assert (raised.value.row, raised.value.label) == (39, "a")


def test_chunks_stay_apart() -> None:
    values = numbers()
    table = pyarrow.Table.from_batches([batch(values[:10]), batch(values[10:13]), batch(values[13:])])
    done = rulebound.arrow.apply(table, RULES, scores="scores")
    assert done.column("scores").num_chunks == 3
    assert np.array_equal(array(done.column("scores")).astype(np.float32), RULES.apply(values))
    # Chunks of other columns may be others.
    other = table.set_column(0, "id", pyarrow.chunked_array([[0] * 15, [1] * 25]))
    assert rulebound.arrow.apply(other, RULES, scores="scores").column("scores") == done.column("scores")
    reader = rulebound.arrow.apply(table.to_reader(), RULES, scores="scores")
    assert isinstance(reader, pyarrow.RecordBatchReader) and reader.schema == table.schema
    assert reader.read_all() == done


class Capsules:
    """Arrow data of a library that is not pyarrow."""

    def __init__(self, data: Any, name: str) -> None:
        setattr(type(self), name, lambda _self, schema=None: getattr(data, name)(schema))


def test_anything_that_speaks_arrow() -> None:
    class Batch(Capsules):
        pass

    class Stream(Capsules):
        pass

    given = batch(numbers())
    expected = rulebound.arrow.apply(given, RULES, scores="scores")
    found = rulebound.arrow.apply(Batch(given, "__arrow_c_array__"), RULES, scores="scores")
    assert found.equals(expected)
    table = pyarrow.Table.from_batches([given, given])
    found = rulebound.arrow.apply(Stream(table, "__arrow_c_stream__"), RULES, scores="scores")
    assert found == pyarrow.Table.from_batches([expected, expected])
    with pytest.raises(TypeError, match="ndarray is not Arrow data"):
        rulebound.arrow.apply(numbers(), RULES, scores="scores")


def test_no_rows() -> None:
    empty = batch(numbers())[:0]
    for data in (empty, pyarrow.Table.from_batches([], empty.schema), pyarrow.Table.from_batches([empty])):
        done = rulebound.arrow.apply(data, RULES, scores="scores", predicted="labels")
        assert done.num_rows == 0 and done.schema.names == ["id", "scores", "text", "labels"]
        assert done.schema.field("scores") == empty.schema.field("scores")


@pytest.mark.parametrize("kind", ["list", "large_list", "fixed_size_list"])
def test_missing_scores_are_named(kind: str) -> None:
    rows: list[Any] = numbers().tolist()
    type_ = batch(numbers(), kind).schema.field("scores").type
    rows[7] = None
    given = pyarrow.record_batch({"scores": pyarrow.array(rows, type_)})
    with pytest.raises(rb.ScoreError, match="row 7: no list in the column `scores`") as raised:
        rulebound.arrow.apply(given, RULES, scores="scores")
    assert raised.value.row == 7
    with pytest.raises(rb.ScoreError, match="row 2: no list"):
        rulebound.arrow.apply(given.slice(5), RULES, scores="scores")
    # Only the rows of a slice count.
    assert rulebound.arrow.apply(given.slice(8), RULES, scores="scores").num_rows == 32
    rows[7] = [0.5, 0.5, None, 0.5, 0.5]
    given = pyarrow.record_batch({"scores": pyarrow.array(rows, type_)})
    for start, row in ((0, 7), (6, 1)):
        with pytest.raises(rb.ScoreError, match=f"row {row}: no number for `c`") as raised:
            rulebound.arrow.apply(given.slice(start), RULES, scores="scores")
        assert (raised.value.row, raised.value.label) == (row, "c")
    assert rulebound.arrow.apply(given.slice(8), RULES, scores="scores").num_rows == 32


def test_lists_of_another_length_are_named() -> None:
    rows = numbers().tolist()
    rows[4].append(0.5)
    rows[5].pop()
    # The sum of all lengths is right.
    given = pyarrow.record_batch({"scores": pyarrow.array(rows, pyarrow.list_(pyarrow.float32()))})
    with pytest.raises(rb.ScoreError, match="row 4: 6 numbers in the column `scores`") as raised:
        rulebound.arrow.apply(given, RULES, scores="scores")
    assert raised.value.row == 4
    with pytest.raises(rb.ScoreError, match="row 0: 4 numbers"):
        rulebound.arrow.apply(given.slice(5), RULES, scores="scores")
    narrow = pyarrow.record_batch({"scores": lists(numbers()[:, :3], "fixed_size_list")})
    with pytest.raises(ValueError, match="3 numbers in each row of the column `scores`"):
        rulebound.arrow.apply(narrow, RULES, scores="scores")


def test_nan_is_named_with_its_row_in_the_table() -> None:
    values = numbers()
    values[12, 3] = np.nan
    table = pyarrow.Table.from_batches([batch(values[:10]), batch(values[10:])])
    with pytest.raises(rb.ScoreError, match="row 12") as raised:
        rulebound.arrow.apply(table, RULES, scores="scores")
    assert (raised.value.row, raised.value.label) == (12, "d")
    # Errors of workers arrive with all that they know.
    arrived = pickle.loads(pickle.dumps(raised.value))
    assert (str(arrived), arrived.row, arrived.label) == (str(raised.value), 12, "d")


def test_columns_that_are_no_lists_of_numbers() -> None:
    given = batch(numbers())
    with pytest.raises(KeyError, match="no column `score`; did you mean `scores`"):
        rulebound.arrow.apply(given, RULES, scores="score")
    with pytest.raises(TypeError, match="column `id` has no lists of numbers, but int64"):
        rulebound.arrow.apply(given, RULES, scores="id")
    texts = pyarrow.record_batch({"scores": [["a"] * CLASSES]})
    with pytest.raises(TypeError, match="lists of the column `scores` have no numbers, but string"):
        rulebound.arrow.apply(texts, RULES, scores="scores")
    twice = pyarrow.RecordBatch.from_arrays([given.column(1)] * 2, ["scores"] * 2)
    with pytest.raises(ValueError, match="several columns are called `scores`"):
        rulebound.arrow.apply(twice, RULES, scores="scores")


def test_predicted_classes_by_name() -> None:
    values = numbers()
    done = rulebound.arrow.apply(batch(values), RULES, scores="scores", predicted="labels", thresholds=0.3)
    decisions = RULES.apply(values, decisions=True, thresholds=0.3).decisions
    names = [[RULES.labels[place] for place in np.flatnonzero(row)] for row in decisions]
    assert done.column("labels").to_pylist() == names
    with pytest.raises(ValueError, match="there is a column `id` already"):
        rulebound.arrow.apply(batch(values), RULES, scores="scores", predicted="id")


def test_tensor_columns_stay_tensors() -> None:
    values = numbers()
    column = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(values)
    given = pyarrow.record_batch({"scores": column})
    done = rulebound.arrow.apply(given, RULES, scores="scores")
    assert done.schema == given.schema
    assert np.array_equal(done.column(0).to_numpy_ndarray(), RULES.apply(values))


@pytest.fixture(scope="module")
def model() -> Any:
    return rb.train(
        pyarrow.table(pet_columns()).select(["weight", "fur", *PETS.labels]),
        labels=list(PETS.labels), rules=PETS, epochs=10, hidden=[8], seed=1,
    )


def test_predictions(model: Any) -> None:
    table = pyarrow.table(pet_columns(30, 5))
    expected = model.predict(table.select(["weight", "fur"]))
    chunks = pyarrow.concat_tables([table.slice(0, 13), table.slice(13)])
    done = rulebound.arrow.predict(chunks, model, predicted="labels", keep=["name"])
    assert done.schema.names == ["name", "scores", "labels"]
    assert done.column("name").to_pylist() == table.column("name").to_pylist()
    assert np.array_equal(array(done.column("scores")).astype(np.float32), expected.probabilities)
    names = [[PETS.labels[place] for place in np.flatnonzero(row)] for row in expected.decisions]
    assert done.column("labels").to_pylist() == names
    for kind in ("logits", "margins"):
        found = rulebound.arrow.predict(table, model, kind=kind, scores="s", parallel=False).column("s")
        assert np.array_equal(array(found).astype(np.float32), getattr(expected, kind))
    with pytest.raises(KeyError, match="no column `fur`"):
        rulebound.arrow.predict(table.drop_columns("fur"), model)
    with pytest.raises(ValueError, match="there is a column `name` already"):
        rulebound.arrow.predict(table, model, scores="name")
    with pytest.raises(ValueError, match="kind 'margin' is not one of"):
        rulebound.arrow.predict(table, model, kind="margin")
    assert rulebound.arrow.predict(table.slice(0, 0), model).num_rows == 0


def test_features_in_a_list_column() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(60, 4)).astype(np.float32)
    labels = PETS.close(features[:, :3] > 0.5)
    model = rb.train((features, labels), rules=PETS, epochs=5, hidden=[8], seed=1)
    expected = model.predict(features).probabilities
    given = pyarrow.record_batch({"x": lists(features, "large_list")})
    done = rulebound.arrow.predict(given, model, features="x", keep=[])
    assert done.schema.names == ["scores"]
    assert np.array_equal(array(done.column("scores")).astype(np.float32), expected)
    with pytest.raises(ValueError, match="row 0: 3 numbers in the column `x`"):
        rulebound.arrow.predict(pyarrow.record_batch({"x": lists(features[:, :3])}), model, features="x")


def test_missing_features_are_missing(model: Any) -> None:
    table = pyarrow.table(pet_columns(6, 5)).select(["weight", "fur"])
    weights = table.column("weight").to_pylist()
    weights[2] = None
    given = table.set_column(0, "weight", pyarrow.array(weights))
    nan = table.set_column(0, "weight", pyarrow.array([float("nan") if w is None else w for w in weights]))
    found = rulebound.arrow.predict(given, model).column("scores")
    assert found == rulebound.arrow.predict(nan, model).column("scores")
    # A batch in which nobody says whether there is fur; text that is stored as numbers of a dictionary.
    silent = table.set_column(1, "fur", pyarrow.nulls(6, pyarrow.string()))
    assert np.isfinite(array(rulebound.arrow.predict(silent, model).column("scores"))).all()
    encoded = table.set_column(1, "fur", table.column("fur").dictionary_encode())
    expected = rulebound.arrow.predict(table, model).column("scores")
    assert rulebound.arrow.predict(encoded, model).column("scores") == expected


def test_what_arrives_is_opened_once_per_process(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "pets.rulebound"
    model.save(path)
    for made in (handle.rules_handle(RULES), handle.model_handle(model), handle.model_handle(path)):
        parcel = pickle.dumps(made)
        assert pickle.loads(parcel).open() is pickle.loads(parcel).open()
    assert handle.model_handle(path).open() == model
    assert handle.rules_handle(RULES).open() is not handle.rules_handle(PETS).open()
    # Another file at the same path is another model.
    before = handle.model_handle(path).open()
    model.with_thresholds(0.3).save(path)
    assert handle.model_handle(path).open().thresholds == [0.3] * 3 and before.thresholds == [0.5] * 3
    # No more than so many are kept.
    for extra in range(handle.MOST_OPEN + 3):
        handle.rules_handle(rb.Rules.parse(f"cat -> animal{extra}")).open()
    assert len(handle._open) == handle.MOST_OPEN
    # In another process too, where the job arrives twice and the rules are read once.
    job = rulebound.arrow.Application(RULES, scores="scores")
    (tmp_path / "job").write_bytes(pickle.dumps(job))
    (tmp_path / "batch").write_bytes(pickle.dumps(batch(numbers())))
    code = (
        "import pickle, rulebound, rulebound.arrow\n"
        "read = rulebound.Rules.from_bytes\n"
        "jobs = [pickle.load(open('job', 'rb')) for _ in range(3)]\n"
        "batch = pickle.load(open('batch', 'rb'))\n"
        "results = [job(batch) for job in jobs for _ in range(2)]\n"
        "assert all(result.equals(results[0]) for result in results)\n"
        "assert len({id(job._rules.open()) for job in jobs}) == 1\n"
        "open('result', 'wb').write(pickle.dumps(results[0]))\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert pickle.loads((tmp_path / "result").read_bytes()).equals(job(batch(numbers())))


def test_importing_the_package_imports_no_engine() -> None:
    code = "import sys, rulebound.arrow\nassert not {'pyarrow', 'pyspark', 'ray'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

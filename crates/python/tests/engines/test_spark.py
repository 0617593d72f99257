"""`rulebound.spark`: what comes out is what the command line says, however rows are divided."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scene import CLASSES, ROWS, Scene, check_evaluation, evaluated, random_truth, run_command, same_bits, sorted_numbers

import rulebound as rb
import rulebound.arrow
import rulebound.spark

BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


@pytest.fixture(params=[(1, 10_000), (2, 97), (7, 1), (7, 250)], ids=lambda found: f"{found[0]}x{found[1]}")
def division(request: pytest.FixtureRequest, spark: Any) -> Iterator[int]:
    """How many partitions there are; how many rows are in a batch."""
    partitions, rows = request.param
    before = spark.conf.get(BATCH, "10000")
    spark.conf.set(BATCH, str(rows))
    yield int(partitions)
    spark.conf.set(BATCH, before)


def frame(spark: Any, table: Any, partitions: int) -> Any:
    return spark.createDataFrame(table).repartition(partitions)


def test_lists_in_any_division(spark: Any, scene: Scene, division: int) -> None:
    df = frame(spark, scene.lists(), division)
    done = rulebound.spark.apply(df, scene.rules, scores="scores", kind=scene.kind)
    assert [field.name for field in done.schema.fields] == ["id", "scores", "text"]
    assert done.schema["scores"].dataType == df.schema["scores"].dataType
    table = done.toArrow()
    assert same_bits(sorted_numbers(table), scene.coherent)
    assert table.sort_by("id").column("text").to_pylist() == scene.lists().column("text").to_pylist()


def test_columns_in_any_division(spark: Any, scene: Scene, division: int) -> None:
    df = frame(spark, scene.columns(), division)
    done = rulebound.spark.apply(df, scene.rules, kind=scene.kind)
    assert done.columns == df.columns
    table = done.toArrow().sort_by("id")
    assert table.column("id").to_pylist() == list(range(ROWS))
    found = np.stack([table.column(f"c{at}").to_numpy() for at in range(CLASSES)], axis=1)
    assert same_bits(found, scene.coherent)


def test_predicted_classes_by_name(spark: Any, scene: Scene) -> None:
    df = frame(spark, scene.lists(), 3)
    done = rulebound.spark.apply(df, scene.rules, scores="scores", kind=scene.kind, predicted="labels")
    table = done.toArrow().sort_by("id")
    level = 0.5 if scene.kind == "probabilities" else 0.0
    names = [[f"c{at}" for at in np.flatnonzero(row > level)] for row in scene.coherent]
    assert table.column("labels").to_pylist() == names


def test_partitions_without_rows(spark: Any, scene: Scene) -> None:
    df = spark.createDataFrame(scene.lists().slice(0, 2)).repartition(7)
    done = rulebound.spark.apply(df, scene.rules, scores="scores", kind=scene.kind)
    assert done.toArrow().num_rows == 2
    assert done.filter("id < 0").toArrow().num_rows == 0


def test_rules_are_opened_once_per_process(spark: Any, scene: Scene) -> None:
    job = rulebound.arrow.Application(scene.rules, scores="scores", kind=scene.kind)

    def places(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            job.batch(batch)
            found = {"process": [os.getpid()], "place": [id(job._rules.open())]}
            yield pyarrow.RecordBatch.from_pydict(found)

    rows = frame(spark, scene.lists(), 7).mapInArrow(places, "process bigint, place bigint").collect()
    processes = {row.process for row in rows}
    assert len(rows) >= 7
    assert len({(row.process, row.place) for row in rows}) == len(processes)


def test_mistakes_are_found_before_anything_runs(spark: Any, scene: Scene) -> None:
    df = spark.createDataFrame(scene.lists())
    with pytest.raises(KeyError, match="no column `score`"):
        rulebound.spark.apply(df, scene.rules, scores="score")
    with pytest.raises(TypeError, match="column `id` has no arrays of numbers, but bigint"):
        rulebound.spark.apply(df, scene.rules, scores="id")
    with pytest.raises(KeyError, match="no column `c"):
        rulebound.spark.apply(df, scene.rules)


def test_mistakes_of_workers_have_their_row(spark: Any, scene: Scene) -> None:
    scores = scene.scores.copy()
    scores[1234, 7] = np.nan
    table = Scene(scene.rules, scores, scene.coherent, scene.kind).lists()
    done = rulebound.spark.apply(spark.createDataFrame(table).coalesce(1), scene.rules, scores="scores", kind=scene.kind)
    with pytest.raises(Exception, match="row 1234: .*`c7`"):
        done.toArrow()


@pytest.mark.parametrize("scene", ["probabilities-float32"], indirect=True)
@pytest.mark.parametrize("counted", ["present", "all"])
def test_metrics_of_partitions(spark: Any, scene: Scene, counted: str, tmp_path: Path) -> None:
    truth = random_truth()
    command = evaluated(scene, truth, tmp_path, counted)
    marks = pyarrow.array(truth.astype(bool).tolist(), pyarrow.list_(pyarrow.bool_()))
    lists = scene.lists().append_column("truth", marks)
    results = []
    for partitions in (1, 7):
        df = frame(spark, lists, partitions)
        options = {"truth": "truth", "scores": "scores", "labels_in_metrics": counted}
        results.append(rulebound.spark.evaluate(df, scene.rules, **options))
        check_evaluation(results[-1], command)
    assert results[0] == results[1]
    # One column per class.
    columns = {f"truth of c{at}": truth[:, at] for at in range(CLASSES)}
    columns |= {f"c{at}": scene.scores[:, at] for at in range(CLASSES)}
    df = frame(spark, pyarrow.table(columns), 2)
    sides = {"truth": [f"truth of c{at}" for at in range(CLASSES)], "scores": [f"c{at}" for at in range(CLASSES)]}
    assert rulebound.spark.evaluate(df, scene.rules, labels_in_metrics=counted, **sides) == results[0]
    # Scores of fewer bits: the exact values are between the bounds.
    rough = rulebound.spark.evaluate(frame(spark, lists, 3), scene.rules, bits=12, **options)
    low, high = rough["bounds"]["auprc"]
    assert low <= results[0]["auprc"] <= high and low < high
    # Names alone have no rules to break.
    plain = rulebound.spark.evaluate(df, list(scene.rules.labels), labels_in_metrics=counted, **sides)
    assert "incoherent_rows" not in plain and plain["auprc"] == results[0]["auprc"]
    with pytest.raises(ValueError, match="labels_in_metrics 'some' is not one of"):
        rulebound.spark.evaluate(df, scene.rules, labels_in_metrics="some", **sides)


def listed_scores(scene: Scene) -> Any:
    """Some classes of each row, in a table with all others left out, and what the dense layer makes of these."""
    listed = np.random.default_rng(3).random(scene.scores.shape) < 0.2
    lowest = 0 if scene.kind == "probabilities" else -np.inf
    dense = np.where(listed, scene.scores, np.array(lowest, scene.scores.dtype))
    coherent = scene.rules.apply(dense, kind=scene.kind)
    rows, classes = np.nonzero(listed)
    shuffled = np.random.default_rng(4).permutation(len(rows))
    names = np.array(scene.rules.labels)
    table = pyarrow.table({"id": rows, "class": names[classes], "score": scene.scores[rows, classes]}).take(shuffled)
    rows, classes = np.nonzero(coherent > lowest)
    expected = pyarrow.table({"id": rows, "class": names[classes], "score": coherent[rows, classes]})
    return table, expected.sort_by([("id", "ascending"), ("class", "ascending")])


def test_a_long_table_is_that_of_the_command(spark: Any, scene: Scene, tmp_path: Path) -> None:
    table, expected = listed_scores(scene)
    table = table.sort_by("id")
    pyarrow.parquet.write_table(table, tmp_path / "scores.parquet")
    (tmp_path / "rules").write_text(scene.rules.text())
    (tmp_path / "labels").write_text("\n".join(scene.rules.labels))
    options = ["--logits"] if scene.kind == "logits" else []
    run_command(
        "apply", "--layout", "long", "--rules", tmp_path / "rules", "--labels", tmp_path / "labels", "--scores",
        tmp_path / "scores.parquet", "--out", tmp_path / "out.parquet", *options,
    )
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    order = [("id", "ascending"), ("class", "ascending")]
    assert found.cast(expected.schema).sort_by(order).equals(expected)


def test_long_tables_in_any_division(spark: Any, scene: Scene, division: int) -> None:
    table, expected = listed_scores(scene)
    df = frame(spark, table, division)
    done = rulebound.spark.apply(df, scene.rules, long=("id", "class", "score"), kind=scene.kind)
    found = done.toArrow().sort_by([("id", "ascending"), ("class", "ascending")]).cast(expected.schema)
    assert found.equals(expected)
    # Lines that are together already are not moved.
    ordered = spark.createDataFrame(table.sort_by("id")).coalesce(1)
    done = rulebound.spark.apply(ordered, scene.rules, long=("id", "class", "score"), kind=scene.kind, grouped=True)
    found = done.toArrow().sort_by([("id", "ascending"), ("class", "ascending")]).cast(expected.schema)
    assert found.equals(expected)


def test_mistakes_of_long_tables_have_their_id(spark: Any, scene: Scene) -> None:
    table = pyarrow.table({"id": [1, 7, 7], "class": ["c0", "c1", "dog"], "score": [0.5, 0.5, 0.5]})
    for grouped in (False, True):
        df = spark.createDataFrame(table).coalesce(1)
        done = rulebound.spark.apply(df, scene.rules, long=("id", "class", "score"), grouped=grouped)
        with pytest.raises(Exception, match="id 7: `dog` is not a class of the rules"):
            done.toArrow()


def test_listed_classes(spark: Any, scene: Scene) -> None:
    table, expected = listed_scores(scene)
    groups = table.group_by("id").aggregate([("class", "list"), ("score", "list")])
    groups = groups.rename_columns(["id", "classes", "scores"])
    df = frame(spark, groups, 5)
    done = rulebound.spark.apply(df, scene.rules, classes="classes", scores="scores", kind=scene.kind)
    assert done.columns == ["id", "classes", "scores"]
    found = [
        {"id": row["id"], "class": name, "score": score}
        for row in done.toArrow().to_pylist()
        for name, score in zip(row["classes"], row["scores"], strict=True)
    ]
    lines = pyarrow.Table.from_pylist(found, schema=expected.schema)
    assert lines.sort_by([("id", "ascending"), ("class", "ascending")]).equals(expected)


@pytest.fixture(scope="module")
def model() -> Any:
    random = np.random.default_rng(0)
    features = random.normal(size=(200, 4)).astype(np.float32)
    rules = rb.Rules.parse("cat -> animal\ndog -> animal", ["animal", "cat", "dog"])
    labels = rules.close(features[:, :3] > 0.7)
    frame = pyarrow.table({f"x{at}": features[:, at] for at in range(4)} | dict(zip(rules.labels, labels.T, strict=True)))
    return rb.train(frame, labels=list(rules.labels), rules=rules, epochs=5, hidden=[8], seed=1)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_predictions(spark: Any, model: Any, partitions: int, tmp_path: Any) -> None:
    features = np.random.default_rng(1).normal(size=(ROWS, 4)).astype(np.float32)
    expected = model.predict(features)
    table = pyarrow.table({"id": range(ROWS), "unused": range(ROWS)} | {f"x{at}": features[:, at] for at in range(4)})
    done = rulebound.spark.predict(frame(spark, table, partitions), model, keep=["id"], predicted="labels")
    assert done.columns == ["id", "scores", "labels"]
    found = done.toArrow()
    assert same_bits(sorted_numbers(found), expected.probabilities)
    names = [[model.labels[at] for at in np.flatnonzero(row)] for row in expected.decisions]
    assert found.sort_by("id").column("labels").to_pylist() == names
    # By its path, with features in one column.
    model.save(tmp_path / "pets.rulebound")
    lists = pyarrow.table({"id": range(ROWS), "x": pyarrow.array(features.tolist(), pyarrow.list_(pyarrow.float32()))})
    done = rulebound.spark.predict(
        frame(spark, lists, partitions), tmp_path / "pets.rulebound", features="x", kind="logits", scores="logits"
    )
    assert done.columns == ["id", "x", "logits"]
    assert same_bits(sorted_numbers(done.toArrow(), "logits"), expected.logits)
    with pytest.raises(KeyError, match="no column `x0`"):
        rulebound.spark.predict(frame(spark, lists, 1), model)

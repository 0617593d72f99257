"""Rules and models on DataFrames of Spark, classic or Connect: everything runs in the workers, on Arrow batches.

    import rulebound.spark
    coherent = rulebound.spark.apply(df, rules, scores="scores")

Workers need this package. Rules travel with the function and are compiled once per Python process; a model does, too, or
only its path, which every worker must be able to read. Nothing is computed before Spark is asked for a result.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rulebound.arrow.application import Application
from rulebound.arrow.listed_application import ListedApplication
from rulebound.arrow.long_application import LongApplication
from rulebound.arrow.measurement import Measurement
from rulebound.arrow.model_job import ModelJob
from rulebound.arrow.score_job import score_job
from rulebound.model import Model
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds

__all__ = ["apply", "evaluate", "predict"]


def apply(
    df: Any,
    rules: Rules | str | os.PathLike[str],
    *,
    scores: str | None = None,
    columns: Sequence[str] | None = None,
    long: Sequence[str] | None = None,
    classes: str | None = None,
    kind: str = "probabilities",
    thresholds: Thresholds = None,
    predicted: str | None = None,
    top: int | None = None,
    above: float | None = None,
    grouped: bool = False,
) -> Any:
    """A DataFrame whose scores satisfy the rules, with the same columns in the same order.

    Scores are in the column `scores` of arrays, in the order of `rules.labels`, or in `columns`, one per class (by default,
    those with the names of the classes). Arrays and columns stay FLOAT where all are, and are DOUBLE otherwise. With
    `predicted`, a new last column of this name, ARRAY<STRING>, lists the predicted classes. Everything else is as in
    `Rules.apply`; rows of errors count from the beginning of a partition.

    A table that is `long=(id, class, score)` has a line for each class of a row; the result has these columns, too. Spark brings
    the lines of an id together, unless they are `grouped` already: in one partition, one after the other. The same as two
    columns of arrays, `classes` and `scores`, needs no shuffle, and other columns stay. `top` and `above` are as in
    `rulebound.arrow.apply`.
    """
    job = score_job(
        rules,
        scores=scores,
        columns=columns,
        long=long,
        classes=classes,
        kind=kind,
        thresholds=thresholds,
        predicted=predicted,
        top=top,
        above=above,
        parallel=False,
    )
    if isinstance(job, LongApplication):
        return _applied_long(df, job, grouped)
    if isinstance(job, ListedApplication):
        return _applied_listed(df, job)
    return _applied(df, job, scores)


def _applied(df: Any, job: Application, scores: str | None) -> Any:
    from pyspark.sql import types

    changed = set(job.changed)
    _require(df, job.changed)
    given = [field.dataType for field in df.schema.fields if field.name in changed]
    kinds = given if scores is None else [_element(kind, scores) for kind in given]
    narrow = all(isinstance(kind, types.FloatType) for kind in kinds)
    number = types.FloatType() if narrow else types.DoubleType()
    new = number if scores is None else types.ArrayType(number)
    fields = [
        types.StructField(field.name, new if field.name in changed else field.dataType)
        for field in df.schema.fields
    ]
    return df.mapInArrow(job.batches, types.StructType(fields + _predicted(job.predicted)))


def _applied_listed(df: Any, job: ListedApplication) -> Any:
    from pyspark.sql import types

    _require(df, job.changed)
    scores = job.changed[1]
    is_narrow = isinstance(_element(df.schema[scores].dataType, scores), types.FloatType)
    new = types.ArrayType(types.FloatType() if is_narrow else types.DoubleType())
    fields = [
        types.StructField(scores, new) if field.name == scores else field for field in df.schema.fields
    ]
    return df.mapInArrow(job.batches, types.StructType(fields))


def _applied_long(df: Any, job: LongApplication, grouped: bool) -> Any:
    from pyspark.sql import functions, types

    _require(df, job.columns)
    lines = df.select(*job.columns)
    if grouped:
        *others, score = lines.schema.fields
        is_narrow = isinstance(score.dataType, types.FloatType)
        score = types.StructField(score.name, types.FloatType() if is_narrow else types.DoubleType())
        return lines.mapInArrow(job.batches, types.StructType([*others, score]))
    # Not a call per id, as with `applyInArrow`; and not sorted partitions, whose order an engine may take for superfluous.
    by, label, score = job.columns
    rows = lines.toDF("id", "class", "score").groupBy("id")
    rows = rows.agg(functions.collect_list(functions.struct("class", "score")).alias("lines"))
    rows = rows.select("id", functions.col("lines.class").alias("classes"), functions.col("lines.score").alias("scores"))
    done = _applied_listed(rows, job.listed("id", "classes", "scores"))
    return done.select(
        functions.col("id").alias(by), functions.inline(functions.arrays_zip("classes", "scores")).alias(label, score)
    )


def predict(
    df: Any,
    model: Model | str | os.PathLike[str],
    *,
    features: str | None = None,
    scores: str = "scores",
    kind: str = "probabilities",
    predicted: str | None = None,
    keep: Sequence[str] | None = None,
) -> Any:
    """A DataFrame with the predictions of a model in a new column `scores`, ARRAY<FLOAT>, in the order of `model.labels`.

    Features are in columns with the names of `model.columns`, or in the column `features` of arrays, in that order. The
    columns to `keep` come first, all unless they are named; what is neither kept nor needed never leaves Spark. With
    `predicted`, a last column of this name, ARRAY<STRING>, lists the predicted classes.
    """
    from pyspark.sql import types

    job = ModelJob(
        model, features=features, scores=scores, kind=kind, predicted=predicted, keep=keep, parallel=False
    )
    kept = list(df.columns) if keep is None else list(keep)
    _require(df, [*kept, *job.needed])
    narrow = df.select(*dict.fromkeys([*kept, *job.needed]))
    found = {field.name: field for field in narrow.schema.fields}
    new = types.StructField(scores, types.ArrayType(types.FloatType()))
    fields = [found[name] for name in kept] + [new] + _predicted(predicted)
    return narrow.mapInArrow(job.batches, types.StructType(fields))


def _require(df: Any, columns: Sequence[str]) -> None:
    missing = [name for name in columns if name not in df.columns]
    if missing:
        raise KeyError(f"no column `{missing[0]}` among {', '.join(df.columns[:10])}")


def _element(kind: Any, column: str) -> Any:
    from pyspark.sql import types

    if not isinstance(kind, types.ArrayType):
        raise TypeError(f"the column `{column}` has no arrays of numbers, but {kind.simpleString()}")
    return kind.elementType


def _predicted(name: str | None) -> list[Any]:
    from pyspark.sql import types

    return [] if name is None else [types.StructField(name, types.ArrayType(types.StringType()))]


def evaluate(
    df: Any,
    classes: Rules | Sequence[str] | str | os.PathLike[str],
    *,
    truth: str | Sequence[str],
    scores: str | Sequence[str],
    thresholds: Thresholds = None,
    labels_in_metrics: str = "all",
    bits: int | None = None,
) -> dict[str, Any]:
    """The metrics of `rulebound.evaluate` from summaries of the partitions: no row is collected.

    `classes` are rules, which are counted where they are broken, or names. Truth (0 and 1, or BOOLEAN) and probabilities are in a
    column of arrays each, in the order of the classes, or in lists of columns, one per class. With
    `labels_in_metrics="present"` only classes count that occur in the truth; Spark then reads it twice. Summaries are exact, and so may be
    as large as the scores if all of these are different; with `bits`, scores are cut to so many, and the result says between
    which bounds the metrics of curves are.
    """
    measurement = Measurement(
        classes,
        truth=truth,
        scores=scores,
        thresholds=thresholds,
        labels_in_metrics=labels_in_metrics,
        bits=bits,
    )
    _require(df, measurement.columns)
    narrow = df.select(*measurement.columns)

    def lines(function: Any) -> Any:
        # One by one: the driver never has all of them.
        for row in narrow.mapInArrow(function, "summary binary, broken bigint, truth_broken bigint").toLocalIterator():
            yield row.summary, row.broken, row.truth_broken

    counted = measurement.present(lines(measurement.counted)) if measurement.needs_counts else None
    return measurement.result(counted, lines(measurement.measuring(counted)))

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
from rulebound.arrow.model_job import ModelJob
from rulebound.model import Model
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds

__all__ = ["apply", "predict"]


def apply(
    df: Any,
    rules: Rules | str | os.PathLike[str],
    *,
    scores: str | None = None,
    columns: Sequence[str] | None = None,
    kind: str = "probabilities",
    thresholds: Thresholds = None,
    predicted: str | None = None,
    settle: str = "sureness",
) -> Any:
    """A DataFrame whose scores satisfy the rules, with the same columns in the same order.

    Scores are in the column `scores` of arrays, in the order of `rules.labels`, or in `columns`, one per class (by default,
    those with the names of the classes). Arrays and columns stay FLOAT where all are, and are DOUBLE otherwise. With
    `predicted`, a new last column of this name, ARRAY<STRING>, lists the predicted classes. Everything else is as in
    `Rules.apply`; rows of errors count from the beginning of a partition.
    """
    from pyspark.sql import types

    job = Application(
        rules,
        scores=scores,
        columns=columns,
        kind=kind,
        thresholds=thresholds,
        predicted=predicted,
        settle=settle,
        parallel=False,
    )
    changed = set(job.changed)
    missing = sorted(changed - set(df.columns))
    if missing:
        raise KeyError(f"no column `{missing[0]}` among {', '.join(df.columns[:10])}")
    given = [field.dataType for field in df.schema.fields if field.name in changed]
    kinds = given if scores is None else [_element(kind, scores) for kind in given]
    narrow = all(isinstance(kind, types.FloatType) for kind in kinds)
    number = types.FloatType() if narrow else types.DoubleType()
    new = number if scores is None else types.ArrayType(number)
    fields = [
        types.StructField(field.name, new if field.name in changed else field.dataType)
        for field in df.schema.fields
    ]
    return df.mapInArrow(job.batches, types.StructType(fields + _predicted(predicted)))


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
    missing = [name for name in [*kept, *job.needed] if name not in df.columns]
    if missing:
        raise KeyError(f"no column `{missing[0]}` among {', '.join(df.columns[:10])}")
    narrow = df.select(*dict.fromkeys([*kept, *job.needed]))
    found = {field.name: field for field in narrow.schema.fields}
    new = types.StructField(scores, types.ArrayType(types.FloatType()))
    fields = [found[name] for name in kept] + [new] + _predicted(predicted)
    return narrow.mapInArrow(job.batches, types.StructType(fields))


def _element(kind: Any, column: str) -> Any:
    from pyspark.sql import types

    if not isinstance(kind, types.ArrayType):
        raise TypeError(f"the column `{column}` has no arrays of numbers, but {kind.simpleString()}")
    return kind.elementType


def _predicted(name: str | None) -> list[Any]:
    from pyspark.sql import types

    return [] if name is None else [types.StructField(name, types.ArrayType(types.StringType()))]

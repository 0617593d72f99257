"""Rules and models on Arrow data, where it is: what the engines of this world hand over.

>>> import pyarrow
>>> import rulebound as rb
>>> rules = rb.Rules.parse("cat -> animal")
>>> batch = pyarrow.record_batch({"id": [7], "scores": [[0.9, 0.2]]})
>>> apply(batch, rules, scores="scores").column("scores").to_pylist()
[[0.9, 0.9]]

`rulebound.spark` and `rulebound.ray` run the same functions in their workers; Dask and Daft can call these.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rulebound.arrow.application import Application
from rulebound.arrow.batch_job import BatchJob
from rulebound.arrow.listed_application import ListedApplication
from rulebound.arrow.long_application import LongApplication
from rulebound.arrow.model_job import ModelJob
from rulebound.arrow.score_job import score_job
from rulebound.model import Model
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds

__all__ = ["Application", "BatchJob", "ListedApplication", "LongApplication", "ModelJob", "apply", "predict"]


def apply(
    data: Any,
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
    parallel: bool = True,
) -> Any:
    """Scores of Arrow data that satisfy the rules, in what they came in: a RecordBatch, a Table, a RecordBatchReader, or
    anything with `__arrow_c_array__` or `__arrow_c_stream__`.

    Scores are in the list column `scores`, in the order of `rules.labels`, or in `columns`, one per class (by default, those
    with the names of the classes). Other columns stay. With `predicted`, a new column of this name lists the predicted classes.
    A table that is `long=(id, class, score)` has a line for each class of a row, and the lines of an id together; classes that are
    not listed have the lowest score, and only these three columns come back. The same as two list columns, `classes` and `scores`,
    needs no sorting, and other columns stay. `top` and `above` then keep the classes of each row with the highest scores, and those
    with a higher score, with all that follow from them. `parallel=False` stays on one thread, as workers of engines should. Everything else is as in `Rules.apply`.
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
        parallel=parallel,
    )
    return job.run(data)


def predict(
    data: Any,
    model: Model | str | os.PathLike[str],
    *,
    features: str | None = None,
    scores: str = "scores",
    kind: str = "probabilities",
    predicted: str | None = None,
    keep: Sequence[str] | None = None,
    parallel: bool = True,
) -> Any:
    """Predictions for Arrow data as one more list column, `scores`, in the order of `model.labels`.

    Features are in columns with the names of `model.columns`, or in the list column `features`, in that order. All columns stay
    unless those to `keep` are named. With `predicted`, a new column of this name lists the predicted classes.
    """
    job = ModelJob(
        model, features=features, scores=scores, kind=kind, predicted=predicted, keep=keep, parallel=parallel
    )
    return job.run(data)

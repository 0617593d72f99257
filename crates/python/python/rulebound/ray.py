"""Rules and models on datasets of Ray Data, on Arrow blocks in its object store.

    import rulebound.ray
    coherent = rulebound.ray.apply(ds, rules, scores="scores")

is the same as

    ds.map_batches(rulebound.ray.Apply(rules, scores="scores"), batch_format="pyarrow", zero_copy_batch=True)

An instance runs as tasks: Ray gives a CPU to each while it runs, and starts it elsewhere where a worker dies; the rules are
compiled once per worker process, whoever sends them. A class runs as actors, which keep their CPUs while they wait: with as
many actors as CPUs, no CPU is left to read the data, and nothing ever happens. If you want actors (for a model that takes
long to load), let each have a part of a CPU:

    ds.map_batches(rulebound.ray.Predict, fn_constructor_args=("model.rulebound",), compute=ray.data.ActorPoolStrategy(size=2),
                   num_cpus=0.5, batch_format="pyarrow", zero_copy_batch=True)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rulebound.arrow.measurement import Measurement
from rulebound.arrow.model_job import ModelJob
from rulebound.arrow.score_job import score_job
from rulebound.model import Model
from rulebound.rules import Rules

__all__ = ["Apply", "Predict", "apply", "evaluate", "predict"]


class Apply:
    """Makes the scores of batches coherent; its arguments are those of `rulebound.arrow.apply`. One thread is used unless
    `parallel`. Of a `long` table, a batch must have all lines of its ids."""

    def __init__(
        self, rules: Rules | str | os.PathLike[str], *, parallel: bool = False, **options: Any
    ) -> None:
        self._job = score_job(rules, parallel=parallel, **options)
        # Ray shows it, and asks for it where there are groups.
        self.__name__ = type(self).__name__

    def __call__(self, batch: Any) -> Any:
        return self._job.run(batch)


class Predict:
    """Predicts batches; its arguments are those of `rulebound.arrow.predict`. One thread is used unless `parallel`."""

    def __init__(
        self, model: Model | str | os.PathLike[str], *, parallel: bool = False, **options: Any
    ) -> None:
        self._job = ModelJob(model, parallel=parallel, **options)
        self.__name__ = type(self).__name__

    def __call__(self, batch: Any) -> Any:
        return self._job.run(batch)


def apply(ds: Any, rules: Rules | str | os.PathLike[str], **options: Any) -> Any:
    """A dataset whose scores satisfy the rules; options are those of `Apply`. The lines of a `long` table are grouped by their
    ids, with a call for each; lists of `classes` and `scores` need no groups and are faster."""
    function = Apply(rules, **options)
    if options.get("long") is None:
        return _mapped(ds, function)
    return ds.groupby(options["long"][0]).map_groups(function, batch_format="pyarrow")


def predict(ds: Any, model: Model | str | os.PathLike[str], **options: Any) -> Any:
    """A dataset with predictions; options are those of `Predict`."""
    return _mapped(ds, Predict(model, **options))


def _mapped(ds: Any, function: Any) -> Any:
    # Whole blocks, where they are.
    return ds.map_batches(function, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)


def evaluate(
    ds: Any,
    classes: Rules | Sequence[str] | str | os.PathLike[str],
    *,
    truth: str | Sequence[str],
    scores: str | Sequence[str],
    **options: Any,
) -> dict[str, Any]:
    """The metrics of `rulebound.evaluate` from summaries of the blocks, as `rulebound.spark.evaluate`, whose options are these."""
    measurement = Measurement(classes, truth=truth, scores=scores, **options)
    narrow = ds.select_columns(list(dict.fromkeys(measurement.columns)))

    def lines(function: Any) -> Any:
        for row in _mapped(narrow, _Summary(function)).iter_rows():
            yield row["summary"], row["broken"], row["truth_broken"]

    counted = measurement.present(lines(measurement.counted)) if measurement.needs_counts else None
    return measurement.result(counted, lines(measurement.measuring(counted)))


class _Summary:
    """One line of a block."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, block: Any) -> Any:
        import pyarrow

        return pyarrow.Table.from_batches(self._function(block.to_batches()))

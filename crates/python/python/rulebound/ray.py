"""Rules and models on datasets of Ray Data, on Arrow blocks in its object store.

    import rulebound.ray
    coherent = rulebound.ray.apply(ds, rules, scores="scores")

is the same as

    ds.map_batches(rulebound.ray.Apply(rules, scores="scores"), batch_format="pyarrow", zero_copy_batch=True)

An instance runs as tasks: Ray gives a CPU to each while it runs, and starts it elsewhere where a worker dies; the rules are
compiled once per worker process, whoever sends them. A class runs as actors, which keep their CPUs while they wait: with as
many actors as CPUs, no CPU is left to read the data, and nothing ever happens. If you want actors (for a model that takes
long to load), let each have a part of a CPU:

    ds.map_batches(rulebound.ray.Predict, fn_constructor_args=("model.rulebound",), concurrency=2, num_cpus=0.5,
                   batch_format="pyarrow", zero_copy_batch=True)
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

__all__ = ["Apply", "Predict", "apply", "predict"]


class Apply:
    """Makes the scores of batches coherent; its arguments are those of `rulebound.arrow.apply`. One thread is used unless
    `parallel`."""

    def __init__(
        self,
        rules: Rules | str | os.PathLike[str],
        *,
        scores: str | None = None,
        columns: Sequence[str] | None = None,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        predicted: str | None = None,
        settle: str = "sureness",
        parallel: bool = False,
    ) -> None:
        self._job = Application(
            rules,
            scores=scores,
            columns=columns,
            kind=kind,
            thresholds=thresholds,
            predicted=predicted,
            settle=settle,
            parallel=parallel,
        )

    def __call__(self, batch: Any) -> Any:
        return self._job.run(batch)


class Predict:
    """Predicts batches; its arguments are those of `rulebound.arrow.predict`. One thread is used unless `parallel`."""

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        *,
        features: str | None = None,
        scores: str = "scores",
        kind: str = "probabilities",
        predicted: str | None = None,
        keep: Sequence[str] | None = None,
        parallel: bool = False,
    ) -> None:
        self._job = ModelJob(
            model,
            features=features,
            scores=scores,
            kind=kind,
            predicted=predicted,
            keep=keep,
            parallel=parallel,
        )

    def __call__(self, batch: Any) -> Any:
        return self._job.run(batch)


def apply(ds: Any, rules: Rules | str | os.PathLike[str], **options: Any) -> Any:
    """A dataset whose scores satisfy the rules; options are those of `Apply`."""
    return _mapped(ds, Apply(rules, **options))


def predict(ds: Any, model: Model | str | os.PathLike[str], **options: Any) -> Any:
    """A dataset with predictions; options are those of `Predict`."""
    return _mapped(ds, Predict(model, **options))


def _mapped(ds: Any, function: Any) -> Any:
    # Whole blocks, where they are.
    return ds.map_batches(function, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)

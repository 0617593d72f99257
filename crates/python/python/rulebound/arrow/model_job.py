"""A model that predicts Arrow batches: features in columns by name, or in a list column."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rulebound import _native
from rulebound.arrow.batch_job import BatchJob
from rulebound.arrow.label_lists import with_labels
from rulebound.arrow.list_table import column_place, list_array, list_numbers
from rulebound.feature_table import open_rows
from rulebound.handle import model_handle
from rulebound.model import Model


class ModelJob(BatchJob):
    """A model, where a batch has its features, and what becomes of it.

    Features are in the list column `features`, in the order of the model's columns, otherwise in columns of their names.
    The result has the columns `keep` (all, unless they are named), and a new list column `scores`."""

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        *,
        features: str | None = None,
        scores: str = "scores",
        kind: str = "probabilities",
        predicted: str | None = None,
        keep: Sequence[str] | None = None,
        parallel: bool = True,
    ) -> None:
        if kind not in ("probabilities", "logits", "margins"):
            raise ValueError(f'kind {kind!r} is not one of "probabilities", "logits", "margins"')
        self._model = model_handle(model)
        self._model.open()
        self._features = features
        self._scores = scores
        self._kind = kind
        self._predicted = predicted
        self._keep = None if keep is None else list(keep)
        self._parallel = parallel

    @property
    def needed(self) -> list[str]:
        """The columns that are read."""
        return self._model.open().columns if self._features is None else [self._features]

    @property
    def added(self) -> tuple[str, str | None]:
        """The names of the new columns: scores, and predicted classes."""
        return self._scores, self._predicted

    @property
    def keep(self) -> list[str] | None:
        """The columns that stay; all if none are named."""
        return self._keep

    def batch(self, batch: Any) -> Any:
        model = self._model.open()
        kept = batch if self._keep is None else batch.select(self._keep)
        if self._scores in kept.schema.names:
            raise ValueError(f"there is a column `{self._scores}` already; call the new one otherwise")
        wants_labels = self._predicted is not None
        scores, decided = model._model.scores(self._dataset(model, batch), self._kind, wants_labels, self._parallel)
        done = kept.append_column(self._scores, list_array(scores))
        if self._predicted is None or decided is None:
            return done
        return with_labels(done, self._predicted, decided, model.labels)

    def _dataset(self, model: Model, batch: Any) -> _native.Dataset:
        columns = model.columns
        if self._features is None:
            for column in columns:
                column_place(batch.schema, column)
            return open_rows(batch.select(columns), model._model.columns()).unlabelled()
        place = column_place(batch.schema, self._features)
        numbers = list_numbers(batch.column(place), self._features, columns)
        return open_rows(numbers, model._model.columns()).unlabelled()

"""Rules applied to the scores of Arrow batches: in a list column, or in one column per class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rulebound import _native
from rulebound.arrow.batch_job import BatchJob
from rulebound.arrow.label_lists import with_labels
from rulebound.arrow.list_table import ListTable
from rulebound.handle import rules_handle
from rulebound.rules import Rules
from rulebound.score_table import ArrowTable, ScoreTable
from rulebound.thresholds import Thresholds, threshold_list


class Application(BatchJob):
    """Rules, and where a batch has its scores: the list column `scores`, otherwise `columns`, which are the classes in
    their order, or are called like them. With `predicted`, a column of this name lists the classes that are predicted."""

    def __init__(
        self,
        rules: Rules | str | os.PathLike[str],
        *,
        scores: str | None = None,
        columns: Sequence[str] | None = None,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        predicted: str | None = None,
        parallel: bool = True,
    ) -> None:
        if scores is not None and columns is not None:
            raise ValueError("scores are in one list column or in several columns: leave one of them out")
        self._rules = rules_handle(rules)
        labels = self._rules.open().labels
        if columns is not None and len(columns) != len(labels):
            raise ValueError(f"{len(columns)} columns for {len(labels)} classes")
        self._scores = scores
        self._columns = None if columns is None else list(columns)
        self._kind = kind
        self._thresholds = threshold_list(thresholds, labels)
        self._predicted = predicted
        self._parallel = parallel

    @property
    def changed(self) -> list[str]:
        """The columns whose values are changed."""
        if self._scores is not None:
            return [self._scores]
        return list(self._columns or self._rules.open().labels)

    @property
    def predicted(self) -> str | None:
        """The name of the new column."""
        return self._predicted

    def batch(self, batch: Any) -> Any:
        rules = self._rules.open()
        table = self._table(batch, rules.labels)
        coherent, decided, _ = _native.apply(
            rules._program,
            table.values(),
            self._kind,
            self._thresholds,
            self._predicted is not None,
            False,
            self._parallel,
        )
        done = table.replaced(coherent)
        if self._predicted is None or decided is None:
            return done
        return with_labels(done, self._predicted, decided, rules.labels)

    def _table(self, batch: Any, labels: Sequence[str]) -> ScoreTable:
        if self._scores is not None:
            return ListTable(batch, self._scores, labels)
        return ArrowTable(batch, self._columns or labels)

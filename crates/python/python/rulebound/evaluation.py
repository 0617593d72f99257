"""Metrics of scores from anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from rulebound import _native
from rulebound.class_order import label_list, rules_in_order
from rulebound.feature_table import frame_columns
from rulebound.label_table import LabelTable
from rulebound.rules import Rules
from rulebound.score_table import open_table
from rulebound.thresholds import Thresholds, threshold_list


def evaluate(
    truth: Any,
    scores: Any,
    *,
    rules: Rules | None = None,
    labels: Iterable[str] | None = None,
    kind: str = "probabilities",
    thresholds: Thresholds = None,
    labels_in_metrics: str = "all",
    more: bool = False,
    per_class: bool = False,
    bootstrap: int | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Metrics of scores against the truth, and with `rules` how often they are broken. Frames are
    matched by the names of the classes; columns of arrays are those of `labels`, otherwise those of the rules. A label
    that is NaN is not known and counts nowhere.

    `kind` says what scores are: "probabilities", "logits" or "margins"; what is none raises `ScoreError`. `more` adds further
    metrics (F-max, hierarchical F, the Brier score, the calibration error and others), `per_class` those of each class,
    and `bootstrap` the 95 % intervals of so many samples of the rows: under the names that the command line has.

    >>> found = evaluate([[1, 0], [1, 1]], [[0.9, 0.2], [0.4, 0.7]])
    >>> found["hamming_loss"], found["rows"]
    (0.25, 2)
    """
    names = _classes(truth, scores, rules, labels)
    if rules is not None:
        rules = rules_in_order(rules, names)
    marks = LabelTable(truth, names).marks()
    values = open_table(scores, names).values()
    if len(marks) != len(values):
        raise ValueError(f"{len(marks)} rows of truth, but {len(values)} rows of scores")
    text = _native.evaluate(
        values.astype(np.float64),
        kind,
        threshold_list(thresholds, names),
        marks,
        names,
        None if rules is None else rules._program,
        labels_in_metrics,
        asked(more, per_class, bootstrap, seed),
    )
    found: dict[str, Any] = json.loads(text)
    return found


def asked(
    more: bool, per_class: bool, bootstrap: int | None, seed: int
) -> tuple[bool, bool, int | None, int]:
    """What is measured beyond the metrics."""
    if bootstrap is not None and not 10 <= bootstrap <= 1_000_000:
        raise ValueError(f"bootstrap is a number of samples from 10 to 1000000, not {bootstrap}")
    return more, per_class, bootstrap, seed


def _classes(truth: Any, scores: Any, rules: Rules | None, labels: Iterable[str] | None) -> list[str]:
    if labels is not None:
        return label_list(labels)
    if rules is not None:
        return list(rules.labels)
    for table in (truth, scores):
        frame = frame_columns(table)
        if frame is not None:
            return list(frame)
    return [f"y{place}" for place in range(np.shape(truth)[-1])]

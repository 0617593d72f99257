"""Scores of any model against the truth."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rulebound import _native
from rulebound.label_table import LabelTable
from rulebound.rules import Rules
from rulebound.score_table import open_table
from rulebound.thresholds import Thresholds, threshold_list


def evaluate(
    truth: Any,
    scores: Any,
    *,
    rules: Rules | None = None,
    thresholds: Thresholds = None,
    labels_in_metrics: str = "present",
) -> dict[str, Any]:
    """Metrics of probabilities against the truth, and with `rules` how often they are broken. Frames are
    matched by the names of the classes: those of the rules, or the columns of the truth.

    >>> found = evaluate([[1, 0], [1, 1]], [[0.9, 0.2], [0.4, 0.7]])
    >>> found["hamming_loss"], found["rows"]
    (0.25, 2)
    """
    if rules is not None:
        labels = list(rules.labels)
    elif hasattr(truth, "columns") and not callable(truth.columns):
        labels = [str(name) for name in truth.columns]
    else:
        labels = [f"y{place}" for place in range(np.shape(truth)[-1])]
    marks = LabelTable(truth, labels).marks()
    values = open_table(scores, labels).values()
    if len(marks) != len(values):
        raise ValueError(f"{len(marks)} rows of truth, but {len(values)} rows of scores")
    levels = threshold_list(0.5 if thresholds is None else thresholds, labels)
    decisions = values.astype(np.float64) > np.array(levels)
    program = None if rules is None else rules._program
    text = _native.evaluate(
        values.astype(np.float64), decisions, marks, program, labels_in_metrics
    )
    found: dict[str, Any] = json.loads(text)
    return found

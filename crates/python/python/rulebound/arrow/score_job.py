"""The job that applies rules, by where the scores are."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rulebound.arrow.application import Application
from rulebound.arrow.listed_application import ListedApplication
from rulebound.arrow.long_application import LongApplication
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds


def score_job(
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
) -> Application | ListedApplication | LongApplication:
    """What applies rules to a list column `scores`, alone or with the `classes` that it is about, to `columns`, or to a table
    that is `long`."""
    if long is None and classes is None:
        if top is not None or above is not None:
            raise ValueError("`top` and `above` choose among listed classes; give long=(id, class, score) or classes=")
        return Application(
            rules,
            scores=scores,
            columns=columns,
            kind=kind,
            thresholds=thresholds,
            predicted=predicted,
            parallel=parallel,
        )
    if predicted is not None:
        raise ValueError("classes that are listed have no `predicted`")
    if long is None:
        if scores is None or classes is None or columns is not None:
            raise ValueError("list columns are classes= and scores=; leave out `columns`")
        return ListedApplication(
            rules, classes, scores, kind=kind, thresholds=thresholds, top=top, above=above, parallel=parallel
        )
    if scores is not None or columns is not None or classes is not None:
        raise ValueError("a long table has one score per line: leave out `scores`, `columns` and `classes`")
    return LongApplication(
        rules, long, kind=kind, thresholds=thresholds, top=top, above=above, parallel=parallel
    )

"""The metrics of scikit-learn, for tests/sklearn.rs to compare with.

Reads cases from standard input: a line `rows classes`, then three lines of rows * classes numbers
each: scores, decisions, truth. Prints for each case one line `name value` a metric, `none` where
it is undefined: the ten metrics, then some of the further ones.
"""

import sys
import warnings

import numpy as np
from sklearn import metrics

warnings.filterwarnings("ignore")


def one_error(truth, scores):
    labels = truth.sum(axis=1)
    mixed = (labels > 0) & (labels < truth.shape[1])
    if not mixed.any():
        return None
    top = scores.argmax(axis=1)
    return np.mean(truth[np.arange(len(truth)), top][mixed] == 0)


def case(scores, decisions, truth):
    present = truth.any(axis=0)
    some = present.any()
    precision = metrics.average_precision_score
    yield "auprc", precision(truth, scores, average="micro") if some else None
    yield "average_precision", metrics.label_ranking_average_precision_score(truth, scores)
    yield "coverage_error", (metrics.coverage_error(truth, scores) - 1) / truth.shape[1]
    yield "hamming_loss", metrics.hamming_loss(truth, decisions)
    yield "multilabel_accuracy", metrics.jaccard_score(truth, decisions, average="micro")
    yield "one_error", one_error(truth, scores)
    yield "ranking_loss", metrics.label_ranking_loss(truth, scores)
    yield "micro_f1", metrics.f1_score(truth, decisions, average="micro", zero_division=0)
    yield "macro_f1", metrics.f1_score(truth, decisions, average="macro", zero_division=0)
    columns = [precision(truth[:, j], scores[:, j]) for j in np.flatnonzero(present)]
    yield "macro_auprc", np.mean(columns) if some else None
    for average in ["micro", "macro"]:
        how = {"average": average, "zero_division": 0}
        yield f"{average}_precision", metrics.precision_score(truth, decisions, **how)
        yield f"{average}_recall", metrics.recall_score(truth, decisions, **how)
    mixed = np.flatnonzero(present & ~truth.all(axis=0))
    areas = [metrics.roc_auc_score(truth[:, j], scores[:, j]) for j in mixed]
    yield "macro_auc", np.mean(areas) if areas else None
    chances = 1 / (1 + np.exp(-np.clip(scores, -700, 700)))
    yield "brier", np.mean((chances.ravel() - truth.ravel()) ** 2)


lines = iter(sys.stdin)
for header in lines:
    shape = tuple(int(size) for size in header.split())
    tables = [np.array(next(lines).split(), dtype=float).reshape(shape) for _ in range(3)]
    scores, decisions, truth = tables[0], tables[1].astype(int), tables[2].astype(int)
    # scikit-learn refuses infinities; only the order matters.
    scores = np.clip(scores, -1e300, 1e300)
    for name, value in case(scores, decisions, truth):
        print(name, "none" if value is None else repr(float(value)))

"""Metrics of partitions: merged, they are those of all rows."""

import pickle

import numpy as np
import pytest

import rulebound as rb


def data(dtype=np.float64):
    random = np.random.default_rng(5)
    truth = random.random((400, 7)) < 0.3
    truth[:, 4] = False
    scores = np.clip(0.4 * truth + 0.6 * random.random((400, 7)), 0, 1).astype(dtype)
    return truth, scores


def merged(truth, scores, counted, order, **options):
    parts = []
    for rows in np.array_split(np.arange(len(truth)), len(order)):
        part = rb.PartialMetrics(counted, **options)
        part.add(truth[rows], scores[rows])
        parts.append(pickle.loads(pickle.dumps(part)))
    whole = rb.PartialMetrics(counted, **options)
    for place in order:
        whole.merge(parts[place])
    return whole


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_partitions_give_what_all_rows_give(dtype):
    truth, scores = data(dtype)
    counts = rb.ClassCounts(7)
    other = rb.ClassCounts.from_bytes(counts.to_bytes())
    counts.add(truth[:100])
    other.add(truth[100:].astype(int))
    counts.merge(other)
    assert counts.rows == 400 and counts.positives.tolist() == truth.sum(axis=0).tolist()
    assert counts == pickle.loads(pickle.dumps(counts))
    found = merged(truth, scores, counts.present(), [2, 0, 1])
    assert found == merged(truth, scores, counts.present(), [4, 3, 0, 1, 2])
    result = found.finish()
    expected = rb.evaluate(truth.astype(int), scores, labels_in_metrics="present")
    exact = ["auprc", "macro_auprc", "coverage_error", "hamming_loss", "multilabel_accuracy", "one_error"]
    for name in [*exact, "micro_f1", "macro_f1"]:
        assert result[name] == expected[name], name
    for name in ["average_precision", "ranking_loss"]:
        assert result[name] == pytest.approx(expected[name], abs=1e-12), name
    assert result["bounds"]["auprc"] == [result["auprc"]] * 2
    assert result["class_average_precision"][4] is None and result["rows"] == 400


def test_bounds_hold():
    truth, scores = data()
    exact = merged(truth, scores, 7, [0]).finish()
    sizes = []
    for bits in [8, 11, 16, 32]:
        part = merged(truth, scores, 7, [1, 0], bits=bits)
        cut = part.finish()
        assert cut["bits"] == bits
        for name in ["auprc", "macro_auprc", "f_max"]:
            low, high = cut["bounds"][name]
            assert low <= exact[name] <= high and low <= cut[name] <= high
        sizes.append(len(part.to_bytes()))
    assert sizes == sorted(sizes)


def test_thresholds_and_decisions():
    truth, scores = data()
    by_level, by_decision = rb.PartialMetrics(7), rb.PartialMetrics(7)
    levels = np.linspace(0.3, 0.6, 7)
    by_level.add(truth, scores, thresholds=levels)
    by_decision.add(truth, scores, scores > levels)
    assert by_level == by_decision


def test_mistakes_are_named():
    truth, scores = data()
    part = rb.PartialMetrics(7)
    with pytest.raises(ValueError, match="6 columns for 7 classes"):
        part.add(truth[:, 1:], scores[:, 1:])
    with pytest.raises(ValueError, match="different shapes"):
        part.add(truth[1:], scores)
    with pytest.raises(ValueError, match="a label is 0 or 1"):
        part.add(scores, scores)
    with pytest.raises(ValueError, match="NaN"):
        part.add(truth, scores * np.nan)
    assert part.rows == 0
    with pytest.raises(ValueError, match="different classes"):
        part.merge(rb.PartialMetrics(6))
    with pytest.raises(ValueError, match="cut to nothing, those of the other to 16 bits"):
        part.merge(rb.PartialMetrics(7, bits=16))
    with pytest.raises(ValueError, match="8 to 32 bits, not 300"):
        rb.PartialMetrics(7, bits=300)
    with pytest.raises(ValueError, match="damaged"):
        rb.PartialMetrics.from_bytes(part.to_bytes()[:-1])
    with pytest.raises(ValueError, match="not a summary"):
        rb.ClassCounts.from_bytes(part.to_bytes())

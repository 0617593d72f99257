"""Models: kept, asked, measured."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays

import rulebound as rb


@pytest.fixture(scope="module")
def model() -> rb.Model:
    return rb.train(arrays(), rules=RULES, hidden=[16], epochs=12, batch=8)


def test_a_model_survives_files_bytes_and_pickles(model: rb.Model, tmp_path: Path) -> None:
    features, _ = arrays(20, 1)
    expected = model.predict(features).logits
    path = tmp_path / "pets.rulebound"
    model.save(path)
    assert path.read_bytes() == model.to_bytes()
    for other in (
        rb.Model.load(path),
        rb.Model.from_bytes(model.to_bytes()),
        pickle.loads(pickle.dumps(model)),
    ):
        assert other == model and hash(other) == hash(model)
        assert np.array_equal(other.predict(features).logits, expected)
    with pytest.raises(FileNotFoundError):
        rb.Model.load(tmp_path / "nothing.rulebound")
    for bad in (b"", model.to_bytes()[:-1], b"x" * 500):
        with pytest.raises(ValueError, match="a model in memory"):
            rb.Model.from_bytes(bad)
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder.rulebound")


def test_a_pickle_is_loaded_in_another_process(model: rb.Model, tmp_path: Path) -> None:
    features, _ = arrays(20, 1)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    np.save(tmp_path / "x.npy", features)
    np.save(tmp_path / "p.npy", model.predict(features).logits)
    code = (
        "import pickle, numpy as np; m = pickle.load(open('model.pickle', 'rb')); "
        "assert np.array_equal(m.predict(np.load('x.npy')).logits, np.load('p.npy'))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_a_row_does_not_depend_on_its_neighbours(model: rb.Model) -> None:
    features, _ = arrays(50, 2)
    together = model.predict(features).logits
    alone = np.concatenate([model.predict(features[[row]]).logits for row in range(50)])
    assert np.array_equal(together, alone)


def test_predictions_say_the_same_in_every_form(model: rb.Model) -> None:
    features, _ = arrays(30, 3)
    prediction = model.predict(features)
    assert len(prediction) == 30
    assert np.array_equal(prediction.decisions, prediction.probabilities > 0.5)
    assert np.array_equal(prediction.decisions, prediction.logits > 0)
    tops = prediction.top(2)
    for row, top in enumerate(tops):
        assert len(top) == 2
        assert top[0][1] == prediction.probabilities[row].max()
    for count in (1, 2):
        shown = [[label in dict(top) for label in RULES.labels] for top in prediction.top(count)]
        assert RULES.violations(np.array(shown)) == []
    named = set(prediction.delegates.ravel())
    assert named <= {name for label in RULES.labels for name in (label, f"not {label}")}


def test_thresholds_move_decisions(model: rb.Model) -> None:
    features, _ = arrays(30, 3)
    low = model.with_thresholds({"cat": 0.01})
    assert low.thresholds == [0.5, 0.01, 0.5]
    decisions = low.predict(features).decisions
    assert decisions[:, 1].sum() >= model.predict(features).decisions[:, 1].sum()
    assert RULES.violations(decisions) == []
    with pytest.raises(ValueError, match="strictly between"):
        model.with_thresholds(1.0)


def test_explanations_of_a_model(model: rb.Model) -> None:
    features, _ = arrays(3, 4)
    explained = model.predict(features).explain(0, "animal")
    assert "animal = " in str(explained)
    assert explained.to_dict()["animal"]["predicted"] == bool(model.predict(features).decisions[0, 0])
    with pytest.raises(KeyError, match="did you mean `animal`"):
        model.explain(features, "animals")
    with pytest.raises(ValueError, match="no row 3"):
        model.explain(features, "animal", row=3)


def test_evaluation(model: rb.Model) -> None:
    features, labels = arrays(60, 5)
    found = model.evaluate((features, labels))
    prediction = model.predict(features)
    alone = rb.evaluate(labels, prediction.probabilities, rules=RULES)
    for metric in ("hamming_loss", "macro_f1", "micro_f1", "multilabel_accuracy"):
        assert found[metric] == alone[metric]
    assert (found["incoherent_rows"], found["violation_rate"]) == (0, 0.0)
    wrong = (prediction.decisions != labels.astype(bool)).mean()
    assert found["hamming_loss"] == pytest.approx(wrong)


def test_metrics_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(0)
    truth = random.random((80, 5)) < 0.4
    scores = random.random((80, 5))
    found = rb.evaluate(truth, scores)
    decisions = scores > 0.5
    assert found["hamming_loss"] == pytest.approx(metrics.hamming_loss(truth, decisions))
    assert found["micro_f1"] == pytest.approx(metrics.f1_score(truth, decisions, average="micro"))
    assert found["macro_f1"] == pytest.approx(metrics.f1_score(truth, decisions, average="macro"))
    with pytest.raises(ValueError, match="79 rows of scores"):
        rb.evaluate(truth, scores[:-1])


def test_mined_rules_hold() -> None:
    _, labels = arrays(300)
    mined = rb.mine(labels, RULES.labels)
    assert set(RULES.rules) <= set(mined.rules.rules)
    assert mined.rules.violations(labels) == []
    by_rule: dict[str, Any] = {record["rule"]: record for record in mined.records}
    assert by_rule["cat -> animal"]["rows"] == 100
    assert by_rule["cat -> animal"]["confidence"] == 1.0
    assert by_rule["cat -> animal"]["support"] == pytest.approx(1 / 3)
    assert len(rb.mine(labels, negation=True).rules) > len(mined.rules)
    with pytest.raises(ValueError, match="support"):
        rb.mine(labels, min_support=2.0)
    with pytest.raises(ValueError, match="columns"):
        rb.mine(labels, ["a"])


def test_wrong_features_are_refused(model: rb.Model) -> None:
    with pytest.raises(ValueError, match="3 columns of features, but the model has 2"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="dimensions"):
        model.predict(np.zeros(2))
    assert model.predict(np.zeros((0, 2))).probabilities.shape == (0, 3)

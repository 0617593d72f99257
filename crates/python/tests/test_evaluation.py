"""What scores and models are worth, and what is chosen for them."""

from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays

import rulebound as rb

TRUTH = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0], [1, 0, 0]])
LOGITS = np.array([[2.0, 1.0, -3.0], [0.5, -1.0, 2.5], [-2.0, -0.5, 0.25], [-0.25, -2.0, -1.0]])


def sigmoid(logits: Any) -> Any:
    return 1 / (1 + np.exp(-logits))


def test_scores_are_what_they_are_said_to_be() -> None:
    probabilities = rb.evaluate(TRUTH, sigmoid(LOGITS), rules=RULES)
    logits = rb.evaluate(TRUTH, LOGITS, rules=RULES, kind="logits")
    assert logits == probabilities
    assert rb.evaluate(TRUTH, LOGITS, rules=RULES, kind="margins") == logits
    with pytest.raises(rb.ScoreError, match='row 0: the score 2 of `animal` is not a probability; of logits, say kind="logits"') as told:
        rb.evaluate(TRUTH, LOGITS, rules=RULES)
    assert (told.value.row, told.value.label) == (0, "animal")
    with pytest.raises(ValueError, match="kind"):
        rb.evaluate(TRUTH, LOGITS, kind="odds")
    moved = rb.evaluate(TRUTH, LOGITS, rules=RULES, kind="logits", thresholds={"animal": 0.2})
    assert moved["micro_f1"] > logits["micro_f1"]
    assert moved == rb.evaluate(TRUTH, sigmoid(LOGITS), rules=RULES, thresholds={"animal": 0.2})


def test_a_model_is_measured_as_its_scores_are() -> None:
    features, labels = arrays()
    model = rb.train((features, labels), rules=RULES, hidden=[4], epochs=5)
    own = model.evaluate((features, labels), more=True, per_class=True, bootstrap=20)
    scores = model.predict(features)
    theirs = rb.evaluate(
        labels, scores.logits, rules=RULES, kind="logits", more=True, per_class=True, bootstrap=20
    )
    for name in ("micro_f1", "auprc", "hamming_loss", "per_class"):
        assert own[name] == theirs[name], name
    assert own["bootstrap"]["samples"] == 20
    low, high = (own["bootstrap"]["intervals"]["micro_f1"][end] for end in ("low", "high"))
    assert low <= own["micro_f1"] <= high
    assert own["more"]["brier"] == pytest.approx(np.mean((scores.probabilities - labels) ** 2), abs=1e-6)
    assert [one["class"] for one in own["per_class"]] == list(RULES.labels)
    with pytest.raises(ValueError, match="bootstrap"):
        model.evaluate((features, labels), bootstrap=3)


def test_labels_that_are_not_known_count_nowhere() -> None:
    holes = TRUTH.astype(float)
    holes[0, 1] = holes[3, 2] = np.nan
    scores = sigmoid(LOGITS)
    known = ~np.isnan(holes)
    found = rb.evaluate(holes, scores, rules=RULES)
    assert found["unknown_label_cells"] == 2
    assert found["hamming_loss"] == ((scores > 0.5) != (holes == 1))[known].mean()
    # A rule is broken only by labels that are known.
    assert RULES.violations([[np.nan, 1, 0], [0, 1, np.nan]]) == [{"row": 1, "rule": "cat -> animal"}]
    closed = RULES.close(np.array([[np.nan, 1, np.nan], [np.nan, 0, 0]]))
    assert np.array_equal(closed, [[1, 1, np.nan], [np.nan, 0, 0]], equal_nan=True)
    assert RULES.close(np.array([[0, 1, 0]])).tolist() == [[1, 1, 0]]
    many = np.tile([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [np.nan, 0.0]], (10, 1))
    zeros = np.nan_to_num(many)
    assert rb.mine(many, ["animal", "cat"]) == rb.mine(zeros, ["animal", "cat"])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(holes, columns=list(RULES.labels)).astype("Int64")
    assert rb.evaluate(frame, scores, rules=RULES) == found
    with pytest.raises(ValueError, match="row 1: the label of `dog` is 0.5, not 0 or 1"):
        RULES.violations([[0, 0, 0], [0, 0, 0.5]])


def test_a_model_is_calibrated_and_its_thresholds_are_tuned() -> None:
    features, labels = arrays(300)
    noisy = labels ^ (np.random.default_rng(1).random(labels.shape) < 0.15)
    model = rb.train((features, noisy), rules=RULES, hidden=[16], epochs=30, label_policy="complete")
    calibrated, told = model.calibrate((features, labels))
    assert told["temperature"] > 0 and calibrated != model
    assert (calibrated.predict(features).decisions == model.predict(features).decisions).all()
    assert told["after"]["brier"] == pytest.approx(calibrated.evaluate((features, labels), more=True)["more"]["brier"])
    with pytest.raises(ValueError, match="already calibrated"):
        calibrated.calibrate((features, labels))
    tuned, found = model.tune_thresholds((features, labels))
    assert found["after"]["macro_f1"] >= found["before"]["macro_f1"]
    assert tuned.evaluate((features, labels))["macro_f1"] == pytest.approx(found["after"]["macro_f1"])
    costly, _ = model.tune_thresholds((features, labels), costs={name: (1, 50) for name in RULES.labels})
    assert costly.predict(features).decisions.sum() >= model.predict(features).decisions.sum()
    assert RULES.violations(costly.predict(features).decisions) == []
    precise, _ = model.tune_thresholds((features, labels), min_precision=0.9, one=True)
    assert len(set(precise.thresholds)) == 1
    with pytest.raises(KeyError, match="no costs for `animal`"):
        model.tune_thresholds((features, labels), costs={"cat": (1, 1), "dog": (1, 1)})
    with pytest.raises(ValueError, match="is not an objective"):
        model.tune_thresholds((features, labels), objective="f1")


def test_columns_are_worth_what_the_model_makes_of_them() -> None:
    features, labels = arrays()
    useless = np.random.default_rng(0).normal(size=(90, 1))
    model = rb.train((np.hstack([features, useless]), labels), rules=RULES, hidden=[16], epochs=40, learning_rate=0.01)
    found = model.importance((np.hstack([features, useless]), labels), repeats=3)
    worth = {column["column"]: column["auprc"]["mean"] for column in found["columns"]}
    assert worth["x0"] > worth["x2"]
    one = model.importance((np.hstack([features, useless]), labels), columns="x0", repeats=3)
    assert one["columns"][0]["auprc"]["mean"] == worth["x0"]
    top = model.top_features(np.hstack([features, useless]), "cat", row=3, count=2)
    assert len(top["columns"]) == 2 and top["class"] == "cat"
    with pytest.raises(ValueError, match="the model has no column `y`"):
        model.importance((np.hstack([features, useless]), labels), columns=["y"])


def test_unlike_learners_are_blended() -> None:
    features, labels = arrays()
    blend = rb.train((features, labels), rules=RULES, learners=["ccn", "forest:5"], epochs=3, hidden=[4], weights=[1, 3])
    assert RULES.violations(blend.predict(features).decisions) == []
    alone = rb.train((features, labels), rules=RULES, epochs=3, hidden=[4])
    assert (blend.predict(features).logits != alone.predict(features).logits).any()
    for settings, message in (
        ({"learners": ["ccn", "tree"]}, "is not a method"),
        ({"learners": ["ccn", "forest"], "weights": [1]}, "1 weights for 2 learners"),
        ({"weights": [1, 2]}, "give its learners"),
        ({"learners": ["ccn"], "method": "forest"}, "either method or learners"),
    ):
        with pytest.raises(ValueError, match=message):
            rb.train((features, labels), rules=RULES, epochs=1, **settings)


def test_an_explanation_in_a_notebook_says_what_decides() -> None:
    rules = rb.Rules.parse("cat -> animal\nexclusive(animal, plant)")
    by_rule = rules.explain([0.9, 0.2, 0.1], "animal")._repr_html_()
    assert "cat -&gt; animal" in by_rule and "\u2190" in by_rule
    overruled = rules.explain([0.9, 0.2, 0.6], "plant")
    shown = overruled._repr_html_()
    assert "overruled" in str(overruled) and "overruled" in shown and "exclusive(animal, plant)" in shown
    assert "decides" in shown
    negated = rb.Rules.parse("not b -> a").explain([0.1, 0.2], "a")._repr_html_()
    assert "not b = 0.9" in negated

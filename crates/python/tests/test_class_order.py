"""Which column is which class: names win wherever there are some."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays

import rulebound as rb

pandas = pytest.importorskip("pandas")

ANIMALS = rb.Rules.parse("cat -> animal")


def test_thresholds_in_a_series_are_by_name() -> None:
    named = pandas.Series({"animal": 0.9, "cat": 0.1})
    scores = np.array([[0.2, 0.5]])
    by_name = ANIMALS.apply(scores, thresholds=named.to_dict(), decisions=True).decisions
    assert by_name.tolist() == [[True, True]]
    assert (ANIMALS.apply(scores, thresholds=named, decisions=True).decisions == by_name).all()
    model = rb.train(arrays(), rules=RULES, hidden=[4], epochs=1)
    shuffled = pandas.Series({"dog": 0.2, "animal": 0.9})
    assert model.with_thresholds(shuffled).thresholds == [0.9, 0.5, 0.2]
    # An index that only counts has no names.
    assert model.with_thresholds(pandas.Series([0.1, 0.2, 0.3])).thresholds == [0.1, 0.2, 0.3]
    assert model.with_thresholds(np.float32(0.5)).thresholds == [0.5] * 3
    with pytest.raises(KeyError, match="`anmal` is not one of the 3 classes; did you mean `animal`"):
        model.with_thresholds(pandas.Series({"anmal": 0.9}))
    with pytest.raises(ValueError, match="same name"):
        model.with_thresholds(pandas.Series([0.1, 0.2], index=["dog", "dog"]))
    for wrong in ("0.3", pandas.DataFrame({"dog": [0.1]}), {"dog": "high"}, np.zeros((2, 3))):
        with pytest.raises(TypeError, match="thresholds"):
            model.with_thresholds(wrong)
    with pytest.raises(ValueError, match="2 thresholds for 3 classes"):
        model.with_thresholds([0.1, 0.2])


def test_rules_follow_the_order_of_others() -> None:
    ordered = ANIMALS.in_order(["animal", "plant", "cat"])
    assert ordered.labels == ("animal", "plant", "cat") and ordered.rules == ANIMALS.rules
    assert ordered.apply([[0.1, 0.3, 0.8]]).tolist() == [[0.8, 0.3, 0.8]]
    assert ANIMALS.in_order(ANIMALS.labels) is ANIMALS
    with pytest.raises(rb.RuleError, match=r"rules are about `animal`, which is not among the 2 classes of `labels` \(`cat`, `anmal`\); did you mean `anmal`"):
        ANIMALS.in_order(["cat", "anmal"])
    with pytest.raises(ValueError, match="more than once"):
        ANIMALS.in_order(["cat", "cat", "animal"])
    with pytest.raises(TypeError, match="names of the classes"):
        ANIMALS.in_order("cat")


def test_metrics_are_of_the_classes_that_columns_are() -> None:
    truth, scores = [[1, 1], [1, 0]], [[0.9, 0.8], [0.7, 0.2]]
    straight = rb.evaluate(truth, scores, rules=ANIMALS, labels=["animal", "cat"])
    assert straight["incoherent_rows"] == 0
    assert rb.evaluate(truth, scores, rules=ANIMALS)["incoherent_rows"] == 1
    frame = pandas.DataFrame(truth, columns=["animal", "cat"])
    table = pandas.DataFrame(scores, columns=["animal", "cat"])
    assert rb.evaluate(frame[["cat", "animal"]], table, rules=ANIMALS)["incoherent_rows"] == 0


def test_class_weights_are_by_name() -> None:
    def train(weights: Any) -> rb.Model:
        return rb.train(arrays(), rules=RULES, hidden=[4], epochs=2, class_weights=weights)

    assert train({"cat": 3.0}) == train([1.0, 3.0, 1.0]) == train({"each": [1.0, 3.0, 1.0]})
    assert train({"each": {"cat": 3}}) == train(pandas.Series({"cat": 3}))
    assert train({"cat": 3.0}) != train("equal")
    with pytest.raises(KeyError, match="`cta` is not one of the 3 classes; did you mean `cat`"):
        train({"cta": 3.0})
    with pytest.raises(ValueError, match="balnced"):
        train("balnced")


def test_a_setting_that_does_not_exist_names_those_that_do() -> None:
    cases = [
        ({"lr": 0.1}, "`lr` is not a setting of ccn; did you mean `learning_rate`"),
        ({"hiden": [3]}, "did you mean `hidden`"),
        ({"class_weight": "balanced"}, "did you mean `class_weights`"),
        ({"batch_size": 3}, "did you mean `batch`"),
        ({"method": "forest", "n_estimators": 3}, "is not a setting of forest; did you mean `trees`"),
        ({"stopping": 3}, "did you mean `early_stopping`"),
    ]
    for settings, message in cases:
        with pytest.raises(ValueError, match=message) as told:
            rb.train(arrays(), rules=RULES, **settings)
        listed = str(told.value).split("It has ")[1]
        assert "label_policy" in listed and "early_stopping" in listed and "from" not in listed.split(", ")
    with pytest.raises(TypeError, match="'patiense'; did you mean `patience`"):
        rb.train(arrays(), rules=RULES, early_stopping={"patiense": 3})
    assert rb.train(arrays(), rules=RULES, hidden=4, epochs=1).configuration["hidden"] == [4]
    with pytest.raises(TypeError, match="units of each hidden layer"):
        rb.train(arrays(), rules=RULES, hidden=[4.5], epochs=1)


@pytest.mark.parametrize("method", ["ccn", "post", "forest", "clus", "br", "ecc", "hmcn-f", "prior"])
def test_every_setting_that_is_listed_exists(method: str) -> None:
    defaults = rb.default_settings(method)
    assert {"seed", "members", "label_policy", "class_weights", "scaling"} <= set(defaults)
    rules = RULES if method == "hmcn-f" else None
    quick = {"epochs": 1} if method in ("ccn", "post", "hmcn-f") else {}
    model = rb.train(arrays(30), rules=rules, **{**defaults, "method": method}, **quick)
    assert model == rb.train(arrays(30), rules=rules, method=method, **quick)


def test_rules_are_a_text_or_a_file_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "pets (1).rules"
    RULES.save(file)
    expected = rb.train(arrays(), rules=RULES, labels=list(RULES.labels), hidden=[4], epochs=1)
    for given in (RULES.text(), "cat -> animal\ndog -> animal", str(file), file):
        assert rb.train(arrays(), rules=given, labels=list(RULES.labels), hidden=[4], epochs=1) == expected

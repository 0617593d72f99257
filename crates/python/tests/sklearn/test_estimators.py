"""Estimators: rules, names, and every shape of scores that others give."""

import pickle
from typing import Any

import numpy as np
import pandas
import pytest
from pets import RULES, arrays
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rulebound as rb
from rulebound.sklearn import ConstrainedClassifier, RuleboundClassifier

TEXT = "y0 -> y1\nnot y1 -> y2\ny2, not y0 -> y3"
X, Y = make_multilabel_classification(120, n_features=6, n_classes=4, random_state=0)
NAMES = ["y0", "y1", "y2", "y3"]
LABELS = pandas.DataFrame(Y, columns=NAMES)

INNER = [
    LogisticRegression(),
    OneVsRestClassifier(LogisticRegression()),
    MLPClassifier((8,), max_iter=20, random_state=0),
    RandomForestClassifier(20, random_state=0),
    DecisionTreeClassifier(random_state=0),
    KNeighborsClassifier(),
    MultiOutputClassifier(LogisticRegression()),
    ClassifierChain(LogisticRegression()),
    RidgeClassifier(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
@pytest.mark.parametrize("thresholds", [0.5, [0.3, 0.6, 0.5, 0.2]])
def test_any_estimator_obeys_the_rules(inner: Any, thresholds: Any) -> None:
    rules = rb.Rules.parse(TEXT)
    model = ConstrainedClassifier(inner, TEXT, thresholds=thresholds).fit(X, LABELS)
    predicted = model.predict(X)
    assert predicted.shape == Y.shape and rules.violations(predicted) == []
    assert ((model.decision_function(X) > 0) == predicted).all()
    assert model.classes_.tolist() == NAMES
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        levels = np.broadcast_to(np.array(thresholds), Y.shape)
        assert ((probabilities > levels) == predicted).all()
    else:
        assert isinstance(inner, RidgeClassifier)
    # Without rules it is the estimator itself.
    plain = ConstrainedClassifier(inner, thresholds=thresholds).fit(X, LABELS)
    assert (plain.with_rules(TEXT).predict(X) == predicted).all()


class OneClassSeen:
    """Gives what MultiOutputClassifier around boosted trees gives: two columns where one class was seen."""

    classes_ = [np.array([0, 1]), np.array([0]), np.array([1]), np.array([0, 1])]

    def predict_proba(self, X: Any) -> list[Any]:
        part = np.tile([0.25, 0.75], (len(X), 1))
        return [part, part, np.ones((len(X), 1)), part[:, ::-1]]


def test_columns_that_were_constant_in_training() -> None:
    from rulebound.sklearn.scores_of import scores_of

    scores, kind = scores_of(OneClassSeen(), np.zeros((3, 1)), 4, "auto")
    assert kind == "probabilities" and scores.tolist() == [[0.75, 0.0, 1.0, 0.25]] * 3
    constant = Y.copy()
    constant[:, 3] = 0
    model = ConstrainedClassifier(RandomForestClassifier(5, random_state=0)).fit(X, constant)
    assert (model.predict_proba(X)[:, 3] == 0).all()


def test_classes_are_matched_by_name() -> None:
    shuffled = LABELS[["y3", "y1", "y0", "y2"]]
    model = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, shuffled)
    straight = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, LABELS)
    assert model.classes_.tolist() == ["y3", "y1", "y0", "y2"]
    assert (model.predict(X)[:, [2, 1, 3, 0]] == straight.predict(X)).all()
    with pytest.raises(rb.RuleError, match="y3"):
        ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, LABELS[["y0", "y1", "y2"]])


def test_names_of_rules_name_columns_that_have_none() -> None:
    model = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, Y)
    assert model.classes_.tolist() == list(rb.Rules.parse(TEXT).labels)
    assert ConstrainedClassifier(LogisticRegression()).fit(X, Y).classes_.tolist() == [0, 1, 2, 3]


def test_columns_beyond_the_rules_pass_through() -> None:
    model = ConstrainedClassifier(LogisticRegression(), "y0 -> y1").fit(X, LABELS)
    plain = ConstrainedClassifier(LogisticRegression()).fit(X, LABELS)
    assert (model.predict_proba(X)[:, 2:] == plain.predict_proba(X)[:, 2:]).all()


def test_rules_need_several_labels() -> None:
    for estimator in (ConstrainedClassifier(LogisticRegression(), TEXT), RuleboundClassifier(TEXT)):
        with pytest.raises(ValueError, match="rules.close"):
            estimator.fit(X, Y[:, 0])


def test_rulebound_classifier() -> None:
    features, labels = arrays(300)
    frame = pandas.DataFrame(labels, columns=list(RULES.labels))
    model = RuleboundClassifier(RULES, random_state=0).fit(features, frame)
    predicted = model.predict(features)
    assert (predicted == labels).mean() > 0.95 and RULES.violations(predicted) == []
    assert model.classes_.tolist() == list(RULES.labels)
    again = RuleboundClassifier(RULES, random_state=0).fit(features, frame)
    assert again.model_ == model.model_
    loaded = pickle.loads(pickle.dumps(model))
    assert (loaded.predict_proba(features) == model.predict_proba(features)).all()
    assert clone(model).rules is RULES
    moved = RuleboundClassifier(RULES, random_state=0, thresholds=0.2).fit(features, frame)
    decided = moved.predict(features)
    assert ((moved.decision_function(features) > 0) == decided).all()
    assert RULES.violations(decided) == []


def test_text_paths_and_rules_are_rules(tmp_path: Any) -> None:
    RULES.save(tmp_path / "pets.rules")
    features, labels = arrays()
    frame = pandas.DataFrame(labels, columns=list(RULES.labels))
    for given in (RULES, RULES.text(), tmp_path / "pets.rules", str(tmp_path / "pets.rules")):
        model = RuleboundClassifier(given, epochs=1).fit(features, frame)
        assert model.rules_.rules == RULES.rules
    with pytest.raises(TypeError, match="rules are"):
        RuleboundClassifier(7).fit(features, frame)


def test_selection_pipelines_and_calibration() -> None:
    model = ConstrainedClassifier(make_pipeline(StandardScaler(), LogisticRegression()), TEXT)
    search = GridSearchCV(
        ConstrainedClassifier(LogisticRegression(), TEXT), {"estimator__C": [0.1, 1]}, cv=3
    ).fit(X, Y)
    rules = rb.Rules.parse(TEXT)
    assert rules.violations(search.predict(X)) == []
    crossed = cross_val_predict(model, X, Y, cv=3)
    assert rules.violations(crossed) == []
    binary = CalibratedClassifierCV(RuleboundClassifier(epochs=5, random_state=0), cv=2)
    assert binary.fit(X, Y[:, 0]).predict_proba(X).shape == (120, 2)
    grid = GridSearchCV(RuleboundClassifier(TEXT, epochs=2), {"hidden": [(4,), (8,)]}, cv=2, n_jobs=2)
    assert rules.violations(grid.fit(X, Y).predict(X)) == []


def test_weights_are_routed() -> None:
    weights = np.where(Y[:, 0] == 1, 10.0, 1.0)
    with config_context(enable_metadata_routing=True):
        inner = RandomForestClassifier(5, random_state=0).set_fit_request(sample_weight=True)
        weighted = ConstrainedClassifier(inner, TEXT).fit(X, Y, sample_weight=weights)
        plain = ConstrainedClassifier(inner, TEXT).fit(X, Y)
        assert (weighted.predict_proba(X) != plain.predict_proba(X)).any()
        with pytest.raises(Exception, match="unexpected|not requested"):
            ConstrainedClassifier(RandomForestClassifier(), TEXT).fit(X, Y, sample_weight=weights)


def test_frames_come_out_on_request() -> None:
    model = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, LABELS)
    frame = model.set_output(transform="pandas").predict_proba(X)
    assert list(frame.columns) == NAMES and list(model.predict(X).columns) == NAMES
    polars = pytest.importorskip("polars")
    assert isinstance(model.set_output(transform="polars").predict(X), polars.DataFrame)
    assert isinstance(model.set_output(transform="default").predict(X), np.ndarray)
    with pytest.raises(ValueError, match="cudf"):
        model.set_output(transform="cudf")


def test_bad_parameters_are_named_in_fit() -> None:
    with pytest.raises(ValueError, match="predict_magic"):
        ConstrainedClassifier(LogisticRegression(), method="predict_magic").fit(X, Y)
    with pytest.raises(ValueError, match="epochs"):
        RuleboundClassifier(epochs=0).fit(X, Y)
    with pytest.raises(ValueError, match="strictly between"):
        RuleboundClassifier(thresholds=1.0, epochs=1).fit(X, Y)
    with pytest.raises(ValueError, match="0 and 1"):
        ConstrainedClassifier(LogisticRegression()).fit(X, Y + 1)

"""Estimators: rules, names, and every shape of scores that others give."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas
import pytest
from pets import RULES, arrays
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
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
    quick = {"hidden": (32,), "epochs": 60, "batch": 16, "learning_rate": 0.01, "dropout": 0.0}
    model = RuleboundClassifier(RULES, **quick).fit(features, frame)
    predicted = model.predict(features)
    assert (predicted == labels).mean() > 0.95 and RULES.violations(predicted) == []
    assert model.classes_.tolist() == list(RULES.labels)
    again = RuleboundClassifier(RULES, **quick).fit(features, frame)
    assert again.model_ == model.model_
    loaded = pickle.loads(pickle.dumps(model))
    assert (loaded.predict_proba(features) == model.predict_proba(features)).all()
    assert clone(model).rules is RULES
    moved = RuleboundClassifier(RULES, thresholds=0.2, **quick).fit(features, frame)
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


def test_the_estimator_gets_what_was_given() -> None:
    """Missing values, columns by name, text: whatever it takes."""
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    rules = rb.Rules.parse(TEXT)
    model = ConstrainedClassifier(HistGradientBoostingClassifier(max_iter=5), TEXT).fit(holes, Y)
    assert rules.violations(model.predict(holes)) == []
    frame = pandas.DataFrame(holes, columns=[f"c{place}" for place in range(6)])
    frame["kind"] = np.where(X[:, 0] > 0, "big", "small")
    prepare = ColumnTransformer(
        [("numbers", SimpleImputer(), ["c0", "c3"]), ("kind", OneHotEncoder(), ["kind"])]
    )
    by_name = make_pipeline(prepare, RandomForestClassifier(5, random_state=0))
    model = ConstrainedClassifier(by_name, TEXT).fit(frame, LABELS)
    raw = clone(by_name).fit(frame, LABELS)
    expected = rules.apply(np.stack([part[:, 1] for part in raw.predict_proba(frame)], axis=1))
    assert (model.predict_proba(frame) == expected).all()
    assert model.feature_names_in_.tolist() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"kind": "sort"}))
    texts = ["big cat", "small dog", "big dog"] * 40
    for inner in (LogisticRegression(), MultinomialNB()):
        model = ConstrainedClassifier(make_pipeline(TfidfVectorizer(), inner), TEXT).fit(texts, Y)
        assert rules.violations(model.predict(texts)) == []


def test_weights_need_no_ceremony() -> None:
    weights = np.where(Y[:, 0] == 1, 10.0, 1.0)
    rules = rb.Rules.parse(TEXT, labels=NAMES)
    for inner in (RandomForestClassifier(5, random_state=0), LogisticRegression()):
        weighted = ConstrainedClassifier(inner, rules).fit(X, Y, sample_weight=weights)
        plain = ConstrainedClassifier(inner, rules).fit(X, Y)
        assert (weighted.predict_proba(X) != plain.predict_proba(X)).any()
    each = MultiOutputClassifier(LogisticRegression()).fit(X, Y, sample_weight=weights)
    raw = np.stack([part[:, 1] for part in each.predict_proba(X)], axis=1)
    assert (weighted.predict_proba(X) == rules.apply(raw)).all()
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take sample_weight"):
        ConstrainedClassifier(KNeighborsClassifier(), rules).fit(X, Y, sample_weight=weights)
    features, labels = arrays()
    pets = np.where(labels[:, 1] == 1, 5.0, 1.0)
    model = RuleboundClassifier(RULES, hidden=(4,), epochs=2).fit(features, labels, sample_weight=pets)
    assert model.model_ == rb.train(
        (features, labels), rules=RULES, hidden=[4], epochs=2, sample_weight=pets
    )


def test_labels_that_are_not_known() -> None:
    holes = LABELS.astype(float)
    holes.iloc[::4, 1] = np.nan
    rules = rb.Rules.parse(TEXT)
    model = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, holes)
    known = holes["y1"].notna().to_numpy()
    alone = LogisticRegression().fit(X[known], Y[known, 1])
    plain = ConstrainedClassifier(LogisticRegression()).fit(X, holes)
    assert (plain.predict_proba(X)[:, 1] == alone.predict_proba(X)[:, 1]).all()
    assert rules.violations(model.predict(X)) == []
    assert rules.violations(ConstrainedClassifier(RandomForestClassifier(5), TEXT).fit(X, holes).predict(X)) == []
    trained = RuleboundClassifier(TEXT, hidden=(4,), epochs=2).fit(X, holes)
    assert trained.model_ == rb.train((X, holes), rules=rb.Rules.parse(TEXT), hidden=[4], epochs=2)
    nullable = holes.astype("Int64")
    assert RuleboundClassifier(TEXT, hidden=(4,), epochs=2).fit(X, nullable).model_ == trained.model_
    crossed = cross_val_predict(ConstrainedClassifier(LogisticRegression(), TEXT), X, holes, cv=KFold(3))
    assert rules.violations(crossed) == []
    holes["y1"] = np.nan
    with pytest.raises(ValueError, match="no label of the class `y1` is known"):
        ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, holes)


def test_the_estimator_is_the_model_of_train() -> None:
    """The same settings by the same names, and the same defaults."""
    features, labels = arrays()
    rules = RULES.in_order(["dog", "animal", "cat"])
    quick = {"hidden": (8,), "members": 2, "label_policy": "complete", "class_weights": {"cat": 2.0}}
    stop = {"early_stopping": {"patience": 2, "most": 4}}
    frame = pandas.DataFrame(labels, columns=list(RULES.labels))
    one = RuleboundClassifier(rules, **quick, **stop).fit(features, frame)
    assert one.model_ == rb.train((features, frame), rules=rules, **quick, **stop)
    small = {"early_stopping": {"most": 2}}
    assert RuleboundClassifier(RULES, **small).fit(features, labels).model_ == rb.train(
        (features, labels), rules=RULES, **small
    )
    defaults = rb.default_settings()
    assert rb.train((features, labels), rules=RULES, **small).configuration["hidden"] == defaults["hidden"]
    table = pandas.DataFrame({"fur": ["long", None, "short"] * 30, "weight": features[:, 0]})
    model = RuleboundClassifier(RULES, hidden=(4,), epochs=2).fit(table, labels)
    assert model.model_ == rb.train((table, labels), rules=RULES, hidden=[4], epochs=2)
    assert (model.predict_proba(table) == model.model_.predict(table).probabilities.to_numpy()).all()
    forest = RuleboundClassifier(RULES, method="forest", settings={"trees": 3}).fit(features, labels)
    assert forest.model_.configuration["learner"]["forest"]["trees"] == 3
    valid = RuleboundClassifier(RULES, hidden=(4,), **small).fit(features, frame, validation=arrays(30, 1))
    assert valid.model_ == rb.train((features, labels), rules=RULES, hidden=[4], validation=arrays(30, 1), **small)
    with pytest.raises(ValueError, match="`hidden` is not a setting of forest"):
        RuleboundClassifier(RULES, method="forest", hidden=(4,)).fit(features, labels)


def test_thresholds_may_be_changed_after_fitting() -> None:
    features, labels = arrays()
    quick = {"hidden": (8,), "epochs": 5}
    for model in (RuleboundClassifier(RULES, **quick), ConstrainedClassifier(LogisticRegression(), RULES)):
        model.fit(features, labels)
        before = model.predict(features).sum()
        model.set_params(thresholds=pandas.Series({"dog": 0.01, "cat": 0.01, "animal": 0.01}))
        assert model.predict(features).sum() > before
    rulebound = RuleboundClassifier(RULES, thresholds={"dog": 0.01}, **quick).fit(features, labels)
    assert rulebound.model_.thresholds == [0.5, 0.5, 0.01]


def test_which_column_is_which_class_is_said_or_refused() -> None:
    order = ["y3", "y1", "y0", "y2"]
    named = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, LABELS[order])
    said = ConstrainedClassifier(LogisticRegression(), TEXT, labels=order).fit(X, LABELS[order].to_numpy())
    assert said.classes_.tolist() == order and (said.predict(X) == named.predict(X)).all()
    with pytest.raises(ValueError, match="labels are .* but the columns of y are"):
        ConstrainedClassifier(LogisticRegression(), TEXT, labels=["a", "b", "c", "d"]).fit(X, LABELS)
    with pytest.raises(ValueError, match="3 labels for the 4 columns of y"):
        ConstrainedClassifier(LogisticRegression(), labels=["a", "b", "c"]).fit(X, Y)
    with pytest.raises(rb.RuleError, match="y has no names, so its 4 columns are called y0, y1"):
        ConstrainedClassifier(LogisticRegression(), "cat -> animal").fit(X, Y)
    trained = RuleboundClassifier(TEXT, labels=order, hidden=(4,), epochs=1).fit(X, Y)
    assert trained.classes_.tolist() == order and trained.rules_.labels == tuple(order)


def test_labels_that_break_the_rules_are_a_warning() -> None:
    features, labels = arrays()
    with warnings.catch_warnings():
        warnings.simplefilter("error", rb.LabelsBreakRules)
        ConstrainedClassifier(LogisticRegression(), RULES).fit(features, labels)
    swapped = labels[:, [2, 1, 0]]
    with pytest.warns(rb.LabelsBreakRules, match="is column i of y the class"):
        ConstrainedClassifier(LogisticRegression(), RULES, labels=list(RULES.labels)).fit(features, swapped)


def test_rules_are_found_in_the_training_labels() -> None:
    features, labels = arrays()
    frame = pandas.DataFrame(labels, columns=list(RULES.labels))
    asked = []

    def found(y: Any) -> rb.Rules:
        asked.append(len(y))
        return rb.mine(y).rules

    mined = ConstrainedClassifier(LogisticRegression(), "mine").fit(features, frame)
    assert "cat -> animal" in mined.rules_.rules
    crossed = cross_val_predict(ConstrainedClassifier(LogisticRegression(), found), features, frame, cv=3)
    assert asked == [60, 60, 60] and RULES.violations(crossed) == []
    own = RuleboundClassifier("mine", hidden=(4,), epochs=2).fit(features, labels)
    assert own.rules_.labels == ("y0", "y1", "y2")


def test_frames_come_out_on_request() -> None:
    model = ConstrainedClassifier(LogisticRegression(), TEXT).fit(X, LABELS)
    index = [f"r{row}" for row in range(len(X))]
    named = model.set_output(transform="pandas").predict_proba(pandas.DataFrame(X, index=index))
    assert named.index.tolist() == index
    own = RuleboundClassifier(TEXT, hidden=(4,), epochs=1).fit(X, LABELS).set_output(transform="pandas")
    assert own.predict(pandas.DataFrame(X, index=index)).index.tolist() == index
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

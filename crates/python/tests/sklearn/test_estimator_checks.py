"""The checks that scikit-learn has for every estimator: all of them, none skipped. One is
expected to fail for our network."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"

import warnings  # noqa: E402
from typing import Any  # noqa: E402

import pytest  # noqa: E402
from sklearn.exceptions import SkipTestWarning  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from rulebound.sklearn import ConstrainedClassifier, RuleboundClassifier  # noqa: E402

ESTIMATORS = {
    # A small network: some of a hundred fits each, of a few rows.
    "rulebound": RuleboundClassifier(hidden=(32,), epochs=60, batch=16, learning_rate=0.01, dropout=0.0),
    "logistic": ConstrainedClassifier(LogisticRegression()),
    "perceptron": ConstrainedClassifier(MLPClassifier(random_state=0)),
    "one-vs-rest": ConstrainedClassifier(OneVsRestClassifier(LogisticRegression())),
}


# A network that learns in batches: a row with the weight 2 is not two rows, which may be in two batches.
EXPECTED = {("rulebound", f"check_sample_weight_equivalence_on_{kind}_data") for kind in ("dense", "sparse")}


def checks() -> list[Any]:
    found = []
    for name, estimator in ESTIMATORS.items():
        for instance, check in estimator_checks_generator(estimator, mark=None):
            function = getattr(check, "func", check)
            marks = [pytest.mark.xfail(strict=True)] if (name, function.__name__) in EXPECTED else []
            found.append(pytest.param(instance, check, id=f"{name}-{function.__name__}", marks=marks))
    return found


@pytest.mark.parametrize(("estimator", "check"), checks())
def test_check(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", SkipTestWarning)
        try:
            check(estimator)
        except BaseException as error:
            # A skipped check is a check that did not run.
            assert type(error).__name__ not in ("SkipTest", "Skipped"), f"skipped: {error}"
            raise

"""An estimator for single labels, fitted once for each class: on the rows whose label is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params

from rulebound.sklearn.scores_of import scores_of


def _has(method: str) -> Any:
    return lambda self: hasattr(self.estimator, method)


class Constant:
    """A class that all rows have, or none: some estimators cannot be fitted to one."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def scores(self, rows: int, method: str) -> NDArray[np.float64]:
        """Its score in so many rows."""
        certain = (float(self.value),) if method == "predict_proba" else (np.inf if self.value else -np.inf,)
        return np.repeat(certain, rows)


class PerClass:
    """One fitted estimator for each class."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, columns: NDArray[np.float64], names: list[str], params: dict[str, Any]) -> PerClass:
        """Fits each class to a column of 0, 1 and NaN where the label is not known."""
        self.estimators_ = [
            self._fit_one(X, columns[:, place], name, params) for place, name in enumerate(names)
        ]
        return self

    def _fit_one(self, X: Any, column: NDArray[np.float64], name: str, params: dict[str, Any]) -> Any:
        rows = np.flatnonzero(~np.isnan(column))
        if len(rows) == 0:
            raise ValueError(f"no label of the class `{name}` is known: leave it out of y")
        if len(rows) < len(column):
            params = _check_method_params(X, params=params, indices=rows)
            X, column = _safe_indexing(X, rows), column[rows]
        truth = column.astype(np.int64)
        if (truth == truth[0]).all():
            return Constant(bool(truth[0]))
        return clone(self.estimator).fit(X, truth, **params)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities `[rows, classes]`."""
        return self._scores(X, "predict_proba")

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins `[rows, classes]`."""
        return self._scores(X, "decision_function")

    def _scores(self, X: Any, method: str) -> NDArray[np.float64]:
        found: list[Any] = [
            one if isinstance(one, Constant) else scores_of(one, X, 1, method)[0][:, 0] for one in self.estimators_
        ]
        rows = next((len(one) for one in found if not isinstance(one, Constant)), None)
        if rows is None:
            rows = X.shape[0] if hasattr(X, "shape") else len(X)
        parts = [one.scores(rows, method) if isinstance(one, Constant) else one for one in found]
        return np.stack(parts, axis=1).astype(np.float64)

"""Our own trainer as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from rulebound.prediction import Prediction
from rulebound.sklearn.class_frames import ClassFrames
from rulebound.sklearn.decisions import decided, shaped_margins, shaped_probabilities
from rulebound.sklearn.rules_of import rules_of
from rulebound.sklearn.target import given_names, read_target
from rulebound.thresholds import threshold_list
from rulebound.training import train

NETWORKS = ("ccn", "cm", "post", "none", "complement")
"""The methods that are networks with settings of their own."""



class RuleboundClassifier(ClassFrames, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A network that is trained through the rules and always obeys them.

    `y` has a column of 0 and 1 for each class; a frame's columns are matched with the rules by name. A
    one-dimensional `y`, binary or of several classes, is learned without rules.

    Parameters
    ----------
    rules : Rules, text or path, default=None
        The rules.
    hidden : tuple of int, default=(32,)
        Units of each hidden layer.
    epochs : int, default=60
        How long to train.
    batch : int, default=16
        The batch size.
    learning_rate : float, default=0.01
        The learning rate of Adam.
    dropout : float, default=0.0
        The dropout rate of hidden layers.
    weight_decay : float, default=1e-5
        The weight of the L2 term.
    method : str, default="ccn"
        How loss and predictions use the rules ("ccn", "cm", "post", "none", "complement"), or another learner
        of the command line with its own defaults; `hidden`, `batch`, `learning_rate`, `dropout` and
        `weight_decay` are for networks only.
    members : int, default=1
        Networks whose logits are averaged.
    thresholds : float or list of float, default=0.5
        From where on a class is predicted.
    device : str, default="cpu"
        "cpu", "cuda", "cuda:1" or "auto".
    random_state : int, RandomState or None, default=None
        Where randomness comes from.

    Attributes
    ----------
    classes_ : array
        The classes: names of the columns of `y` where they are known.
    model_ : Model
        The model, which can be saved and used by the command line.
    rules_ : Rules or None
        The rules about the classes.
    """

    def __init__(
        self,
        rules: Any = None,
        *,
        hidden: tuple[int, ...] = (32,),
        epochs: int = 60,
        batch: int = 16,
        learning_rate: float = 0.01,
        dropout: float = 0.0,
        weight_decay: float = 1e-5,
        method: str = "ccn",
        members: int = 1,
        thresholds: Any = 0.5,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self.rules = rules
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.method = method
        self.members = members
        self.thresholds = thresholds
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RuleboundClassifier:
        """Trains on rows of features and their labels."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        names = given_names(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, dtype=np.float64)
        target = read_target(y, names, rules_of(self.rules, names))
        self.rules_ = rules_of(self.rules, target.names if target.kind == "multilabel" else None)
        network: dict[str, Any] = dict(
            hidden=list(self.hidden),
            batch=self.batch,
            learning_rate=self.learning_rate,
            dropout=self.dropout,
            weight_decay=self.weight_decay,
        )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        model = train(
            (X, target.columns),
            rules=self.rules_,
            labels=target.names,
            epochs=self.epochs,
            method=self.method,
            members=self.members,
            seed=seed,
            device=self.device,
            **(network if self.method in NETWORKS else {}),
        )
        given = threshold_list(self.thresholds, model.labels)
        self.model_ = model.with_thresholds(given)
        self._target = target
        self.classes_ = target.classes
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins: above 0 where a class is predicted."""
        return shaped_margins(self._prediction(X).margins.astype(np.float64), self._target)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities `[rows, classes]`."""
        logits = self._prediction(X).logits.astype(np.float64)
        with np.errstate(over="ignore"):
            probabilities = shaped_probabilities(1 / (1 + np.exp(-logits)), self._target)
        return self._output(probabilities)

    def predict(self, X: Any) -> Any:
        """The predicted classes: 0 and 1 `[rows, classes]`, or one class for each row."""
        margins = self._prediction(X).margins
        return self._output(decided(margins, margins > 0, self._target))

    def _prediction(self, X: Any) -> Prediction:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.model_.predict(X, device=self.device)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

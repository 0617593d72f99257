"""Our own trainer as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    validate_data,
)

from rulebound.feature_table import frame_columns
from rulebound.model import Model
from rulebound.prediction import Prediction
from rulebound.sklearn.class_frames import ClassFrames
from rulebound.sklearn.decisions import decided, shaped_margins, shaped_probabilities
from rulebound.sklearn.rules_of import target_and_rules
from rulebound.sklearn.target import given_names, read_target
from rulebound.thresholds import threshold_list
from rulebound.training import train

SETTINGS = (
    "hidden",
    "activation",
    "epochs",
    "early_stopping",
    "batch",
    "learning_rate",
    "dropout",
    "weight_decay",
    "class_weights",
    "label_policy",
    "scaling",
    "members",
)
"""The parameters that are settings of the engine; None leaves them to it."""


class RuleboundClassifier(ClassFrames, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model that is trained through the rules and always obeys them: that of `rulebound.train` and of the command line
    with the same settings. What is None has the default of the engine, which `rulebound.default_settings(method)` tells.

    `y` has a column of 0 and 1 for each class, and NaN where a label is not known; a frame's columns are matched with the
    rules by name. A one-dimensional `y`, binary or of several classes, is learned without rules. `X` may be a frame with
    text and missing values, which is read as a file is.

    Parameters
    ----------
    rules : Rules, text, path, "mine" or function, default=None
        The rules; "mine" finds those that hold in the training labels, and a function gets `y` and returns them.
    method : str, default="ccn"
        How loss and predictions use the rules ("ccn", "cm", "post", "none", "complement"), or another learner
        of the command line, such as "forest".
    hidden : tuple of int, default=None
        Units of each hidden layer.
    activation : str, default=None
        The activation function of the hidden layers.
    epochs : int, default=None
        For how many epochs to train; None stops early, on rows that are held out.
    early_stopping : dict, default=None
        Settings of early stopping: `monitor`, `patience`, `most`, `holdout`, `retrain`.
    batch : int, default=None
        The batch size.
    learning_rate : float, default=None
        The learning rate of Adam.
    dropout : float, default=None
        The dropout rate of hidden layers.
    weight_decay : float, default=None
        The weight of the L2 term.
    class_weights : "equal", "balanced", list of float, or by name, default=None
        How much the terms of each class count in the loss.
    label_policy : str, default=None
        What becomes of labels that break rules: "keep", "complete" or "strict".
    scaling : str, default=None
        How features are scaled.
    members : int, default=None
        Networks that decide together.
    settings : dict, default=None
        Further settings of the method, such as `trees` of a forest, and arguments of `rulebound.train`.
    thresholds : float, list of float, or by name, default=0.5
        From where on a class is predicted; may be changed after fitting.
    labels : list of str, default=None
        The classes of the columns of `y`, where it has no names. Without it, columns of an array are the classes of the
        rules, in the order of `rules.labels`.
    device : str, default="cpu"
        "cpu", "cuda", "cuda:1" or "auto".
    random_state : int, RandomState or None, default=0
        The seed; None draws one.

    Attributes
    ----------
    classes_ : array
        The classes: names of the columns of `y` where they are known.
    model_ : Model
        The model with the thresholds, which can be saved and used by the command line.
    rules_ : Rules or None
        The rules about the classes.
    """

    def __init__(
        self,
        rules: Any = None,
        *,
        method: str = "ccn",
        hidden: Any = None,
        activation: Any = None,
        epochs: Any = None,
        early_stopping: Any = None,
        batch: Any = None,
        learning_rate: Any = None,
        dropout: Any = None,
        weight_decay: Any = None,
        class_weights: Any = None,
        label_policy: Any = None,
        scaling: Any = None,
        members: Any = None,
        settings: Any = None,
        thresholds: Any = 0.5,
        labels: Any = None,
        device: str = "cpu",
        random_state: Any = 0,
    ) -> None:
        self.rules = rules
        self.method = method
        self.hidden = hidden
        self.activation = activation
        self.epochs = epochs
        self.early_stopping = early_stopping
        self.batch = batch
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.class_weights = class_weights
        self.label_policy = label_policy
        self.scaling = scaling
        self.members = members
        self.settings = settings
        self.thresholds = thresholds
        self.labels = labels
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, validation: Any = None) -> RuleboundClassifier:
        """Trains on rows of features and their labels, with weights of the rows if there are some. `validation` is a pair
        of other rows and their labels, by which training stops."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        names = given_names(y, self.labels)
        X = self._features(X, reset=True)
        target, rules = target_and_rules(y, names, self.rules)
        check_consistent_length(X, target.columns)
        self.rules_ = rules
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if validation is not None:
            if target.kind != "multilabel":
                raise ValueError("validation rows are for a y with a column for each class")
            rows, truth = validation
            truth = truth[target.names] if frame_columns(truth) is not None else truth
            columns = read_target(truth, target.names, None).columns
            validation = (self._features(rows, reset=False), columns)
        given = {name: getattr(self, name) for name in SETTINGS}
        self._trained = train(
            (X, target.columns),
            rules=self.rules_,
            labels=target.names,
            validation=validation,
            sample_weight=sample_weight,
            method=self.method,
            seed=self._seed(),
            device=self.device,
            **{name: value for name, value in given.items() if value is not None},
            **(self.settings or {}),
        )
        # Bad thresholds are an error here, and not at the first prediction.
        self._decided(self._trained)
        self._target = target
        self.classes_ = target.classes
        return self

    @property
    def model_(self) -> Model:
        """The trained model with the thresholds."""
        try:
            trained: Model = self._trained
        except AttributeError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None
        return self._decided(trained)

    def _decided(self, trained: Model) -> Model:
        given = threshold_list(0.5 if self.thresholds is None else self.thresholds, trained.labels)
        return trained if given == trained.thresholds else trained.with_thresholds(given)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins: above 0 where a class is predicted."""
        return shaped_margins(self._prediction(X)._margins.astype(np.float64), self._target)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities `[rows, classes]`: of several labels those of `model_`, to the bit."""
        prediction = self._prediction(X)
        if self._target.kind == "multilabel":
            return self._output(prediction._probabilities, X)
        logits = prediction._logits.astype(np.float64)
        with np.errstate(over="ignore"):
            probabilities = shaped_probabilities(1 / (1 + np.exp(-logits)), self._target)
        return self._output(probabilities, X)

    def predict(self, X: Any) -> Any:
        """The predicted classes: 0 and 1 `[rows, classes]`, or one class for each row."""
        margins = self._prediction(X)._margins
        return self._output(decided(margins, margins > 0, self._target), X)

    def _prediction(self, X: Any) -> Prediction:
        check_is_fitted(self)
        return self.model_.predict(self._features(X, reset=False), device=self.device)

    def _features(self, X: Any, reset: bool) -> Any:
        """Frames as they are, since the model reads their columns by name; everything else as numbers."""
        if reset:
            self._is_by_name = frame_columns(X) is not None
        if frame_columns(X) is not None and self._is_by_name:
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", reset=reset
        )

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

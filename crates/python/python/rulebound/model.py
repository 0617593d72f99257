"""Trained models."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from rulebound import _native
from rulebound.column_roles import ColumnRoles, Kind
from rulebound.evaluation import asked
from rulebound.explanation import Explanation
from rulebound.feature_table import open_rows
from rulebound.names import listed, unknown_names
from rulebound.prediction import Prediction
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds, threshold_list
from rulebound.training_data import DataOptions, open_data, read_path


class Model:
    """A trained model: networks or other learners, with rules, classes, thresholds and preprocessing.

    Made by `rulebound.train`, kept by `save` and `load`, by `to_bytes` and `from_bytes`, or in a pickle.
    """

    __slots__ = ("_model", "_rules", "__weakref__")

    def __init__(self, model: _native.Model) -> None:
        self._model = model
        self._rules = Rules(model.program())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """A model from a file, of Python or of the command line."""
        return cls(_native.Model.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which appears only once it is complete."""
        self._model.save(path)

    def export_onnx(
        self,
        path: str | os.PathLike[str],
        *,
        margins: bool = False,
        named_inputs: bool = False,
        loops: bool = True,
    ) -> None:
        """Writes an ONNX file with preprocessing, rules, probabilities and decisions; its metadata has the names of classes
        and columns. `margins` are returned too if asked for; with `named_inputs` each column is an input by its name;
        `loops=False` writes out long cycles of rules."""
        _native.export_model(self._model, path, margins, named_inputs, loops)

    def export_torch(self, path: str | os.PathLike[str]) -> str:
        """Writes a safetensors file, and beside it a Python file with a module of PyTorch that loads it; the result is the
        path of the latter."""
        return os.fspath(_native.export_torch(self._model, path))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """A model from the bytes of its file."""
        return cls(_native.Model.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The bytes of its file. Equal models have equal bytes."""
        return self._model.to_bytes()

    @property
    def rules(self) -> Rules:
        """The rules, whose labels are the classes."""
        return self._rules

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in order."""
        return self._rules.labels

    @property
    def columns(self) -> list[str]:
        """The names of the features."""
        return [name for name, _ in self._model.columns()]

    @property
    def thresholds(self) -> list[float]:
        """The threshold of each class."""
        return self._model.thresholds()

    def with_thresholds(self, thresholds: Thresholds) -> Model:
        """The same model with other thresholds."""
        given = threshold_list(0.5 if thresholds is None else thresholds, self.labels)
        return Model(self._model.with_thresholds(given or []))

    @property
    def configuration(self) -> dict[str, Any]:
        """The settings that it was trained with."""
        found: dict[str, Any] = json.loads(self._model.record()[0])
        return found

    @property
    def training(self) -> dict[str, Any]:
        """How training went."""
        found: dict[str, Any] = json.loads(self._model.record()[1])
        return found

    def predict(self, data: Any, *, device: str = "cpu") -> Prediction:
        """Predictions for rows: a frame with the columns of the model (others are ignored), an array or
        sparse matrix with all of them in order, or a path."""
        opened = self._open(data)
        return Prediction(self, data, *self._model.predict(opened, device))

    def explain(self, data: Any, label: str, *, row: int = 0) -> Explanation:
        """How a class gets its logit in one row."""
        place = self._rules._place(label)
        if row < 0:
            raise IndexError(f"no row {row}")
        tree, classes = self._model.explain(self._open(data), row, place)
        return Explanation(label, tree, classes)

    def evaluate(
        self,
        data: Any,
        *,
        labels: Any = None,
        labels_in_metrics: str = "all",
        more: bool = False,
        per_class: bool = False,
        bootstrap: int | None = None,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Metrics on data that is given as to `rulebound.train`, and how often rules are broken. `more`, `per_class` and
        `bootstrap` add what `rulebound.evaluate` says."""
        text = _native.evaluate_model(
            self._model, self._labelled(data, labels), labels_in_metrics, asked(more, per_class, bootstrap, seed)
        )
        found: dict[str, Any] = json.loads(text)
        return found

    def calibrate(self, data: Any, *, labels: Any = None, method: str = "temperature") -> tuple[Model, dict[str, Any]]:
        """The same model with probabilities that are right on average on data that it was not trained on, and what that
        changed: the Brier score and the calibration error before and after. `method` is "temperature" or "isotonic".
        Predictions still obey the rules; thresholds of 0.5 stay, others are mapped so that decisions stay."""
        model, told = _native.calibrate(self._model, self._labelled(data, labels), method)
        return Model(model), json.loads(told)

    def tune_thresholds(
        self,
        data: Any,
        *,
        labels: Any = None,
        objective: str = "macro_f1",
        min_precision: float | None = None,
        costs: Any = None,
        one: bool = False,
        passes: int = 10,
    ) -> tuple[Model, dict[str, Any]]:
        """The same model with the thresholds that are best on data that it was not trained on, with the rules applied, and
        F1 at 0.5, before and after. `objective` is "macro_f1" or "micro_f1"; `min_precision` asks for the most recall with
        this precision instead; `costs` are pairs of the cost of a false positive and of a false negative, by name or in
        order. With `one` all classes have the same threshold."""
        if min_precision is not None and costs is not None:
            raise ValueError("give either min_precision or costs")
        aim = "min_precision" if min_precision is not None else "costs" if costs is not None else objective
        pairs = None if costs is None else self._cost_pairs(costs)
        opened = self._labelled(data, labels)
        values, told = _native.tune_thresholds(self._model, opened, (aim, min_precision, pairs), one, passes)
        return self.with_thresholds(values), json.loads(told)

    def importance(
        self,
        data: Any,
        *,
        labels: Any = None,
        columns: Sequence[str] | None = None,
        most: int = 20,
        repeats: int = 5,
        seed: int = 0,
    ) -> dict[str, Any]:
        """What each column is worth: how much AU(PRC), and the average precision of each class, lose when it is shuffled
        among the rows of data that is given as to `rulebound.train`. Those `columns` are measured, or the `most` with the
        largest weights."""
        named = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
        opened = self._labelled(data, labels)
        found: dict[str, Any] = json.loads(_native.importance(self._model, opened, named, most, repeats, seed))
        return found

    def top_features(self, data: Any, label: str, *, row: int = 0, count: int = 5) -> dict[str, Any]:
        """Which columns moved the logit of a class in one row, before the rules, the largest parts first."""
        if row < 0:
            raise IndexError(f"no row {row}")
        found: dict[str, Any] = json.loads(
            _native.attribution(self._model, self._open(data), row, self._rules._place(label))
        )
        return {**found, "columns": found["columns"][:count]}

    def _cost_pairs(self, costs: Any) -> list[tuple[float, float]]:
        labels = self.labels
        if hasattr(costs, "items"):
            pairs = dict(costs.items())
            message = unknown_names(pairs, labels, "a class of the model")
            if message is not None:
                raise KeyError(message)
            missing = [label for label in labels if label not in pairs]
            if missing:
                raise KeyError(f"no costs for {listed(missing)}")
            return [(float(pairs[label][0]), float(pairs[label][1])) for label in labels]
        return [(float(one), float(other)) for one, other in costs]

    def _labelled(self, data: Any, labels: Any) -> _native.Dataset:
        """Rows with labels, whose features are read as the model needs them."""
        names = list(self.labels) if labels is None else labels
        return open_data(data, DataOptions(labels=names, columns=self._model.columns()))

    def _open(self, data: Any) -> _native.Dataset:
        if isinstance(data, (str, os.PathLike)):
            # What is nominal is so whatever the file holds, however few rows it has.
            kinds: dict[str, Kind] = {name: "nominal" for name, values in self._model.columns() if values is not None}
            return read_path(data, [], None, roles=ColumnRoles(kinds=kinds))
        is_frame = hasattr(data, "columns") or hasattr(data, "schema")
        width = None if is_frame or not hasattr(data, "shape") else data.shape[-1]
        columns = self._model.columns()
        if width is not None and width != len(columns):
            raise ValueError(f"{width} columns of features, but the model has {len(columns)}")
        return open_rows(data, columns).unlabelled()

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (Model.from_bytes, (self.to_bytes(),))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        method = self.configuration["method"]
        return f"<Model: {method}, {len(self.columns)} features, {len(self.labels)} classes>"

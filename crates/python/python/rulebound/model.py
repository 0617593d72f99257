"""Trained models."""

from __future__ import annotations

import json
import os
from typing import Any

from rulebound import _native
from rulebound.explanation import Explanation
from rulebound.feature_table import open_features
from rulebound.prediction import Prediction
from rulebound.rules import Rules
from rulebound.thresholds import Thresholds, threshold_list
from rulebound.training_data import open_data, read_path


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
        self, data: Any, *, labels: Any = None, labels_in_metrics: str = "present"
    ) -> dict[str, Any]:
        """Metrics on data that is given as to `rulebound.train`, and how often rules are broken."""
        names = list(self.labels) if labels is None else labels
        opened = open_data(data, names, None)
        found: dict[str, Any] = json.loads(self._model.evaluate(opened, labels_in_metrics))
        return found

    def _open(self, data: Any) -> _native.Dataset:
        if isinstance(data, (str, os.PathLike)):
            return read_path(data, [], None)
        is_frame = hasattr(data, "columns") or hasattr(data, "schema")
        names = None if is_frame else self.columns
        width = None if is_frame or not hasattr(data, "shape") else data.shape[-1]
        if width is not None and names is not None and width != len(names):
            raise ValueError(f"{width} columns of features, but the model has {len(names)}")
        return open_features(data, names).unlabelled()

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

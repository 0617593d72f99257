"""Training a model."""

from __future__ import annotations

import json
import logging
import os
import pathlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulebound import _native
from rulebound.column_roles import ColumnRoles, Names
from rulebound.errors import DoubtfulColumn, LabelsBreakRules
from rulebound.model import Model
from rulebound.names import listed
from rulebound.progress import Progress
from rulebound.rules import Rules
from rulebound.settings import class_weights, configuration
from rulebound.training_data import DataOptions, open_data

Event = dict[str, Any]
"""What happens during training: `event` says what (`phase`, `epoch`, `pieces`, `resumed`,
`broken_labels`, `shuffle_buffer`, `precision_ignored`), the other entries its details."""

_log = logging.getLogger("rulebound")


def train(
    data: Any,
    *,
    rules: Rules | str | os.PathLike[str] | None = None,
    labels: str | Sequence[str] | None = None,
    validation: Any = None,
    sample_weight: Any = None,
    ignore: Names = None,
    id_column: Names = None,
    nominal: Names = None,
    numeric: Names = None,
    epochs: int | None = None,
    early_stopping: bool | Mapping[str, Any] | None = None,
    learners: Sequence[str] | None = None,
    weights: str | Sequence[float] | None = None,
    blend_folds: int | None = None,
    device: str = "cpu",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    log: str | os.PathLike[str] | None = None,
    stream: str | os.PathLike[str] | None = None,
    callback: Callable[[Event], object] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Model:
    """Trains a model whose predictions obey the `rules`: `Rules`, a text, or a file.

    `data` is a path, a frame with label columns (`labels` names them, or is a pattern such as "GO:*"), or
    a pair of features and labels: arrays, frames, or a scipy sparse matrix for features. A label that is
    NaN is not known. `validation` rows are of the same kind; without them a part is held out if training
    stops early. `epochs` trains for a fixed number instead. `sample_weight` has a weight for each row, or is the name
    of the column that has it.

    The columns of a frame are read as those of a file: `ignore` leaves some out (a name, or a prefix such as "x_*"),
    `id_column` says that they identify rows, `nominal` that each value is an input, `numeric` that all cells are
    numbers. Dates and long texts are refused unless one of these says what to do; other columns that are probably not
    features are a `DoubtfulColumn` warning.

    Further `settings` are `method`, `seed`, `members`, `label_policy`, `scaling`, and those of the method: for networks
    `hidden`, `activation`, `dropout`, `learning_rate`, `weight_decay`, `batch`, `class_weights`, `shuffle_buffer`,
    `sparse_update`, `precision` ("fp32" or "tf32": of a GPU's products at batch sizes above 8); for a forest `trees`,
    `leaf` and others. `rulebound.default_settings(method)` has all of them with their defaults. `class_weights` is
    "equal", "balanced", or a weight for each class, in order or by name (1 where none is named). A name that the method does not have is a ValueError that lists those it has.

    `learners` trains a blend: methods such as `["ccn:5", "forest"]`, each with how many networks or trees of it; `weights` are
    numbers, or the metric by which they are chosen (default: "auprc"), on validation rows or in `blend_folds` folds.

    `stream` is a folder on a disk with room for the rows of a path that do not fit into memory: they are kept there in
    temporary files without a name, and shuffled among `shuffle_buffer` rows at a time (as many as 1 GiB holds).

    `callback` gets every event on the calling thread; what it raises stops the training. Ctrl-C keeps
    the `checkpoint`, from which `resume` continues; it goes when the model is there. `progress` shows a bar of tqdm.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]] * 10)
    >>> Y = np.concatenate([X > 0.5, X > 0.5], axis=1)
    >>> model = train((X, Y), rules=Rules.parse("cat -> animal"), epochs=3, hidden=[4])
    >>> model.predict(X[:1]).decisions.shape
    (1, 2)
    """
    given = configuration(epochs, early_stopping, settings)
    given.update(_blend(learners, weights, blend_folds, "method" in given))
    roles = ColumnRoles.of(ignore, id_column, nominal, numeric)
    opened = open_data(data, DataOptions(labels, rules, roles, sample_weight), validation, stream)
    if "class_weights" in given:
        given["class_weights"] = class_weights(given["class_weights"], opened.program().labels())
    warn_of_doubts(opened)
    events = _Events(callback, Progress() if progress else None)
    text = json.dumps(given, default=_plain)
    try:
        model = Model(_native.train(opened, text, device, checkpoint, resume, log, events))
    finally:
        events.close()
    if checkpoint is not None:
        pathlib.Path(checkpoint).unlink(missing_ok=True)
    return model


def _blend(
    learners: Sequence[str] | None, weights: Any, folds: int | None, has_method: bool
) -> dict[str, Any]:
    """The settings of a blend."""
    if learners is None:
        if weights is not None or folds is not None:
            raise ValueError("weights and blend_folds are those of a blend: give its learners")
        return {}
    if isinstance(learners, str):
        raise TypeError(f"learners are a list of methods, such as [{learners!r}, 'forest']")
    if has_method:
        raise ValueError("give either method or learners")
    if folds is not None and not 2 <= folds <= 1000:
        raise ValueError(f"blend_folds is from 2 to 1000, not {folds}")
    chosen = weights if weights is None or isinstance(weights, str) else [float(one) for one in weights]
    return {"learners": list(learners), "weights": chosen, "blend_folds": folds}


def warn_of_doubts(data: _native.Dataset) -> None:
    """Warns about columns that are trained on, or left out, and probably should not be; what training refuses, it says
    itself."""
    doubts = data.doubts()
    used = [name for name, is_feature, is_refused in doubts if is_feature and not is_refused]
    left_out = [name for name, is_feature, _ in doubts if not is_feature]
    for note in data.notes():
        _log.info("%s", note)
    if used:
        warnings.warn(
            f"{listed(used)} looks like an id and is used as a feature: id_column= or ignore= leaves it out,"
            " numeric= says that it is a number",
            DoubtfulColumn,
            stacklevel=3,
        )
    if left_out:
        warnings.warn(
            f"{listed(left_out)} has a different value in nearly every row and is not used as a feature: id_column= or"
            " ignore= says so, nominal= uses it",
            DoubtfulColumn,
            stacklevel=3,
        )


def _plain(value: Any) -> Any:
    """Numbers of NumPy and tuples as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


class _Events:
    """Hands events to whoever listens."""

    def __init__(
        self, callback: Callable[[Event], object] | None, progress: Progress | None
    ) -> None:
        self._callback = callback
        self._progress = progress

    def __call__(self, text: str) -> None:
        event: Event = json.loads(text)
        kind = event["event"]
        if kind == "broken_labels":
            rules = ", ".join(f"`{rule}`" for rule in event["rules"])
            # A requirement does not say which label is wrong.
            found = f"rules ({rules}); Rules.close completes them" if event["breaking_rules"] else f"requirements ({rules})"
            warnings.warn(
                f"the labels of {event['rows']} training rows break {found}",
                LabelsBreakRules,
                stacklevel=3,
            )
        elif kind == "no_gpu":
            _log.info("no usable GPU found, falling back to the CPU: %s", event["reason"])
        elif kind == "precision_ignored":
            warnings.warn(
                f"precision={event['precision']!r} has no effect on the CPU, which always computes in fp32",
                UserWarning,
                stacklevel=3,
            )
        elif kind == "epoch":
            _log.debug("epoch %s, seed %s: loss %s", event["epoch"], event["seed"], event["loss"])
        else:
            _log.debug("%s", text)
        if self._progress is not None:
            self._progress.show(event)
        if self._callback is not None:
            self._callback(event)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()

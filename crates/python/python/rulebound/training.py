"""Training a model."""

from __future__ import annotations

import json
import logging
import os
import pathlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rulebound import _native
from rulebound.errors import LabelsBreakRules
from rulebound.model import Model
from rulebound.progress import Progress
from rulebound.rules import Rules
from rulebound.training_data import open_data

Event = dict[str, Any]
"""What happens during training: `event` says what (`phase`, `epoch`, `pieces`, `resumed`,
`broken_labels`, `shuffle_buffer`), the other entries its details."""

_log = logging.getLogger("rulebound")


def train(
    data: Any,
    *,
    rules: Rules | str | os.PathLike[str] | None = None,
    labels: str | Sequence[str] | None = None,
    validation: Any = None,
    epochs: int | None = None,
    early_stopping: bool | dict[str, Any] | None = None,
    device: str = "cpu",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    log: str | os.PathLike[str] | None = None,
    stream: str | os.PathLike[str] | None = None,
    callback: Callable[[Event], object] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Model:
    """Trains a model whose predictions obey the rules.

    `data` is a path, a frame with label columns (`labels` names them, or is a pattern such as "GO:*"), or
    a pair of features and labels: arrays, frames, or a scipy sparse matrix for features. A label that is
    NaN is not known. `validation` rows are of the same kind; without them a part is held out if training
    stops early. `epochs` trains for a fixed number instead.

    Further `settings` are `method`, `seed`, `members`, `labels_policy`, `scaling`, and those of the method: for networks
    `hidden`, `activation`, `dropout`, `learning_rate`, `weight_decay`, `batch`, `shuffle_buffer`, `sparse_update`; for a forest `trees`, `leaf` and
    others. A name that the method does not have is a ValueError that lists those it has.

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
    opened = open_data(data, labels, rules, validation, stream)
    events = _Events(callback, Progress() if progress else None)
    text = json.dumps(_configuration(epochs, early_stopping, settings), default=_plain)
    try:
        model = Model(_native.train(opened, text, device, checkpoint, resume, log, events))
    finally:
        events.close()
    if checkpoint is not None:
        pathlib.Path(checkpoint).unlink(missing_ok=True)
    return model


def _configuration(
    epochs: int | None, early_stopping: bool | dict[str, Any] | None, settings: dict[str, Any]
) -> dict[str, Any]:
    given = dict(settings)
    if "labels_policy" in given:
        given["labels"] = given.pop("labels_policy")
    if epochs is not None and early_stopping:
        raise ValueError("give either epochs or early_stopping")
    if epochs is not None and epochs < 1:
        raise ValueError(f"epochs must be at least 1, not {epochs}")
    if epochs is not None:
        given["stopping"] = {"epochs": epochs}
    elif isinstance(early_stopping, dict):
        early = {"monitor": "auprc", "patience": 20, "most": 1000, "holdout": 0.15, "retrain": False}
        unknown = set(early_stopping) - set(early)
        if unknown:
            raise TypeError(f"early_stopping has no setting {sorted(unknown)[0]!r}")
        given["stopping"] = {"early": {**early, **early_stopping}}
    elif early_stopping is False:
        raise ValueError("without early stopping, say for how many epochs to train")
    return given


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
            warnings.warn(
                f"the labels of {event['rows']} training rows break rules ({rules}); Rules.close "
                "completes them",
                LabelsBreakRules,
                stacklevel=3,
            )
        elif kind == "no_gpu":
            _log.info("no usable GPU found, falling back to the CPU: %s", event["reason"])
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

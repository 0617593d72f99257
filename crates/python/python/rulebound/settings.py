"""Settings of training by their names: those that exist, what was probably meant, and what the engine calls them.

Names and defaults are the engine's, which the command line has too: nothing is declared here a second time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rulebound import _native
from rulebound.names import hint
from rulebound.thresholds import class_numbers

_ELSEWHERE = {
    "lr": "learning_rate",
    "batch_size": "batch",
    "max_epochs": "epochs",
    "max_iter": "epochs",
    "n_epochs": "epochs",
    "hidden_layer_sizes": "hidden",
    "layers": "hidden",
    "n_estimators": "trees",
    "random_state": "seed",
    "class_weight": "class_weights",
    "labels_policy": "label_policy",
    "stopping": "early_stopping",
    "n_members": "members",
    "l2": "weight_decay",
    "alpha": "weight_decay",
}
"""What settings are called in other libraries, and in the file of a model."""

_ARGUMENTS = ("epochs", "early_stopping", "device")
"""Arguments of `train` that are settings, too."""


def default_settings(method: str = "ccn") -> dict[str, Any]:
    """The settings of a method with their defaults, as `rulebound.train`, `RuleboundClassifier` and the command line
    have them. None means that the engine decides by the data.

    >>> "hidden" in default_settings(), "trees" in default_settings("forest")
    (True, True)
    """
    found: dict[str, Any] = json.loads(_native.default_settings(method))
    found["label_policy"] = found.pop("labels")
    return found


def configuration(
    epochs: int | None, early_stopping: bool | Mapping[str, Any] | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings that are not the default ones, as the engine reads them."""
    given = {name: value for name, value in settings.items() if value is not None}
    _expect_names(given)
    if "label_policy" in given:
        given["labels"] = given.pop("label_policy")
    if "hidden" in given:
        given["hidden"] = _sizes(given["hidden"])
    stopping = _stopping(epochs, early_stopping)
    if stopping is not None:
        given["stopping"] = stopping
    return given


def class_weights(given: Any, labels: Sequence[str]) -> Any:
    """Weights of classes as the engine reads them: "equal", "balanced", or one for each class.

    >>> class_weights({"cat": 3}, ["animal", "cat"])
    {'each': [1.0, 3.0]}
    """
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping) and set(given) == {"each"} and "each" not in labels:
        given = given["each"]
    return {"each": class_numbers(given, labels, 1.0, "class weights")}


def _expect_names(given: Mapping[str, Any]) -> None:
    method = given.get("method", "ccn")
    if not isinstance(method, str):
        raise TypeError(f"method is the name of one, not {method!r}")
    known = sorted(default_settings(method))
    unknown = [name for name in given if name not in known]
    if not unknown:
        return
    name = unknown[0]
    names = [*known, *_ARGUMENTS]
    meant = _ELSEWHERE.get(name)
    near = f"; did you mean `{meant}`?" if meant in names else hint(name, names)
    raise ValueError(f"`{name}` is not a setting of {method}{near or '.'} It has {', '.join(names)}")


def _sizes(hidden: Any) -> list[int]:
    """Units of each hidden layer; a number means one layer."""
    plain = hidden.tolist() if hasattr(hidden, "tolist") else hidden
    sizes: list[Any] = [plain] if isinstance(plain, (int, float, str)) else list(plain)
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"hidden are the units of each hidden layer, such as (64, 64); not {hidden!r}")
    return sizes


def _stopping(epochs: int | None, early_stopping: bool | Mapping[str, Any] | None) -> dict[str, Any] | None:
    if epochs is not None and early_stopping:
        raise ValueError("give either epochs or early_stopping")
    if epochs is not None:
        if isinstance(epochs, bool) or int(epochs) != epochs:
            raise TypeError(f"epochs is a whole number, not {epochs!r}")
        if epochs < 1:
            raise ValueError(f"epochs must be at least 1, not {epochs}")
        return {"epochs": int(epochs)}
    if early_stopping is False:
        raise ValueError("without early stopping, say for how many epochs to train")
    if not isinstance(early_stopping, Mapping):
        return None
    early: dict[str, Any] = json.loads(_native.default_early_stopping())
    for name in early_stopping:
        if name not in early:
            text = f"early_stopping has no setting {name!r}{hint(name, list(early))}"
            raise TypeError(f"{text} It has {', '.join(early)}")
    return {"early": {**early, **early_stopping}}

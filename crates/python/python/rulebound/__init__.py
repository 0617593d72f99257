"""Multi-label classifiers whose predictions always satisfy the rules you wrote.

>>> import rulebound as rb
>>> rules = rb.Rules.parse("cat -> animal")
>>> rules.apply([0.9, 0.2])
array([0.9, 0.9])

Names are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rulebound._native import VERSION as __version__

if TYPE_CHECKING:
    from rulebound.applied import Applied
    from rulebound.data_info import data_info
    from rulebound.errors import DoubtfulColumn, LabelsBreakRules, Mistake, RuleError, ScoreError
    from rulebound.evaluation import evaluate
    from rulebound.explanation import Explanation
    from rulebound.long_scores import LongScores
    from rulebound.mining import Mined, mine
    from rulebound.model import Model
    from rulebound.partial_metrics import ClassCounts, PartialMetrics
    from rulebound.prediction import Prediction
    from rulebound.report import Report, RuleWarning
    from rulebound.rules import Rules
    from rulebound.settings import default_settings
    from rulebound.training import train

_MODULES = {
    "Applied": "applied",
    "ClassCounts": "partial_metrics",
    "DoubtfulColumn": "errors",
    "Explanation": "explanation",
    "LabelsBreakRules": "errors",
    "LongScores": "long_scores",
    "Mined": "mining",
    "Mistake": "errors",
    "Model": "model",
    "PartialMetrics": "partial_metrics",
    "Prediction": "prediction",
    "Report": "report",
    "RuleError": "errors",
    "RuleWarning": "report",
    "Rules": "rules",
    "ScoreError": "errors",
    "data_info": "data_info",
    "default_settings": "settings",
    "evaluate": "evaluation",
    "mine": "mining",
    "train": "training",
}

__all__ = [
    "Applied",
    "ClassCounts",
    "DoubtfulColumn",
    "Explanation",
    "LabelsBreakRules",
    "LongScores",
    "Mined",
    "Mistake",
    "Model",
    "PartialMetrics",
    "Prediction",
    "Report",
    "RuleError",
    "RuleWarning",
    "Rules",
    "ScoreError",
    "__version__",
    "data_info",
    "default_settings",
    "evaluate",
    "mine",
    "train",
]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'rulebound' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"rulebound.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

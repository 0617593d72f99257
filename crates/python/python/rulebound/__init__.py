"""Multi-label classifiers whose predictions always satisfy the rules you wrote.

>>> import rulebound as rb
>>> rules = rb.Rules.parse("cat -> animal")
>>> rules.apply([0.9, 0.2])
array([0.9, 0.9])
"""

from rulebound._native import VERSION as __version__
from rulebound.errors import Mistake, RuleError, ScoreError
from rulebound.rules import Applied, Rules

__all__ = ["Applied", "Mistake", "RuleError", "Rules", "ScoreError", "__version__"]

"""Estimators of scikit-learn whose predictions obey rules.

>>> from sklearn.linear_model import LogisticRegression
>>> from rulebound.sklearn import ConstrainedClassifier
>>> X, y = [[0.0], [0.2], [0.8], [1.0]], [[0, 0], [0, 1], [1, 1], [1, 1]]
>>> model = ConstrainedClassifier(LogisticRegression(), rules="cat -> animal").fit(X, y)
>>> model.classes_.tolist()
['cat', 'animal']
"""

from rulebound.sklearn.constrained_classifier import ConstrainedClassifier
from rulebound.sklearn.rulebound_classifier import RuleboundClassifier

__all__ = ["ConstrainedClassifier", "RuleboundClassifier"]

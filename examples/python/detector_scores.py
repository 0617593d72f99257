"""Rules for the scores of a detector that is already trained.

A detector for traffic scenes gives each box a probability for each label, independently. The rules say what may
occur together. Nothing is trained here: scores go in, coherent scores come out, in the same kind of table.
"""

# %% The rules, as people write them
import numpy as np
import pandas as pd

import rulebound as rb

rules = rb.Rules.parse("""
    car -> vehicle
    truck -> vehicle
    vehicle, not car, not truck -> other_vehicle
    red_light -> traffic_light
    green_light -> traffic_light
    moving, not person -> vehicle
""")
assert rules.check(), rules.check()
print(rules)

# %% Scores of a detector: one row per box, other columns are kept
random = np.random.default_rng(0)
scores = pd.DataFrame(random.random((6, len(rules.labels))).round(2), columns=list(rules.labels))
scores.insert(0, "box", [f"frame0/{number}" for number in range(6)])
print(scores)

# %% Coherent scores, decisions, and who decided
applied = rules.apply(scores, decisions=True, delegates=True)
print(applied.scores)
print(applied.delegates)
assert rules.violations(applied.decisions) == []
assert applied.scores["box"].equals(scores["box"])

# %% Why
changed = applied.scores["vehicle"] != scores["vehicle"]
row = int(np.flatnonzero(changed)[0])
print(rules.explain(scores, "vehicle", row=row))

# %% A threshold for each label, and logits instead of probabilities
low = rules.apply(scores, thresholds={"red_light": 0.2}, decisions=True)
assert rules.violations(low.decisions) == []
sure = scores[list(rules.labels)].clip(0.001, 0.999)
logits = np.log(sure / (1 - sure))
coherent = rules.apply(logits, kind="logits", decisions=True)
assert rules.violations(coherent.decisions) == []

# %% What is wrong is said where it is wrong
broken = scores.copy()
broken.loc[3, "car"] = np.nan
try:
    rules.apply(broken)
except rb.ScoreError as error:
    print(error)
    assert (error.row, error.label) == (3, "car")

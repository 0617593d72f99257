"""Functions of genes with scikit-learn, under the Gene Ontology.

A term of the ontology implies its parents (`is_a` and `part_of`), and a classifier that scores every term by
itself breaks that all the time. Here it cannot. The data is made up; the ontology is a small part of the real
one. Run it as a script, or cell by cell.
"""

# %% The ontology, as its file has it
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split

import rulebound as rb
from rulebound.sklearn import ConstrainedClassifier, RuleboundClassifier

OBO = """format-version: 1.2

[Term]
id: GO:0008150
name: biological_process

[Term]
id: GO:0009987
name: cellular process
is_a: GO:0008150 ! biological_process

[Term]
id: GO:0008152
name: metabolic process
is_a: GO:0008150 ! biological_process

[Term]
id: GO:0006281
name: DNA repair
is_a: GO:0008152 ! metabolic process
relationship: part_of GO:0006950 ! response to stress

[Term]
id: GO:0006950
name: response to stress
is_a: GO:0008150 ! biological_process

[Term]
id: GO:0006284
name: base-excision repair
is_a: GO:0006281 ! DNA repair

[Term]
id: GO:0051301
name: cell division
is_a: GO:0009987 ! cellular process
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "go-part.obo"
    path.write_text(OBO)
    rules = rb.Rules.read(path)  # .obo.gz works, too
print(rules)
print(rules.text())

# %% Genes: features, and the most specific terms that somebody annotated
random = np.random.default_rng(0)
leaves = ["GO:0006284", "GO:0006281", "GO:0051301", "GO:0006950"]
kinds = random.integers(len(leaves), size=400)
features = random.normal(size=(400, 12)) + 0.8 * np.eye(len(leaves), 12)[kinds]
annotated = [[leaves[kind]] for kind in kinds]

# Everything that follows from an annotation holds as well.
closed = rules.close(annotated)
labels = pd.DataFrame(
    [[int(term in terms) for term in rules.labels] for terms in closed], columns=list(rules.labels)
)
assert rules.violations(labels) == []

# %% Any classifier, made coherent
train_x, test_x, train_y, test_y = train_test_split(features, labels, random_state=0)
always = labels.columns[labels.all()]  # the root: every gene has it, so there is nothing to learn
print("in every row:", list(always))
free = ConstrainedClassifier(LogisticRegression()).fit(train_x, train_y)
bound = free.with_rules(rules)  # nothing is fitted again
print("rules broken without rules:", len(rules.violations(free.predict(test_x))))
print("rules broken with them:    ", len(rules.violations(bound.predict(test_x))))
assert rules.violations(free.predict(test_x)) and not rules.violations(bound.predict(test_x))

# %% Our own network, which learns through the rules; chosen by cross-validation like any estimator
search = GridSearchCV(
    RuleboundClassifier(rules, epochs=20, random_state=0), {"hidden": [(16,), (32,)]}, cv=3
)
search.fit(train_x, train_y)
network = search.best_estimator_
assert rules.violations(network.predict(test_x)) == []

# %% Both against the truth
for name, model in {"regression": bound, "network": network}.items():
    found = rb.evaluate(test_y, model.predict_proba(test_x), rules=rules)
    print(f"{name}: AU(PRC) {found['auprc']:.3f}, violations {found['incoherent_rows']}")
    assert found["incoherent_rows"] == 0

# %% Why a term is predicted
print(rules.explain(free.predict_proba(test_x), "GO:0008152", row=0))

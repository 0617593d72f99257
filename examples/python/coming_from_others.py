"""Coming from the authors' code (C-HMCNN, CCN) and from PiShield.

    python examples/python/coming_from_others.py
"""

import torch

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss, get_constr_out

# ---- C-HMCNN: get_constr_out(x, R) ----------------------------------------------------------------------------------
# There, R has a 1 in row A and column B if B is A or a descendant of A, and the layer is batch × classes × classes
# numbers in double precision. The same call works here, without that memory:
R = torch.tensor([[[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]])  # animal, cat, kitten
x = torch.tensor([[0.1, 0.2, 0.75]])
print(get_constr_out(x, R))

# In new code, rules have names, and the layer takes logits in their own precision:
rules = rb.Rules.from_matrix(R[0].numpy(), ["animal", "cat", "kitten"])
layer = ConstraintLayer(rules)
print(layer(torch.logit(x)).sigmoid())

# Their loss (MCLoss) was written into the training loop: constrain the output, mask it with the labels, constrain
# again. Here it is one module, and it takes logits, so that nothing is clamped:
loss = ConstraintLoss(rules)
print(loss(torch.logit(x), torch.tensor([[1, 1, 0]])))

# Classes that are left out of the loss there (`to_eval`: the roots) are left out here by name:
loss = ConstraintLoss(rules, evaluated=["cat", "kitten"])

# ---- CCN: rules with several literals and negation ------------------------------------------------------------------
# There, a file has lines `weight head :- body`, with classes by number and `n3` for a negated one, and `createIs`,
# `createM` and `get_constr_out_train` take it apart. The same text is understood:
ccn = rb.Rules.parse("0.9 0 :- 1 n2\n0.8 3 :- 0", labels=["0", "1", "2", "3"], format="ccn")
print(ConstraintLayer(ccn, kind="probabilities")(torch.tensor([0.1, 0.8, 0.3, 0.0])))

# ---- PiShield ---------------------------------------------------------------------------------------------------------
# Its files are read as they are. There, the order of the variables chooses which of them is corrected; here the class
# of which the network is surest wins, whatever the order:
shield = rb.Rules.parse("y_0 or not y_1\nnot y_0 or not y_2", labels=["y_0", "y_1", "y_2"], format="pishield")
p = torch.tensor([[0.4, 0.8, 0.7]])
print(shield.apply(p))
# The same as a module, on logits:
print(ConstraintLayer(shield)(torch.logit(p)))

# build_shield_loss(...) adds a penalty for broken requirements to a loss of one's own. Here the loss itself is that of
# the coherent output; for another one than cross-entropy, give it as the criterion:
weighted = ConstraintLoss(rules, criterion=torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 4.0])))
print(weighted(torch.logit(x), torch.tensor([[1, 1, 0]])))

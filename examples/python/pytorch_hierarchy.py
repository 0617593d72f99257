"""A PyTorch network with a hierarchy of classes: coherent in training and in prediction.

    python examples/python/pytorch_hierarchy.py

Shapes are drawn in the plane: every circle is a `round` thing, every round thing is a `thing`, and what is a thing
and not round is `angular`. The network learns through the rules, and no prediction ever breaks one.
"""

import torch

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss

rules = rb.Rules.parse(
    """
    circle -> round
    round -> thing
    thing, not round -> angular
    angular -> thing
    """
)
print(rules.labels)


def draw_shapes(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points, and the classes that hold there, closed under the rules."""
    points = torch.rand(rows, 2) * 4 - 2
    distance = points.norm(dim=1)
    truth = {
        "circle": distance < 0.7,
        "round": distance < 1.1,
        "thing": distance < 1.7,
        "angular": (distance >= 1.1) & (distance < 1.7),
    }
    return points, torch.stack([truth[label] for label in rules.labels], dim=1)


torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
layer, loss = ConstraintLayer(rules), ConstraintLoss(rules)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)

points, target = draw_shapes(2000)
assert int(loss.count_broken(target)) == 0
for step in range(301):
    optimizer.zero_grad()
    value = loss(network(points), target)
    value.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3}  loss {value.item():.3f}")

points, target = draw_shapes(1000)
with torch.no_grad():
    raw, coherent = network(points), layer(network(points))
predicted = coherent > 0
accuracy = (predicted == target).float().mean().item()
print(f"accuracy {accuracy:.3f}")
print(f"rows that break a rule: {int(loss.count_broken(raw > 0))} before the layer, {int(loss.count_broken(predicted))} after")

# Who decided? Twice the class, plus 1 for a negated one.
labels = rules.labels
row = coherent[:1]
for label, delegate in zip(labels, layer.delegates(raw[:1])[0].tolist(), strict=True):
    print(f"{label}: decided by {'not ' if delegate & 1 else ''}{labels[delegate >> 1]}")

assert accuracy > 0.9 and int(loss.count_broken(predicted)) == 0

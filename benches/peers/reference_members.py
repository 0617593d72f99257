"""As reference.py, several seeds side by side: the mean of their test AU(PRC) and its deviation
after every epoch. For a graphics card; on the processor it is slow.

    RULEBOUND_DATA=DIR python benches/peers/reference_members.py seq_FUN 2000 22 [MEMBERS]
"""
import sys
import time

import numpy as np
import torch

from funcat import auprc, load

name, hidden, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
members = int(sys.argv[4]) if len(sys.argv) > 4 else 10
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.backends.cuda.matmul.allow_tf32 = False
arrays = load(name)
below = arrays[4]
inputs, labels, test = (torch.tensor(array, device=device) for array in arrays[:3])
truth = arrays[3][:, 1:].ravel()
classes = len(below)
# A class hands its score to the class right above it, the deepest classes first.
depth = below.sum(0) - 1
parent = [max((a for a in range(classes) if below[a, d] and a != d), key=lambda a: depth[a],
              default=0) for d in range(classes)]
parent = torch.tensor(parent, device=device)
levels = [torch.tensor(np.nonzero(depth == level)[0], device=device)
          for level in range(int(depth.max()), 0, -1)]


def coherent(scores):
    for level in levels:
        to = parent[level].expand(scores.shape[0], scores.shape[1], -1)
        scores = torch.scatter_reduce(scores, 2, to, scores[:, :, level], "amax")
    return scores


torch.manual_seed(1)
sizes, weights = [inputs.shape[1], hidden, hidden, classes], []
for wide, high in zip(sizes, sizes[1:]):
    for rows in (wide, 1):
        start = (torch.rand(members, rows, high, device=device) * 2 - 1) * wide ** -0.5
        weights.append(start.requires_grad_())
adam = torch.optim.Adam(weights, lr=1e-4, weight_decay=1e-5, fused=True)


def network(values, training):
    for layer in range(3):
        values = torch.baddbmm(weights[2 * layer + 1], values, weights[2 * layer])
        if layer < 2:
            values = torch.nn.functional.dropout(torch.relu(values), 0.7, training)
    return torch.sigmoid(values)


start = time.time()
for epoch in range(1, epochs + 1):
    order = torch.stack([torch.randperm(len(inputs), device=device) for _ in range(members)])
    for rows in order.split(4, dim=1):
        h, y = network(inputs[rows], True), labels[rows]
        seen = (1 - y) * coherent(h) + y * coherent(y * h)
        terms = torch.nn.functional.binary_cross_entropy(
            seen[:, :, 1:], y[:, :, 1:], reduction="none")
        adam.zero_grad()
        terms.mean((1, 2)).sum().backward()
        adam.step()
    with torch.no_grad():
        scores = coherent(network(test[None].expand(members, -1, -1), False))[:, :, 1:].cpu().numpy()
    each = [auprc(member.ravel(), truth) for member in scores]
    deviation = np.std(each, ddof=1) if members > 1 else 0.0
    print(f"{epoch} mean {np.mean(each):.4f} deviation {deviation:.4f} "
          f"together {auprc(scores.mean(0).ravel(), truth):.4f} {time.time() - start:.0f} s", flush=True)

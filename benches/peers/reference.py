"""C-HMCNN on a FunCat set in PyTorch, with the dense constraint formula: what our training is
compared with where a figure is in doubt. Prints loss and test AU(PRC) after chosen epochs.

    RULEBOUND_DATA=DIR benches/peers/.venv/bin/python benches/peers/reference.py seq_FUN 2000 13 [SEED]
"""
import sys
import time

import torch
from torch import nn

from funcat import auprc, load

torch.set_num_threads(1)
name, hidden, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
inputs, labels, test, truth, below = map(torch.tensor, load(name))
classes = len(below)
print(tuple(inputs.shape), classes)
torch.manual_seed(seed)
network = nn.Sequential(
    nn.Linear(inputs.shape[1], hidden), nn.ReLU(), nn.Dropout(0.7),
    nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.7), nn.Linear(hidden, classes))
adam = torch.optim.Adam(network.parameters(), lr=1e-4, weight_decay=1e-5, fused=True)


def coherent(scores):
    return (below[None] * scores[:, None, :]).max(2).values


def evaluate():
    network.eval()
    with torch.no_grad():
        scores = torch.cat([coherent(torch.sigmoid(network(rows))) for rows in test.split(16)])
    network.train()
    return auprc(scores[:, 1:].numpy().ravel(), truth[:, 1:].numpy().ravel())


shuffle, start = torch.Generator().manual_seed(seed), time.time()
for epoch in range(1, epochs + 1):
    total = 0
    batches = torch.randperm(len(inputs), generator=shuffle).split(4)
    for rows in batches:
        h, y = torch.sigmoid(network(inputs[rows])), labels[rows]
        seen = (1 - y) * coherent(h) + y * coherent(y * h)
        loss = nn.functional.binary_cross_entropy(seen[:, 1:], y[:, 1:])
        adam.zero_grad()
        loss.backward()
        adam.step()
        total += loss.item()
    if epoch + 2 > epochs or epoch % 4 == 0:
        print(epoch, "loss", total / len(batches), "auprc", evaluate(), round(time.time() - start),
              flush=True)

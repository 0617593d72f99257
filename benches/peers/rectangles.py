"""The two rectangles in PyTorch: how often does a network of four units never find A1?

Trains g (A1 and A without A1, cross-entropy) at step 9 and CCN(h) at steps 8 and 1, as the paper says:
four tanh units, Adam with learning rate 1e-2, 20,000 epochs over 2,500 points. Prints the AU(PRC) of the
coherent predictions on 2,500 others, for ten seeds. The rectangles are those of
crates/data/src/dataset/source/rectangle.rs; the points are NumPy's, so single runs are not ours.
"""

import numpy
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

torch.set_num_threads(1)


def auprc(truth, scores):
    """Micro-averaged average precision."""
    truth = truth[numpy.argsort(-scores, kind="stable")]
    precision = numpy.cumsum(truth) / numpy.arange(1, len(truth) + 1)
    return (precision * truth).sum() / truth.sum()


def run(seed, step, method, epochs=20_000):
    torch.manual_seed(seed)
    points = numpy.random.default_rng(seed).random((5000, 2)).astype("f4")
    x, y = points.T
    in1 = (abs(x - (0.705 - (9 - step) * 0.07)) < 0.11) & (abs(y - 0.5) < 0.11)
    in2 = (x >= 0.445) & (x < 0.965) & (y >= 0.24) & (y < 0.76)
    train = points[:2500]
    inputs = torch.tensor((points - train.mean(0)) / train.std(0))
    labels = torch.tensor(numpy.stack([in1, in1 | in2], 1).astype("f4"))
    target = labels.clone()
    if method == "g":
        target[:, 1] = labels[:, 1] - labels[:, 0]
    network = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    adam = torch.optim.Adam(network.parameters(), lr=1e-2)
    rows, target, truth = inputs[:2500], target[:2500], labels[:2500]
    never = torch.tensor(-1e9)
    for _ in range(epochs):
        logits = network(rows)
        if method == "ccn":
            part, whole = logits[:, 0], logits[:, 1]
            # The paper's loss: A may lean on A1 only where A1 is true, or where A is false.
            positive = torch.maximum(whole, torch.where(truth[:, 0] > 0, part, never))
            chosen = torch.where(truth[:, 1] > 0, positive, torch.maximum(whole, part))
            logits = torch.stack([part, chosen], 1)
        loss = cross_entropy(logits, target)
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        part, whole = network(inputs[2500:]).numpy().T
    coherent = numpy.stack([part, numpy.maximum(part, whole)], 1)
    return auprc(labels[2500:].numpy().ravel(), coherent.ravel())


for method, step in (("g", 9), ("ccn", 8), ("ccn", 1)):
    print(method, step, [round(float(run(seed, step, method)), 3) for seed in range(10)], flush=True)

"""HMCN in PyTorch with dropout of the features: AU(PRC) on validation rows, as docs/methods.md has it. No benchmark.

    rulebound data convert expr_FUN --to csv --out expr
    benches/peers/.venv/bin/python benches/peers/hmcn_dropout.py expr --rates 0 0.2 0.5 0.7
    benches/peers/.venv/bin/python benches/peers/hmcn_dropout.py expr --wiring f --rates 0 0.3 0.5

Needs PyTorch and pandas; runs on a GPU if there is one. Written from the paper of HMCN, with 384 units, dropout 0.6 of hidden
units, batches of 128 rows, Adam with rate 0.001, and the best epoch on the validation rows (patience 20). Test rows are not read.
The area is the mean precision at the positives, pooled over classes other than the root, without the constraint layer.
"""

import argparse
import pathlib

import numpy as np
import pandas
import torch
from torch import nn
from torch.nn import functional as F

UNITS, DROPOUT, BATCH, PENALTY, PATIENCE = 384, 0.6, 128, 0.1, 20


def read(folder):
    """Features of training and validation rows, standardised by the former, their labels, and pairs (child, parent)."""
    labels = (folder / "labels.txt").read_text().splitlines()
    frames = {name: pandas.read_csv(folder / f"{name}.csv", na_values=["?"], low_memory=False) for name in ("train", "valid")}
    columns = pandas.concat([frame.drop(columns=labels) for frame in frames.values()], keys=frames)
    numbers = columns.select_dtypes("number")
    words = columns.drop(columns=numbers.columns)
    if len(words.columns):
        numbers = numbers.join(pandas.get_dummies(words.astype(str)).astype("float32"))
    mean, spread = numbers.loc["train"].mean(), numbers.loc["train"].std(ddof=0).replace(0, 1)
    features = [((numbers.loc[name] - mean) / spread).fillna(0).to_numpy("float32") for name in frames]
    truths = [frame[labels].to_numpy("float32") for frame in frames.values()]
    place = {name: number for number, name in enumerate(labels)}
    sides = [line.split(" -> ") for line in (folder / "rules.txt").read_text().splitlines() if " -> " in line]
    edges = [tuple(place[side.strip().strip('"')] for side in pair) for pair in sides]
    return features, truths, np.array(edges)


def levels_of(edges, classes):
    """The classes of each level, a class below the lowest of its parents; a single root has none."""
    depth = np.zeros(classes, int)
    while True:
        deeper = depth.copy()
        np.maximum.at(deeper, edges[:, 0], depth[edges[:, 1]] + 1)
        if (deeper == depth).all():
            break
        depth = deeper
    levels = [np.flatnonzero(depth == at) for at in range(depth.max() + 1)]
    return levels[1:] if len(levels[0]) == 1 and len(levels) > 1 else levels


class Hmcn(nn.Module):
    def __init__(self, inputs, levels, classes, recurrent, rate):
        super().__init__()
        self.recurrent, self.rate = recurrent, rate
        wide = [nn.Linear(UNITS + inputs, 4 * UNITS)]
        deep = [nn.Linear((UNITS if at else 0) + inputs, UNITS) for at in range(len(levels))]
        self.states = nn.ModuleList(wide if recurrent else deep)
        self.transitions = nn.ModuleList(nn.Linear(UNITS, UNITS) for _ in levels)
        self.heads = nn.ModuleList(nn.Linear(UNITS, len(level)) for level in levels)
        self.everything = nn.Linear(UNITS, classes)

    def forward(self, x):
        x = F.dropout(x, self.rate, self.training)
        state, memory = x.new_zeros(len(x), UNITS), x.new_zeros(len(x), UNITS)
        local = []
        for at, (transition, head) in enumerate(zip(self.transitions, self.heads)):
            if self.recurrent:
                forget, enter, leave, candidate = self.states[0](torch.cat([state, x], 1)).chunk(4, 1)
                memory = forget.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
                state = leave.sigmoid() * memory.tanh()
                seen = F.dropout(state, DROPOUT, self.training)
            else:
                state = self.states[at](torch.cat([state, x], 1) if at else x).relu()
                seen = state = F.dropout(state, DROPOUT, self.training)
            local.append(head(F.dropout(transition(seen).relu(), DROPOUT, self.training)))
        return local, self.everything(seen)


def area(scores, truth):
    order = scores.flatten().argsort(descending=True)
    hits = truth.flatten()[order]
    ranks = torch.arange(1, len(hits) + 1, device=hits.device)
    return float((hits.cumsum(0) / ranks * hits).sum() / hits.sum())


def best_area(data, recurrent, rate, seed, most):
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    (features, valid), (labels, truth), edges = data
    levels = levels_of(edges, labels.shape[1])
    x, y, valid, truth = (torch.tensor(part, device=device) for part in (features, labels, valid, truth))
    order = torch.tensor(np.concatenate(levels), device=device)
    children, parents = torch.tensor(edges, device=device).T
    network = Hmcn(x.shape[1], levels, y.shape[1], recurrent, rate).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def mixed(local, everything):
        scores = everything.sigmoid()
        return scores.index_copy(1, order, (torch.cat(local, 1).sigmoid() + scores[:, order]) / 2)

    best = (0.0, 0)
    for epoch in range(1, most + 1):
        network.train()
        for rows in torch.randperm(len(x), device=device).split(BATCH):
            local, everything = network(x[rows])
            loss = F.binary_cross_entropy_with_logits(everything, y[rows])
            for logits, level in zip(local, levels):
                loss = loss + F.binary_cross_entropy_with_logits(logits, y[rows][:, torch.tensor(level, device=device)])
            scores = mixed(local, everything)
            loss = loss + PENALTY * (scores[:, children] - scores[:, parents]).clamp(min=0).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            best = max(best, (area(mixed(*network(valid))[:, order], truth[:, order]), epoch))
        if epoch - best[1] >= PATIENCE:
            break
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--wiring", choices=["f", "r"], default="r")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.0, 0.5])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=300, help="the most epochs")
    given = parser.parse_args()
    data = read(given.folder)
    for rate in given.rates:
        value, epoch = best_area(data, given.wiring == "r", rate, given.seed, given.epochs)
        print(f"HMCN-{given.wiring.upper()}, dropout of features {rate}: {value:.4f} in epoch {epoch}", flush=True)


main()

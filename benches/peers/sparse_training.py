"""Epochs over sparse rows in PyTorch: an `EmbeddingBag` as the first layer, beside `cargo bench -p rulebound --bench sparse`.

    python sparse_training.py [--rows 20000 --columns 50000 --values 80 --hidden 500 --batch 256 --labels 300 --threads 2]

The bag sums weighted rows of its table, which is what a first layer does with sparse rows. `sparse`: its gradient
is sparse and `SparseAdam`, a lazy Adam, updates what a batch touches. `dense`: its gradient is dense and Adam (fused)
updates all of it, as our exact update does. No rules, no validation, rows made beforehand.
"""

import argparse
import resource
import time

import torch
from torch.nn import functional


class Network(torch.nn.Module):
    def __init__(self, columns, hidden, labels, sparse):
        super().__init__()
        self.first = torch.nn.EmbeddingBag(columns, hidden, mode="sum", sparse=sparse)
        torch.nn.init.uniform_(self.first.weight, -(columns**-0.5), columns**-0.5)
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.last = torch.nn.Linear(hidden, labels)

    def forward(self, columns, values):
        hidden = self.first(columns, per_sample_weights=values) + self.bias
        return self.last(functional.dropout(functional.relu(hidden), 0.5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = {"rows": 20000, "columns": 50000, "values": 80, "hidden": 500, "batch": 256, "labels": 300, "threads": 2}
    for name, usual in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    columns = torch.randint(given.columns, (given.rows, given.values))
    values = torch.rand(given.rows, given.values)
    tags = torch.randint(given.labels, (given.rows,))
    labels = functional.one_hot(tags, given.labels).float()
    for sparse in (True, False):
        network = Network(given.columns, given.hidden, given.labels, sparse)
        others = [weights for name, weights in network.named_parameters() if name != "first.weight"]
        if sparse:
            optimizers = [torch.optim.SparseAdam([network.first.weight]), torch.optim.Adam(others, fused=True)]
        else:
            optimizers = [torch.optim.Adam(network.parameters(), fused=True)]
        for epoch in range(3):
            start = time.perf_counter()
            for rows in torch.randperm(given.rows).split(given.batch):
                logits = network(columns[rows], values[rows])
                loss = functional.binary_cross_entropy_with_logits(logits, labels[rows])
                for optimizer in optimizers:
                    optimizer.zero_grad()
                loss.backward()
                for optimizer in optimizers:
                    optimizer.step()
            seconds = time.perf_counter() - start
            print(f"{'sparse' if sparse else 'dense'}: epoch {epoch + 1}: loss {loss.item():.5f}, {seconds:.2f} s", flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{'sparse' if sparse else 'dense'}: peak {peak} MiB", flush=True)


main()

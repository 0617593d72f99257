"""`rulebound.torch` on the CPU: what a call costs, and how much longer others take. Ratios of one run.

    PYTHONPATH=crates/python/python benches/peers/.venv/bin/python benches/peers/python_layer.py

Needs the package (`scripts/python-tests` builds it in place) and PyTorch; PiShield (1.0.0) only for its row. Times are CPU
time, one thread, the best of several repeats, alternating, so that whatever else the machine does falls on all.
Gene Ontology and FunCat are the published hierarchies where RULEBOUND_DATA has them; see hierarchy.py.

- small: a batch [4, 8], where nothing but overhead is measured, beside `relu`;
- Gene Ontology, batch 1024: beside the Rust layer without Python's allocations, and beside a copy;
- FunCat, batch 1024: beside the authors' dense formula in double precision, written here from the paper;
- PiShield, 500 classes.
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import time

import torch
from hierarchy import EDGES, generated, mask, published

import rulebound as rb
from rulebound import _native
from rulebound.torch import ConstraintLayer


def best(repeats, count, **functions):
    """The least CPU time of one call of each function, in seconds."""
    times = {name: float("inf") for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            start = time.process_time()
            for _ in range(count):
                function()
            times[name] = min(times[name], (time.process_time() - start) / count)
    return times


def row(title, ours, other, bar, name, times_ours=True):
    ratio = ours / other if times_ours else other / ours
    holds = ratio <= bar if times_ours else ratio >= bar
    sign = "<=" if times_ours else ">="
    print(f"| {title} | {1e6 * ours:.1f} | {name} {1e6 * other:.1f} | {ratio:.2f} | {sign} {bar} | {holds} |", flush=True)
    return holds


def edges_of(classes):
    return published(classes) or generated(classes, EDGES[classes])


def rules_of(classes):
    names = [f"c{label}" for label in range(classes)]
    return rb.Rules.parse("\n".join(f"c{c} -> c{p}" for p, c in edges_of(classes)), labels=names)


def small():
    names = [f"c{label}" for label in range(8)]
    rules = rb.Rules.parse("\n".join(f"c{at} -> c{at // 2}" for at in range(1, 8)), labels=names)
    layer, x, gradient = ConstraintLayer(rules), torch.randn(4, 8), torch.randn(4, 8)
    with torch.no_grad():
        times = best(9, 3000, relu=lambda: torch.relu(x), layer=lambda: layer(x))
    held = row("[4, 8], no gradient", times["layer"], times["relu"], 12, "relu")
    y = torch.randn(4, 8, requires_grad=True)

    def both(function):
        y.grad = None
        function(y).backward(gradient)

    times = best(9, 1000, relu=lambda: both(torch.relu), layer=lambda: both(layer))
    return held & row("[4, 8], forward and backward", times["layer"], times["relu"], 2.5, "relu")


def gene_ontology():
    layer, x = ConstraintLayer(rules_of(4126)), torch.randn(1024, 4126)
    to = torch.empty_like(x)
    rules = (layer.packed.data_ptr(), layer.packed.numel(), layer.key)

    def rust():
        """The layer of the Rust bench, into memory that is there already."""
        _native.tensor_layer(x.data_ptr(), to.data_ptr(), 0, 1024, 4126, 2, False, *rules, 1)

    with torch.no_grad():
        times = best(40, 2, layer=lambda: layer(x), rust=rust, copy=lambda: to.copy_(x))
    row("Gene Ontology × 1024", times["layer"], times["copy"], 12, "copy")
    return row("Gene Ontology × 1024", times["layer"], times["rust"], 1.05, "Rust")


def dense(x, matrix):
    """For each class the largest probability among it and its descendants: the authors' formula."""
    wide = x.double().unsqueeze(1).expand(len(x), matrix.shape[1], matrix.shape[1])
    return (matrix.expand(len(x), -1, -1) * wide).max(2).values


def authors():
    matrix = torch.from_numpy(mask(500)[0]).double().unsqueeze(0)
    layer, x = ConstraintLayer(rules_of(500), kind="probabilities"), torch.rand(1024, 500)
    with torch.no_grad():
        assert torch.equal(layer(x).double(), dense(x, matrix))
        logits = ConstraintLayer(rules_of(500))
        ours = best(5, 5, probabilities=lambda: layer(x), layer=lambda: logits(x))
        theirs = best(2, 1, dense=lambda: dense(x, matrix))["dense"]
    row("FunCat × 1024, probabilities", ours["probabilities"], theirs, 300, "authors", False)
    return row("FunCat × 1024", ours["layer"], theirs, 500, "authors", False)


def pishield():
    try:
        from pishield.shield_layer import build_shield_layer
    except ImportError:
        print("| PiShield | – | not installed | – | – | – |")
        return True
    # Children come before their parents in the ordering there, so that parents are heads.
    text = "\n".join(f"{499 - parent} :- {499 - child}" for parent, child in edges_of(500))
    order = ",".join(str(label) for label in range(500))
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = pathlib.Path(folder) / "rules.txt"
        file.write_text(text)
        shield = build_shield_layer(500, str(file), "custom", order, "propositional")
    layer, x = ConstraintLayer(rules_of(500)), torch.rand(1024, 500)
    with torch.no_grad():
        ours = best(5, 5, layer=lambda: layer(x))["layer"]
        theirs = best(2, 1, shield=lambda: shield(x))["shield"]
    return row("500 classes × 1024", ours, theirs, 80, "PiShield", False)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"PyTorch {torch.__version__}, one thread, µs of CPU time\n")
    print("| what | ours | other | ratio | bar | holds |\n|---|---|---|---|---|---|")
    held = [small(), gene_ontology(), authors(), pishield()]
    sys.exit(not all(held))


if __name__ == "__main__":
    main()

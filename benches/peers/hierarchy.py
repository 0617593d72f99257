"""The mask M of the paper's dense formula, for a hierarchy of a given number of classes.

M[i, j] = 1 if class j is class i or a subclass of it. The hierarchy is the published one (FunCat with
its root: 500 classes; Gene Ontology with its roots: 4,126 classes) where the data folder is present,
and otherwise one generated from a seed with the same number of classes and of edges.
"""

import gzip
import os
import pathlib
import random

import numpy

PUBLISHED = {500: "cellcycle_FUN", 4126: "cellcycle_GO"}
EDGES = {500: 499, 4126: 5827}


def mask(classes):
    """M as float32 [classes, classes], and where the hierarchy comes from."""
    edges, origin = published(classes), PUBLISHED.get(classes)
    if edges is None:
        edges, origin = generated(classes, EDGES.get(classes, classes * 7 // 5)), "generated"
    return closure(classes, edges), origin


def published(classes):
    """Edges (parent, child) from the header of the published set, or None where it is absent."""
    name = PUBLISHED.get(classes)
    if not os.environ.get("RULEBOUND_DATA"):
        return None
    data = pathlib.Path(os.environ["RULEBOUND_DATA"])
    file = data / "hmc" / str(name) / f"{name}.train.arff.gz"
    if name is None or not file.exists():
        return None
    with gzip.open(file, "rt", encoding="utf-8", errors="replace") as lines:
        header = next(line for line in lines if " hierarchical " in line.lower())
    entries = header.split("hierarchical", 1)[1].strip().split(",")
    if name.endswith("_GO"):  # entries are edges
        pairs = [tuple(entry.split("/")) for entry in entries]
    else:  # entries are paths: every prefix is an ancestor
        pairs = [(entry.rpartition("/")[0] or "root", entry) for entry in entries]
    index = {}
    for pair in pairs:
        for node in pair:
            index.setdefault(node, len(index))
    if len(index) != classes:
        raise SystemExit(f"{file}: {len(index)} classes with the roots, expected {classes}")
    return [(index[parent], index[child]) for parent, child in pairs]


def generated(classes, count):
    """A connected acyclic graph: every class but the first has a parent before it."""
    dice = random.Random(1)
    edges = {(dice.randrange(child // 8, child // 2 + 1) if child > 1 else 0, child)
             for child in range(1, classes)}
    while len(edges) < count:
        child = dice.randrange(2, classes)
        edges.add((dice.randrange(child // 8, child // 2 + 1), child))
    return sorted(edges)


def closure(classes, edges):
    children = [[] for _ in range(classes)]
    waiting = [0] * classes  # children whose row is not complete
    parents = [[] for _ in range(classes)]
    for parent, child in edges:
        children[parent].append(child)
        parents[child].append(parent)
        waiting[parent] += 1
    below = numpy.eye(classes, dtype=bool)
    ready = [node for node in range(classes) if waiting[node] == 0]
    done = 0
    while ready:
        node = ready.pop()
        done += 1
        for child in children[node]:
            below[node] |= below[child]
        for parent in parents[node]:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    assert done == classes, "the hierarchy has a cycle"
    return below.astype(numpy.float32)

"""CPU time of `import rulebound` and of `Rules.apply`, on a hierarchy of the shape of the Gene Ontology.

    python benches/peers/python_apply.py        with the wheel of `make wheel` installed
"""

import time

START = time.process_time()
import rulebound as rb  # noqa: E402

IMPORT = time.process_time() - START

import numpy as np  # noqa: E402

CLASSES, LEVELS, ROWS = 4126, 13, 1024


def hierarchy(random):
    """Terms in levels, each below one or two of the levels above."""
    level = np.sort(np.minimum((random.random(CLASSES) ** 0.7 * LEVELS).astype(int), LEVELS - 1))
    edges = []
    for term in np.flatnonzero(level):
        above = np.flatnonzero(level < level[term])
        parents = random.choice(above, 2 if random.random() < 0.41 else 1, replace=False)
        edges += [(f"t{term}", f"t{parent}") for parent in parents]
    return rb.Rules.from_edges(edges, [f"t{term}" for term in range(CLASSES)])


def best(act, times=7):
    """The least CPU time of several runs, in milliseconds."""
    found = []
    for _ in range(times):
        start = time.process_time()
        act()
        found.append(time.process_time() - start)
    return 1000 * min(found)


random = np.random.default_rng(0)
rules = hierarchy(random)
scores = random.random((ROWS, CLASSES)).astype(np.float32)
small = rb.Rules.parse("a -> b\nc, not d -> e\nf -> g\ng -> h")
few = random.random((4, 8))
print(f"import: {1000 * IMPORT:.1f} ms")
print(f"apply, {ROWS} x {CLASSES}, {len(rules)} rules: {best(lambda: rules.apply(scores)):.1f} ms")
print(f"copy of the same: {best(scores.copy):.1f} ms")
print(f"apply, 4 x 8: {best(lambda: [small.apply(few) for _ in range(1000)], 3):.1f} µs")

"""How many rows per second one core makes coherent where rows list some of many classes, on Arrow batches.

    PYTHONPATH=crates/python/python PYTHON benches/peers/arrow_listed.py [--rows N] [--listed N] [--depth N]

PYTHON is that of `scripts/python-environment`. CPU time of the calling thread, the best of five.
"""

import argparse
import time

import numpy as np
import pyarrow

import rulebound as rb
import rulebound.arrow


def hierarchy(classes: int, depth: int) -> rb.Rules:
    """Levels of equal size; each class has a parent on the level above."""
    random = np.random.default_rng(0)
    width = (classes - 1) // (depth - 1)
    above, edges = [0], []
    for first in range(1, classes, width):
        level = list(range(first, min(first + width, classes)))
        edges += [(f"c{child}", f"c{random.choice(above)}") for child in level]
        above = level
    return rb.Rules.from_edges(edges, labels=[f"c{at}" for at in range(classes)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--listed", type=int, default=50)
    parser.add_argument("--depth", type=int, default=14)
    options = parser.parse_args()
    for classes in (40_000, 100_000):
        rules = hierarchy(classes, options.depth)
        random = np.random.default_rng(1)
        # Different in each row: one of each of equal parts.
        part = classes // options.listed
        found = random.integers(0, part, (options.rows, options.listed)) + np.arange(options.listed) * part
        starts = pyarrow.array(np.arange(options.rows + 1, dtype=np.int32) * options.listed)
        numbers = pyarrow.array(found.reshape(-1).astype(np.int32))
        scores = pyarrow.ListArray.from_arrays(starts, pyarrow.array(random.random(found.size, dtype=np.float32)))
        for what, column in (("numbers", numbers), ("names", pyarrow.array(rules.labels).take(numbers))):
            lists = pyarrow.ListArray.from_arrays(starts, column)
            batch = pyarrow.record_batch({"classes": lists, "scores": scores})
            job = rulebound.arrow.ListedApplication(rules, "classes", "scores", parallel=False)
            job.batch(batch.slice(0, 100))
            times = []
            for _ in range(5):
                start = time.thread_time()
                done = job.batch(batch)
                times.append(time.thread_time() - start)
            lines = len(done.column("scores").values) / options.rows
            rate = options.rows / min(times)
            print(f"{classes:7,} classes by {what:8}: {rate:9,.0f} rows per second and core, {lines:.0f} classes out", flush=True)


if __name__ == "__main__":
    main()

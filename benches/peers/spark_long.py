"""Three ways to bring the lines of an id together in Spark, with `rulebound.spark` behind each, in turns.

    PYTHONPATH=crates/python/python PYTHON benches/peers/spark_long.py FOLDER [--rows N] [--classes N] [--lines N] [--rounds N]

PYTHON is that of `scripts/python-environment crates/python/tests/engines/requirements-spark.txt`. `sort` is repartition,
sortWithinPartitions and mapInArrow; `collect` is groupBy, collect_list, mapInArrow and inline; `calls` is groupBy and applyInArrow,
a call of Python per id.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
from spark_transport import hierarchy, session

import rulebound.arrow
import rulebound.spark

LONG = ("id", "class", "score")


def write_input(path: Path, rows: int, classes: int, lines: int) -> None:
    """So many different classes of each row, in an order in which rows are mixed."""
    random = np.random.default_rng(0)
    ids = np.repeat(np.arange(rows), lines)
    first = random.integers(0, classes, rows)
    found = (first[:, None] + np.arange(lines) * (classes // lines)) % classes
    order = random.permutation(len(ids))
    names = pyarrow.array([f"c{at}" for at in range(classes)]).take(found.reshape(-1)[order])
    scores = random.random(len(ids), dtype=np.float32)
    pyarrow.parquet.write_table(pyarrow.table({"id": ids[order], "class": names, "score": scores}), path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--classes", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"long-{options.rows}-{options.classes}-{options.lines}.parquet"
    if not path.exists():
        write_input(path, options.rows, options.classes, options.lines)
    spark = session(False)
    df = spark.read.parquet(str(path.resolve()))
    rules = hierarchy(options.classes)
    job = rulebound.arrow.LongApplication(rules, LONG, parallel=False)

    def sort() -> Any:
        lines = df.repartition("id").sortWithinPartitions("id")
        return rulebound.spark.apply(lines, rules, long=LONG, grouped=True)

    def collect() -> Any:
        return rulebound.spark.apply(df, rules, long=LONG)

    def calls() -> Any:
        return df.groupBy("id").applyInArrow(lambda lines: job.run(lines), df.schema)

    ways = {"sort": sort, "collect": collect, "calls": calls}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(options.rounds + 1):
        for name, way in ways.items():
            start = time.monotonic()
            way().write.format("noop").mode("overwrite").save()
            # The first turn starts workers.
            if turn:
                times[name].append(time.monotonic() - start)
                print(f"{name:8} {times[name][-1]:7.1f} s", flush=True)
    for name, found in times.items():
        print(f"{name:8} median {statistics.median(found):7.1f} s, {options.rows / statistics.median(found):9,.0f} ids per second")


if __name__ == "__main__":
    main()

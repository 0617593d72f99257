"""How much of a Spark job is Spark's own transport: the same job with the identity and with `rulebound.spark.apply`, in turns.

    PYTHONPATH=crates/python/python PYTHON benches/peers/spark_transport.py FOLDER [--rows N] [--classes N] [--sail] [--rounds N]

PYTHON is that of `scripts/python-environment crates/python/tests/engines/requirements-spark.txt` (with `--sail`: of
`crates/python/tests/engines/requirements.txt`). FOLDER gets the input once: 2 GB for 1,000,000 rows of 500 float32 in a list column.

Both jobs read the list column, hand it to Python as Arrow and take it back. What apply takes longer by the wall is ours; so is the
CPU time that its workers spend in our function, as a part of the CPU time of all processes of the job.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

import rulebound as rb
import rulebound.arrow

CHUNK = 20_000


def write_input(path: Path, rows: int, classes: int) -> None:
    """Random probabilities, a chunk per row group; under another name until it is complete."""
    schema = pyarrow.schema([("id", pyarrow.int64()), ("scores", pyarrow.list_(pyarrow.float32()))])
    random = np.random.default_rng(0)
    unfinished = path.with_suffix(".unfinished")
    with pyarrow.parquet.ParquetWriter(unfinished, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, rows, CHUNK):
            ids = np.arange(start, min(start + CHUNK, rows))
            values = random.random(len(ids) * classes, dtype=np.float32)
            starts = np.arange(len(ids) + 1, dtype=np.int32) * classes
            lists = pyarrow.ListArray.from_arrays(starts, values)
            writer.write_batch(pyarrow.record_batch([ids, lists], schema=schema))
    unfinished.rename(path)


def hierarchy(classes: int) -> rb.Rules:
    """A tree whose classes have four children."""
    edges = [(f"c{at}", f"c{(at - 1) // 4}") for at in range(1, classes)]
    return rb.Rules.from_edges(edges, labels=[f"c{at}" for at in range(classes)])


def family_seconds(root: int) -> float:
    """CPU seconds of a process and of all its descendants, also of those that have ended."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents, seconds = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            seconds[int(entry)] = sum(map(int, fields[11:15])) / ticks

    def belongs(process: int) -> bool:
        return process == root or (process in parents and belongs(parents[process]))

    return sum(seconds[process] for process in seconds if belongs(process))


def identity(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches


def timed(job: Any, folder: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The job of `rulebound.spark.apply`; a file per task says how long our function took."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        spent = rows = 0
        try:
            for batch in batches:
                start = time.thread_time_ns()
                done = job.batch(batch)
                spent += time.thread_time_ns() - start
                rows += batch.num_rows
                yield done
        finally:
            Path(folder, os.urandom(8).hex()).write_text(f"{spent} {rows}")

    return run


def session(sail: bool) -> Any:
    from pyspark.sql import SparkSession

    if sail:
        from pysail.spark import SparkConnectServer

        server = SparkConnectServer()
        server.start(background=True)
        spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
        # It ends with the last reference to it.
        spark.rulebound_server = server
        return spark
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    spark = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sail", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"scores-{options.rows}-{options.classes}.parquet"
    if not path.exists():
        write_input(path, options.rows, options.classes)
    notes = options.folder / f"notes-{os.getpid()}"
    notes.mkdir()

    spark = session(options.sail)
    df = spark.read.parquet(str(path.resolve()))
    job = rulebound.arrow.Application(hierarchy(options.classes), scores="scores", parallel=False)
    functions = {"identity": identity, "apply": timed(job, str(notes))}

    def run(name: str) -> tuple[float, float]:
        wall, cpu = time.monotonic(), family_seconds(os.getpid())
        out = df.mapInArrow(functions[name], df.schema)
        if options.sail:
            rows = out.selectExpr("sum(scores[0])", "count(*)").collect()[0][1]
            assert rows == options.rows
        else:
            out.write.format("noop").mode("overwrite").save()
        return time.monotonic() - wall, family_seconds(os.getpid()) - cpu

    # The first of each starts workers and fills the cache of the file system.
    found: dict[str, list[tuple[float, float]]] = {"identity": [], "apply": []}
    for name in found:
        run(name)
    for note in notes.iterdir():
        note.unlink()
    for _ in range(options.rounds):
        for name, runs in found.items():
            runs.append(run(name))
            print(f"{name:9} {runs[-1][0]:7.1f} s wall {runs[-1][1]:7.1f} s CPU", flush=True)
    texts = [note.read_text().split() for note in notes.iterdir()]
    ours = sum(int(spent) for spent, _ in texts) / 1e9 / options.rounds
    assert sum(int(rows) for _, rows in texts) == options.rows * options.rounds
    for note in notes.iterdir():
        note.unlink()
    notes.rmdir()
    wall = {name: statistics.median(run[0] for run in runs) for name, runs in found.items()}
    cpu = {name: statistics.median(run[1] for run in runs) for name, runs in found.items()}
    print(f"median wall: identity {wall['identity']:.1f} s, apply {wall['apply']:.1f} s")
    print(f"transport by the wall: {100 * wall['identity'] / wall['apply']:.1f} %")
    print(f"in our function: {ours:.2f} of {cpu['apply']:.1f} s CPU; transport by CPU time: {100 * (1 - ours / cpu['apply']):.1f} %")
    print(f"rows per second and core: {options.rows / cpu['apply']:,.0f} with apply, {options.rows / cpu['identity']:,.0f} without")
    print(f"our function alone: {options.rows / ours:,.0f} rows per second and core")


if __name__ == "__main__":
    main()

"""What the tests of all engines have: a scene, and a session of Spark."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scene import CLASSES, ROWS, Scene, rule_text, run_command

import rulebound as rb

@pytest.fixture(scope="session", params=["probabilities-float32", "logits-float64"])
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    kind, number = request.param.split("-")
    random = np.random.default_rng(5)
    text = rule_text(random)
    names = [f"c{at}" for at in range(CLASSES)]
    scores = random.random((ROWS, CLASSES)) if kind == "probabilities" else random.normal(size=(ROWS, CLASSES))
    scores = scores.astype(number)
    folder = tmp_path_factory.mktemp("scene")
    (folder / "rules").write_text(text)
    table = pyarrow.table({"id": range(ROWS), **{name: scores[:, at] for at, name in enumerate(names)}})
    pyarrow.parquet.write_table(table, folder / "scores.parquet")
    options = ["--logits"] if kind == "logits" else []
    run_command(
        "apply", "--rules", folder / "rules", "--scores", folder / "scores.parquet", "--out", folder / "out.parquet", *options
    )
    found = pyarrow.parquet.read_table(folder / "out.parquet")
    coherent = np.stack([found.column(name).to_numpy() for name in names], axis=1)
    assert coherent.dtype == scores.dtype and (coherent != scores).any()
    return Scene(rb.Rules.parse(text, names), scores, coherent, kind)


def spark_session() -> Iterator[Any]:
    """Spark itself where a master is named, otherwise Sail, which is in this process."""
    from pyspark.sql import SparkSession

    master = os.environ.get("RULEBOUND_SPARK_MASTER")
    if master is not None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        # Executors of a cluster are processes of their own, which need the package on their path.
        path = os.environ.get("PYTHONPATH", "")
        builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
        builder = builder.config("spark.executorEnv.PYTHONPATH", path)
        session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()
        return
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    yield from spark_session()

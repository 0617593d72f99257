"""Seeds, folds and grid points spread over Ray into one table of results; the seeds of the best point become one ensemble.

    python examples/python/grid_on_ray.py [FOLDER]

Every task trains one small model: tasks share nothing, so they run wherever Ray has a CPU, and one whose worker dies is started
again. Only this script writes `results.csv`, a line per finished task; started again with the same FOLDER, it does the rest. A job
array does the same without Ray: docs/distributed.md.
"""

import csv
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import ray

import rulebound as rb

FOLDS, SEEDS = 3, (0, 1, 2)
GRID = {"hidden": ([8], [32]), "learning_rate": (0.003, 0.03)}
COLUMNS = ("set", "method", "fold", "seed", "auprc", "hamming_loss")
COMMAND = os.environ.get("RULEBOUND_COMMAND", "rulebound")

rules = rb.Rules.parse("cat -> mammal\ndog -> mammal\nmammal -> animal\nbird -> animal")


def draw_animals(rows: int) -> tuple[Any, Any]:
    """Features, and labels that obey the rules."""
    random = np.random.default_rng(0)
    features = random.normal(size=(rows, 6)).astype(np.float32)
    raw = features @ random.normal(size=(6, len(rules.labels))) + random.normal(size=(rows, len(rules.labels)))
    return features, rules.close(raw > 1.5)


@ray.remote(num_cpus=1, max_retries=3)
def try_point(data: tuple[Any, Any], point: dict[str, Any], fold: int, seed: int) -> dict[str, Any]:
    """Trains on all folds but one, and measures on that."""
    features, labels = data
    held = np.arange(len(features)) % FOLDS == fold
    model = rb.train((features[~held], labels[~held]), rules=rules, epochs=30, seed=seed, **point)
    return model.evaluate((features[held], labels[held]))


@ray.remote(num_cpus=1, max_retries=3)
def train_member(data: tuple[Any, Any], point: dict[str, Any], seed: int) -> bytes:
    """One member of the ensemble, trained on all rows."""
    return rb.train(data, rules=rules, epochs=30, seed=seed, **point).to_bytes()


def name_of(point: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in point.items())


def run_grid(data: Any, points: list[dict[str, Any]], table: Path) -> list[dict[str, str]]:
    """All lines of the table, with those that were missing."""
    if not table.exists():
        table.write_text(",".join(COLUMNS) + "\n")
    with table.open() as file:
        done = {(row["method"], row["fold"], row["seed"]) for row in csv.DictReader(file)}
    running = {}
    for point, fold, seed in itertools.product(points, range(FOLDS), SEEDS):
        if (name_of(point), str(fold), str(seed)) not in done:
            running[try_point.remote(data, point, fold, seed)] = (point, fold, seed)
    while running:
        (ready,), _ = ray.wait(list(running), num_returns=1)
        point, fold, seed = running.pop(ready)
        found = ray.get(ready)
        with table.open("a", newline="") as file:
            # The folds are the data sets that `rulebound compare` ranks methods on.
            line = [f"animals-{fold}", name_of(point), fold, seed, found["auprc"], found["hamming_loss"]]
            csv.writer(file).writerow(line)
    with table.open() as file:
        return list(csv.DictReader(file))


def main(folder: Path) -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    # Shipped once to each machine, not once per task.
    features, labels = draw_animals(600)
    data = ray.put((features[:450], labels[:450]))
    points = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    rows = run_grid(data, points, folder / "results.csv")
    assert len(rows) == len(points) * FOLDS * len(SEEDS)

    def mean(point: dict[str, Any]) -> float:
        return float(np.mean([float(row["auprc"]) for row in rows if row["method"] == name_of(point)]))

    for point in points:
        print(f"{name_of(point):32} AU(PRC) {mean(point):.4f}")
    best = max(points, key=mean)
    members = ray.get([train_member.remote(data, best, seed) for seed in SEEDS])
    files = [folder / f"seed-{seed}.rulebound" for seed in SEEDS]
    for file, member in zip(files, members, strict=True):
        file.write_bytes(member)
    ensemble = folder / "ensemble.rulebound"
    subprocess.run([COMMAND, "model", "merge", *files, "--out", ensemble, "--force"], check=True)
    model = rb.Model.load(ensemble)
    test = (features[450:], labels[450:])
    found = [rb.Model.load(file).evaluate(test)["auprc"] for file in files]
    print(f"best: {name_of(best)}; one seed {np.mean(found):.4f}, together {model.evaluate(test)['auprc']:.4f}")
    assert rules.violations(model.predict(test[0]).decisions) == []
    ray.shutdown()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))

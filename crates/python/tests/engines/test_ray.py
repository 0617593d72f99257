"""`rulebound.ray`: what comes out is what the command line says, also where workers die."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from scene import CLASSES, ROWS, Scene, check_evaluation, evaluated, random_truth, same_bits, sorted_numbers

import rulebound as rb
import rulebound.ray

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two CPUs; their workers see this package where it is."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    # Classes of this file travel as they are: workers cannot import it.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def collected(ds: Any) -> Any:
    return pyarrow.concat_tables(list(ds.iter_batches(batch_size=None, batch_format="pyarrow")))


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_lists_in_any_division(scene: Scene, blocks: int) -> None:
    ds = ray.data.from_arrow(scene.lists()).repartition(blocks)
    done = collected(rulebound.ray.apply(ds, scene.rules, scores="scores", kind=scene.kind))
    assert done.schema.names == ["id", "scores", "text"]
    assert same_bits(sorted_numbers(done), scene.coherent)
    function = rulebound.ray.Apply(scene.rules, scores="scores", kind=scene.kind)
    small = collected(ds.map_batches(function, batch_size=97, batch_format="pyarrow"))
    assert same_bits(sorted_numbers(small), scene.coherent)


def test_columns_of_classes(scene: Scene) -> None:
    ds = ray.data.from_arrow(scene.columns()).repartition(3)
    table = collected(rulebound.ray.apply(ds, scene.rules, kind=scene.kind)).sort_by("id")
    found = np.stack([table.column(f"c{at}").to_numpy() for at in range(CLASSES)], axis=1)
    assert same_bits(found, scene.coherent) and table.column("id").to_pylist() == list(range(ROWS))


def test_arrays_of_ray_stay_arrays(scene: Scene) -> None:
    ds = ray.data.from_numpy([scene.scores[:1000], scene.scores[1000:]])
    done = rulebound.ray.apply(ds, scene.rules, scores="data", kind=scene.kind)
    parts = [batch["data"] for batch in done.iter_batches(batch_size=None, batch_format="numpy")]
    found = np.concatenate(parts)
    assert same_bits(found[np.lexsort(found.T)], scene.coherent[np.lexsort(scene.coherent.T)])


def test_predictions_of_actors(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(ROWS, 3)).astype(np.float32)
    rules = rb.Rules.parse("cat -> animal\ndog -> animal", ["animal", "cat", "dog"])
    model = rb.train((features[:200], rules.close(features[:200] > 0.7)), rules=rules, epochs=5, hidden=[8], seed=1)
    model.save(tmp_path / "pets.rulebound")
    lists = pyarrow.table({"id": range(ROWS), "x": pyarrow.array(features.tolist(), pyarrow.list_(pyarrow.float32()))})
    ds = ray.data.from_arrow(lists).repartition(7)
    expected = model.predict(features).probabilities
    done = collected(rulebound.ray.predict(ds, model, features="x", keep=["id"]))
    assert same_bits(sorted_numbers(done), expected)
    # As many actors as CPUs, half of one each: enough is left for everything else.
    actors = ds.map_batches(
        rulebound.ray.Predict,
        fn_constructor_args=(str(tmp_path / "pets.rulebound"),),
        fn_constructor_kwargs={"features": "x", "keep": ["id"]},
        compute=ray.data.ActorPoolStrategy(size=2),
        num_cpus=0.5,
        batch_size=500,
        batch_format="pyarrow",
    )
    assert same_bits(sorted_numbers(collected(actors)), expected)


@pytest.mark.parametrize("scene", ["probabilities-float32"], indirect=True)
def test_metrics_of_blocks(scene: Scene, tmp_path: Path) -> None:
    truth = random_truth()
    lists = scene.lists().append_column("truth", pyarrow.array(truth.tolist()))
    ds = ray.data.from_arrow(lists).repartition(7)
    found = rulebound.ray.evaluate(ds, scene.rules, truth="truth", scores="scores")
    check_evaluation(found, evaluated(scene, truth, tmp_path, "all"))


def test_long_tables_by_groups() -> None:
    rules = rb.Rules.parse("cat -> animal\ndog -> animal")
    table = pyarrow.table(
        {"id": [1, 2, 1, 3], "class": ["cat", "dog", "dog", "animal"], "score": pyarrow.array([0.5, 0.25, 0.75, 0.5])}
    )
    done = collected(rulebound.ray.apply(ray.data.from_arrow(table), rules, long=("id", "class", "score")))
    found = sorted(zip(*(done.column(name).to_pylist() for name in ("id", "class", "score")), strict=True))
    assert found == [
        (1, "animal", 0.75), (1, "cat", 0.5), (1, "dog", 0.75), (2, "animal", 0.25), (2, "dog", 0.25), (3, "animal", 0.5),
    ]


class DiesOnce(rulebound.ray.Apply):
    """Kills its process in the middle of the work, the first time that anybody gets there."""

    def __init__(self, folder: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._folder = folder

    def __call__(self, batch: Any) -> Any:
        done = super().__call__(batch)
        (Path(self._folder) / f"{os.getpid()}-{os.urandom(8).hex()}").touch()
        if len(os.listdir(self._folder)) > 5:
            try:
                (Path(self._folder) / "killed").touch(exist_ok=False)
            except FileExistsError:
                return done
            os.kill(os.getpid(), signal.SIGKILL)
        return done


@pytest.mark.parametrize("kind", ["tasks", "actors"])
def test_a_worker_that_is_killed_loses_nothing(scene: Scene, kind: str, tmp_path: Path) -> None:
    ds = ray.data.from_arrow(scene.lists()).repartition(20)
    options = {"scores": "scores", "kind": scene.kind}
    if kind == "tasks":
        function = DiesOnce(str(tmp_path), scene.rules, **options)
        done = ds.map_batches(function, batch_size=None, batch_format="pyarrow")
    else:
        done = ds.map_batches(
            DiesOnce,
            fn_constructor_args=(str(tmp_path), scene.rules),
            fn_constructor_kwargs=options,
            compute=ray.data.ActorPoolStrategy(size=2),
            num_cpus=0.5,
            batch_size=None,
            batch_format="pyarrow",
        )
    table = collected(done)
    assert (tmp_path / "killed").exists()
    # Some were done twice, because they died with their worker; each is there once.
    assert len(os.listdir(tmp_path)) > 21
    assert same_bits(sorted_numbers(table), scene.coherent)

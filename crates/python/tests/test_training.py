"""Training, from whatever data comes in."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays, columns

import rulebound as rb

QUICK: dict[str, Any] = {"hidden": [16], "epochs": 12, "batch": 8, "learning_rate": 0.02}


def test_arrays() -> None:
    features, labels = arrays()
    model = rb.train((features, labels), rules=RULES, **QUICK)
    decisions = model.predict(features).decisions
    assert (decisions == labels.astype(bool)).mean() > 0.9
    assert RULES.violations(decisions) == []
    assert model.labels == RULES.labels and model.columns == ["x0", "x1"]
    assert model.training["rows"] == 90 and model.configuration["hidden"] == [16]
    assert rb.train((features, labels), rules=RULES, **QUICK) == model
    assert rb.train((features, labels), rules=RULES, seed=1, **QUICK) != model


def test_classes_are_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    features, labels = arrays()
    frame = pandas.DataFrame(labels, columns=list(RULES.labels))
    one = rb.train((features, frame), rules=RULES, **QUICK)
    other = rb.train((features, frame[["dog", "animal", "cat"]]), rules=RULES, **QUICK)
    assert other.labels == ("dog", "animal", "cat") and other.rules.rules == RULES.rules
    assert set(one.labels) == set(other.labels)
    with pytest.raises(rb.RuleError, match="dog"):
        rb.train((features, frame[["animal", "cat"]]), rules=RULES, **QUICK)


@pytest.mark.filterwarnings("ignore::rulebound.DoubtfulColumn")
def test_frames_with_text_and_identifiers(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(columns())
    model = rb.train(frame, rules=RULES, **QUICK)
    assert model.columns == ["weight", "fur"]
    new = pandas.DataFrame(columns(12, 1), index=range(5, 17)).drop(columns=["cat", "name"])
    prediction = model.predict(new)
    assert list(prediction.probabilities.columns) == list(model.labels)
    assert prediction.probabilities.index.tolist() == list(range(5, 17))
    # The same rows in any order of columns, in any library, from a file.
    expected = prediction.probabilities.to_numpy()
    assert (model.predict(new[new.columns[::-1]]).probabilities.to_numpy() == expected).all()
    assert (model.predict(polars.DataFrame(columns(12, 1))).probabilities.to_numpy() == expected).all()
    assert (model.predict(pyarrow.table(columns(12, 1))).probabilities == expected).all()
    new.to_csv(tmp_path / "new.csv", index=False)
    assert (model.predict(tmp_path / "new.csv").probabilities == expected).all()
    for other in (polars.DataFrame(columns()), pyarrow.table(columns())):
        assert rb.train(other, labels=["animal", "cat", "dog"], rules=RULES, **QUICK) == model
    with pytest.raises(ValueError, match="weight"):
        model.predict(new.drop(columns="weight"))


@pytest.mark.filterwarnings("ignore::rulebound.DoubtfulColumn")
def test_paths(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(columns()).to_csv(tmp_path / "pets.csv", index=False)
    RULES.save(tmp_path / "pets.rules")
    path = tmp_path / "pets.csv"
    one = rb.train(path, labels="3", rules=tmp_path / "pets.rules", **QUICK)
    other = rb.train(str(path), labels=["animal", "cat", "dog"], rules=RULES, **QUICK)
    assert one.predict(path).probabilities.tolist() == other.predict(path).probabilities.tolist()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rb.train(tmp_path / "nowhere.csv", labels="3", epochs=1)
    with pytest.raises(ValueError, match="epochs must be at least 1, not 0"):
        rb.train(path, labels="3", epochs=0)


def test_rows_on_disk_are_those_in_memory(tmp_path: Path) -> None:
    features, labels = arrays()
    path = tmp_path / "pets.csv"
    header = ",".join(["weight", "tail", *RULES.labels])
    np.savetxt(path, np.hstack([features, labels]), fmt="%.6g", delimiter=",", header=header, comments="")
    named = list(RULES.labels)
    events: list[dict[str, Any]] = []
    settings = {"rules": RULES, "labels": named, "shuffle_buffer": 20, **QUICK}
    in_memory = rb.train(path, **settings)
    on_disk = rb.train(path, stream=tmp_path, callback=events.append, **settings)
    assert on_disk == in_memory and on_disk.configuration["shuffle_buffer"] == 20
    assert [event for event in events if event["event"] == "shuffle_buffer"] == [
        {"event": "shuffle_buffer", "rows": 20, "bytes": 160}
    ]
    assert os.listdir(tmp_path) == ["pets.csv"]
    with pytest.raises(OSError, match="cannot make a temporary file in"):
        rb.train(path, stream=tmp_path / "gone", **settings)
    with pytest.raises(ValueError, match="in memory already"):
        rb.train((features, labels), stream=tmp_path, rules=RULES, **QUICK)


def test_the_cpu_ignores_the_precision_and_says_so() -> None:
    events: list[dict[str, Any]] = []
    with pytest.warns(UserWarning, match="precision='tf32' has no effect on the CPU"):
        rounded = rb.train(arrays(), rules=RULES, precision="tf32", callback=events.append, **QUICK)
    assert {"event": "precision_ignored", "precision": "tf32"} in events
    assert rounded == rb.train(arrays(), rules=RULES, precision="fp32", **QUICK)
    assert "precision" not in rounded.configuration
    assert rb.default_settings()["precision"] == "fp32"
    assert "precision" not in rb.default_settings("forest")
    with pytest.raises(ValueError, match="fp16"):
        rb.train(arrays(), rules=RULES, precision="fp16", **QUICK)


def test_sparse_features_are_their_dense_ones() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(0)
    features = np.where(random.random((60, 40)) < 0.1, random.normal(size=(60, 40)), 0)
    labels = (features[:, :2] != 0).astype(int)
    settings = {**QUICK, "scaling": "scale"}
    dense = rb.train((features, labels), **settings)
    for matrix in (sparse.csr_matrix(features), sparse.coo_array(features), sparse.csc_array(features)):
        model = rb.train((matrix, labels), **settings)
        assert np.allclose(
            model.predict(matrix).logits, dense.predict(features).logits, rtol=1e-4, atol=1e-4
        )
    stored_twice = sparse.csr_matrix(([0.5, 0.5], [1, 1], [0, 2] + [2] * 59), shape=(60, 40))
    single = stored_twice.toarray()
    assert np.array_equal(dense.predict(stored_twice).logits, dense.predict(single).logits)


def test_labels_that_are_not_known() -> None:
    features, labels = arrays()
    holes = labels.astype(float)
    holes[::4, 1] = np.nan
    model = rb.train((features, holes), rules=RULES, **QUICK)
    assert model != rb.train((features, np.nan_to_num(holes)), rules=RULES, **QUICK)
    holes[3, 2] = 0.5
    with pytest.raises(ValueError, match="row 3: the label of `dog` is 0.5"):
        rb.train((features, holes), rules=RULES, **QUICK)


def test_validation_rows_stop_the_training() -> None:
    settings = {"hidden": [8], "early_stopping": {"patience": 2, "most": 9}}
    model = rb.train(arrays(), rules=RULES, validation=arrays(30, 1), **settings)
    assert model.training["rows"] == 90
    held_out = rb.train(arrays(), rules=RULES, **settings)
    assert held_out.training["rows"] < 90
    assert held_out.training["members"][0]["best"] is not None


def test_events_come_to_the_caller() -> None:
    import threading

    events: list[dict[str, Any]] = []
    threads = set()

    def callback(event: dict[str, Any]) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    rb.train(arrays(), rules=RULES, members=2, callback=callback, **QUICK)
    assert threads == {threading.get_ident()}
    assert [event["event"] for event in events].count("epoch") == 24
    assert events[0]["event"] == "phase" and events[0]["members"] == 2
    assert {event["seed"] for event in events if event["event"] == "epoch"} == {0, 1}


def test_what_a_callback_raises_stops_the_training() -> None:
    seen: list[int] = []

    def callback(event: dict[str, Any]) -> None:
        if event["event"] == "epoch":
            seen.append(event["epoch"])
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rb.train(arrays(), rules=RULES, callback=callback, hidden=[4], epochs=100_000)
    assert len(seen) == 1


def test_a_stopped_run_is_resumed_to_the_same_model(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"

    def stop(event: dict[str, Any]) -> None:
        if event["event"] == "epoch" and event["epoch"] == 3:
            raise KeyboardInterrupt

    settings = {"hidden": [64], "epochs": 400, "batch": 8, "dropout": 0.1}
    with pytest.raises(KeyboardInterrupt):
        rb.train(arrays(), rules=RULES, checkpoint=checkpoint, callback=stop, **settings)
    assert checkpoint.exists()
    with pytest.raises(FileExistsError, match="resume=True"):
        rb.train(arrays(), rules=RULES, checkpoint=checkpoint, **settings)
    events: list[str] = []
    model = rb.train(
        arrays(),
        rules=RULES,
        checkpoint=checkpoint,
        resume=True,
        callback=lambda event: events.append(event["event"]),
        **settings,
    )
    assert "resumed" in events and not checkpoint.exists()
    assert model == rb.train(arrays(), rules=RULES, **settings)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_keeps_the_checkpoint(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    code = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import rulebound as rb
        from pets import RULES, arrays
        rb.train(arrays(), rules=RULES, hidden=[64], epochs=1_000_000, checkpoint={str(checkpoint)!r},
                 callback=lambda event: print(event["event"], flush=True))
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.readline().strip() != "epoch":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    # What is still printed must not fill the pipe.
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert checkpoint.exists()


def test_broken_labels_warn() -> None:
    features, labels = arrays()
    labels[0] = [0, 1, 0]
    with pytest.warns(rb.LabelsBreakRules, match="cat -> animal"):
        rb.train((features, labels), rules=RULES, **QUICK)
    with pytest.raises(ValueError, match="break the rule"):
        rb.train((features, labels), rules=RULES, label_policy="strict", **QUICK)


def test_a_bar_follows(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    rb.train(arrays(), rules=RULES, progress=True, **QUICK)
    assert "12/12" in capsys.readouterr().err


def test_other_learners() -> None:
    features, labels = arrays()
    model = rb.train((features, labels), rules=RULES, method="forest")
    assert RULES.violations(model.predict(features).decisions) == []
    small = rb.train((features, labels), rules=RULES, method="forest", trees=3)
    assert small.configuration["learner"]["forest"]["trees"] == 3
    assert len(small.to_bytes()) < len(model.to_bytes()) / 5
    with pytest.raises(ValueError, match="`hidden` is not a setting of hmcn-r. It has batch, .*, units, "):
        rb.train((features, labels), rules=RULES, method="hmcn-r", hidden=[4])


def test_bad_settings_and_data_are_named() -> None:
    features, labels = arrays()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"hiden": [4]}, "hiden"),
        ({"dropout": 1.5}, "dropout"),
        ({"epochs": 0}, "epochs"),
        ({"method": "magic"}, "magic"),
        ({"device": "gpu"}, "not a valid device"),
        ({"epochs": 1, "early_stopping": True}, "either"),
        ({"early_stopping": False}, "how many epochs"),
    ]
    for settings, message in cases:
        with pytest.raises(ValueError, match=message):
            rb.train((features, labels), rules=RULES, **settings)
    with pytest.raises(ValueError, match="89 rows of labels"):
        rb.train((features, labels[:-1]), epochs=1)
    with pytest.raises(ValueError, match="x1"):
        rb.train((np.where(features == 1, np.inf, features), labels), epochs=1)
    with pytest.raises(ValueError, match="too large for float32"):
        rb.train((features * 1e300, labels), epochs=1)
    with pytest.raises(TypeError, match="a pair"):
        rb.train(features, epochs=1)


def test_training_leaves_the_interpreter_to_others() -> None:
    import threading

    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    rb.train(arrays(900), rules=RULES, hidden=[128], epochs=20)
    done.set()
    thread.join()
    assert counted > 3

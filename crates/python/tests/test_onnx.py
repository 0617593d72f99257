"""Files for ONNX, run by onnxruntime."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from pets import RULES, arrays

import rulebound as rb

# A 0, which `apply` keeps as it is where nothing changes it, is tested with the layer itself: crates/engine/tests/onnx.
MARGINS = np.array([1e-45, -1e-45, np.inf, -np.inf, 1.5, -2.0, 1.2e-38, 3.4e38], np.float32)


def session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def test_rules_have_the_bits_of_apply(tmp_path: Path) -> None:
    rules = rb.Rules.parse("a -> b\nb, not c -> d\nd, e -> f\nf -> d\n-> g")
    outputs = rules.export_onnx(tmp_path / "rules.onnx", kind="margins", margins=True)
    assert outputs == ["probabilities", "predicted", "coherent_margins"]
    margins = np.random.default_rng(1).choice(MARGINS, (200, 7))
    found = session(tmp_path / "rules.onnx").run(outputs, {"margins": margins})
    expected = rules.apply(margins, kind="margins", decisions=True)
    assert found[2].tobytes() == expected.scores.tobytes()
    assert np.array_equal(found[1], expected.decisions)
    assert np.array_equal(found[0] > 0.5, found[1])


def test_rules_follow_the_order_of_a_network(tmp_path: Path) -> None:
    labels = ["dog", "plant", "animal", "cat"]
    outputs = RULES.export_onnx(tmp_path / "rules.onnx", labels=labels, kind="probabilities", thresholds={"cat": 0.2})
    scores = np.random.default_rng(1).random((50, 4)).astype(np.float32)
    found = session(tmp_path / "rules.onnx").run(outputs, {"probabilities": scores})
    expected = RULES.in_order(labels).apply(scores, thresholds=[0.5, 0.5, 0.5, 0.2], decisions=True)
    assert np.array_equal(found[1], expected.decisions)
    with pytest.raises(rb.RuleError, match="the rules are about `cat`"):
        RULES.export_onnx(tmp_path / "rules.onnx", labels=["dog", "animal"])


def test_a_model_predicts_the_same_elsewhere(tmp_path: Path) -> None:
    model = rb.train(arrays(), rules=RULES, hidden=[16], epochs=12, batch=8)
    model = model.with_thresholds([0.3 + 0.1 * (place % 5) for place in range(len(model.labels))])
    features, _ = arrays(50, 1)
    expected = model.predict(features)
    model.export_onnx(tmp_path / "pets.onnx", margins=True)
    running = session(tmp_path / "pets.onnx")
    about = running.get_modelmeta().custom_metadata_map
    assert tuple(json.loads(about["rulebound.classes"])) == model.labels
    assert json.loads(about["rulebound.thresholds"]) == model.thresholds
    numbers = {"numbers": np.asarray(features, np.float32)}
    probabilities, predicted, margins = running.run(None, numbers)
    assert np.allclose(margins, expected.margins, atol=1e-5)
    assert np.allclose(probabilities, expected.probabilities, atol=1e-6)
    assert np.array_equal(probabilities.astype(float) > np.array(model.thresholds), predicted)
    assert not model.rules.violations(predicted)

    model.export_onnx(tmp_path / "columns.onnx", named_inputs=True)
    names = [value.name for value in session(tmp_path / "columns.onnx").get_inputs()]
    assert names == model.columns


def test_requirements_leave_with_the_rules(tmp_path: Path) -> None:
    rules = rb.Rules.parse("red -> stop\nexclusive(red, green, amber)\nlight -> one of(red, green, amber)")
    rules.export_onnx(tmp_path / "lights.onnx", kind="probabilities")
    scores = np.random.default_rng(0).random((200, len(rules.labels))).astype(np.float32)
    _, predicted = session(tmp_path / "lights.onnx").run(None, {"probabilities": scores})
    assert not rules.violations(predicted)
    assert np.array_equal(predicted, rules.apply(scores, decisions=True).decisions)


def test_mistakes_are_exceptions(tmp_path: Path) -> None:
    rules = rb.Rules.parse("a -> b")
    with pytest.raises(ValueError, match="kind of output"):
        rules.export_onnx(tmp_path / "x.onnx", kind="scores")
    with pytest.raises(FileNotFoundError):
        rules.export_onnx(tmp_path / "x.onnx", network=tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("a -> b")
    with pytest.raises(ValueError, match="is not an ONNX file"):
        rules.export_onnx(tmp_path / "x.onnx", network=tmp_path / "text.onnx")
    rules.export_onnx(tmp_path / "rules.onnx")
    with pytest.raises(ValueError, match="has rules already"):
        rules.export_onnx(tmp_path / "x.onnx", network=tmp_path / "rules.onnx", output="probabilities")
    pigeons = [f"one of({', '.join(f'p{pigeon}h{hole}' for hole in range(8))})" for pigeon in range(8)]
    holes = [f"exclusive({', '.join(f'p{pigeon}h{hole}' for pigeon in range(8))})" for hole in range(8)]
    with pytest.raises(ValueError, match="need a search"):
        rb.Rules.parse("\n".join(pigeons + holes)).export_onnx(tmp_path / "x.onnx")
    with pytest.raises(OSError):
        rules.export_onnx(tmp_path / "no" / "folder.onnx")
    assert not (tmp_path / "x.onnx").exists()

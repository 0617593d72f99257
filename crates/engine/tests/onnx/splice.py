"""Networks to put rules behind: splice.py make FOLDER writes them, splice.py check FOLDER compares what became of them.

Each is a linear layer of three features for seven classes. What is expected is what the rules alone make of its scores.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

CLASSES = 7
RANDOM = np.random.default_rng(5)


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def network(folder, kind, opset, number, ir=None, two=False, taken=False):
    dtype = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}[number]
    weights = RANDOM.normal(size=(3, CLASSES)).astype(dtype)
    last = "sums" if kind == "probabilities" else "scores"
    nodes = [helper.make_node("MatMul", ["x", "rulebound/w" if taken else "w"], [last], name="predicted" if taken else "")]
    if kind == "probabilities":
        nodes.append(helper.make_node("Sigmoid", ["sums"], ["scores"]))
    outputs = [helper.make_tensor_value_info("scores", number, ["n", CLASSES])]
    if two:
        nodes.append(helper.make_node("Relu", ["scores"], ["probabilities"]))
        outputs.append(helper.make_tensor_value_info("probabilities", number, ["n", CLASSES]))
    constants = [numpy_helper.from_array(weights, "rulebound/w" if taken else "w")]
    inputs = [helper.make_tensor_value_info("x", number, ["n", 3])]
    if ir == 3:
        inputs.append(helper.make_tensor_value_info("w", number, [3, CLASSES]))
    graph = helper.make_graph(nodes, "theirs", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = ir or 8
    helper.set_model_props(model, {"author": "somebody"})
    onnx.checker.check_model(model, full_check=True)
    name = f"network.{kind}.{opset}.{number}{'.two' if two else ''}{'.taken' if taken else ''}.onnx"
    (folder / name).write_bytes(model.SerializeToString())


def make(folder):
    single, double = TensorProto.FLOAT, TensorProto.DOUBLE
    for opset in (11, 12, 13, 17, 18, 21):
        network(folder, "logits", opset, single, ir=10 if opset == 21 else None)
    network(folder, "logits", 12, single, ir=3, two=True)
    network(folder, "logits", 13, double)
    network(folder, "margins", 18, single, taken=True)
    network(folder, "probabilities", 13, single)
    network(folder, "probabilities", 18, double, two=True)


def check(folder):
    features = RANDOM.normal(size=(200, 3))
    count = 0
    for path in sorted(folder.glob("coherent.*")):
        theirs = folder / path.name.replace("coherent.", "network.", 1)
        kind = path.name.split(".")[1]
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        metadata = {entry.key: entry.value for entry in model.metadata_props}
        assert metadata["author"] == "somebody" and "rulebound.rules" in metadata
        before = session(theirs)
        dtype = np.float64 if "double" in before.get_inputs()[0].type else np.float32
        given = {"x": features.astype(dtype)}
        scores = before.run(["scores"], given)[0]
        expected = session(folder / f"rules.{kind}.onnx").run(None, {kind: scores.astype(np.float32)})
        ours = session(path)
        found = ours.run(None, given)
        for mine, other in zip(found, expected):
            assert mine.dtype == other.dtype and mine.tobytes() == other.tobytes(), path.name
        # Theirs is still there, after ours.
        assert (ours.run(["scores"], given)[0] == scores).all()
        assert ours.get_outputs()[3].name == "scores"
        count += 1
    print(f"{count} networks are coherent")


{"make": make, "check": check}[sys.argv[1]](Path(sys.argv[2]))

"""Writes networks into the folder that it reads the name of, and prints the library of onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(sys.stdin.read().strip())
WEIGHTS = np.array([[1, -2, -1, -3], [0.5, 0.25, 0.1, 0]])
FLOAT, DOUBLE = TensorProto.FLOAT, TensorProto.DOUBLE


def write(name, nodes, inputs, outputs, constants):
    graph = helper.make_graph(nodes, "theirs", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 1)])
    model.ir_version = 9
    (FOLDER / name).write_bytes(model.SerializeToString())


def table(name, weights=WEIGHTS, kind=FLOAT, nodes=None, output="scores", shape=None, columns=None):
    dtype = {FLOAT: np.float32, DOUBLE: np.float64, TensorProto.INT64: np.int64}[kind]
    nodes = nodes or [helper.make_node("MatMul", ["x", "w"], ["scores"])]
    write(
        name,
        nodes,
        [helper.make_tensor_value_info("x", kind, ["n", columns or len(weights)])],
        [helper.make_tensor_value_info(output, kind if kind != TensorProto.INT64 else FLOAT, shape or ["n", weights.shape[1]])],
        [numpy_helper.from_array(weights.astype(dtype), "w")],
    )


product = helper.make_node("MatMul", ["x", "w"], ["sums"])
table("sums.onnx")
table("double.onnx", kind=DOUBLE)
table("probabilities.onnx", nodes=[product, helper.make_node("Sigmoid", ["sums"], ["scores"])])
table("wide.onnx", weights=np.ones((3, 4)))
table("three.onnx", weights=np.ones((2, 3)))
table("nan.onnx", nodes=[product, helper.make_node("Log", ["sums"], ["logs"]), helper.make_node("Sub", ["logs", "logs"], ["scores"])])
table("broken.onnx", nodes=[helper.make_node("NoSuchOperator", ["x", "w"], ["scores"])])
cast = [helper.make_node("MatMul", ["x", "w"], ["sums"]), helper.make_node("Cast", ["sums"], ["scores"], to=FLOAT)]
table("integers.onnx", kind=TensorProto.INT64, nodes=cast)
table("multi.onnx", shape=[4, "n", 2])
whole = (FOLDER / "sums.onnx").read_bytes()
(FOLDER / "cut.onnx").write_bytes(whole[: len(whole) // 2])
joined = [helper.make_node("Concat", ["x", "y"], ["both"], axis=1), helper.make_node("MatMul", ["both", "w"], ["scores"])]
write(
    "columns.onnx",
    joined,
    [helper.make_tensor_value_info(name, FLOAT, ["n", 1]) for name in ("y", "x")],
    [helper.make_tensor_value_info("scores", FLOAT, ["n", 4])],
    [numpy_helper.from_array(WEIGHTS.astype(np.float32), "w")],
)
# It fails when it is run, and its name is what a terminal would obey.
write(
    "fails.onnx",
    [helper.make_node("Gather", ["x", "far"], ["scores"], name="\x1b]0;pwned\x07NODE", axis=1)],
    [helper.make_tensor_value_info("x", FLOAT, ["n", "columns"])],
    [helper.make_tensor_value_info("scores", FLOAT, ["n", 4])],
    [numpy_helper.from_array(np.array([0, 1, 0, 99]), "far")],
)
zipped = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(FLOAT, [])))
write(
    "zipmap.onnx",
    [product, helper.make_node("ZipMap", ["sums"], ["scores"], domain="ai.onnx.ml", classlabels_strings=list("abcd"))],
    [helper.make_tensor_value_info("x", FLOAT, ["n", 2])],
    [helper.make_value_info("scores", zipped)],
    [numpy_helper.from_array(WEIGHTS.astype(np.float32), "w")],
)
print(next(Path(onnxruntime.__path__[0], "capi").glob("libonnxruntime.so*")))

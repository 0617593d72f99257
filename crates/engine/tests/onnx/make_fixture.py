"""Writes fixture.onnx with onnx 1.23.2: every kind of message that rulebound writes, once. It is not meant to run."""

from pathlib import Path

from onnx import TensorProto, helper

body = helper.make_graph(
    [helper.make_node("Max", ["s", "s"], ["t"])],
    "body",
    [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        helper.make_tensor_value_info("s", TensorProto.FLOAT, [2, "rows"]),
    ],
    [
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        helper.make_tensor_value_info("t", TensorProto.FLOAT, [2, "rows"]),
    ],
)
graph = helper.make_graph(
    [
        helper.make_node("Gather", ["x", "rows"], ["y"], axis=0, name="first"),
        helper.make_node("Loop", ["", "", "y"], ["z"], body=body),
        helper.make_node(
            "LabelEncoder", ["z"], ["w"], domain="ai.onnx.ml", keys_strings=["a", "b"], values_floats=[0.0, 1.5]
        ),
    ],
    "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, "rows"])],
    [helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, "rows"])],
    [helper.make_tensor("rows", TensorProto.INT64, [2], b"\1" + b"\0" * 15, raw=True)],
)
model = helper.make_model(graph, producer_name="fixture", opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 3)])
model.ir_version = 8
model.opset_import[0].ClearField("domain")
helper.set_model_props(model, {"k": "v"})
Path(__file__).with_name("fixture.onnx").write_bytes(model.SerializeToString(deterministic=True))

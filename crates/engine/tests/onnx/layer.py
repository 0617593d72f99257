"""Runs files of layers and compares bits: layer.py FOLDER rules|hierarchies|requirements COUNT.

Each N.onnx has margins in N.in and what is expected of them in N.out, as 32-bit numbers.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

ALLOWED = set(
    "Add Cast Concat Div Equal Exp Gather Greater Max Min Mul Neg ReduceMax ReduceMin Split Transpose Where".split()
)

COUNTING = set("Abs And ArgMax Gemm Identity Loop MatMul Not Or Relu Sub".split())


def operators(graph):
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from operators(attribute.g)


def session(content, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # There may be fewer cores than threads, and waiting threads would take them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def same(name, found, expected):
    if found.shape != expected.shape or (found.view(np.uint32) != expected.view(np.uint32)).any():
        at = np.argwhere(found.view(np.uint32) != expected.view(np.uint32))[0]
        sys.exit(f"{name}: {found[tuple(at)]!r} instead of {expected[tuple(at)]!r} in row and class {at}")


def main(folder, kind, count):
    loops = 0
    for number in range(count):
        content = (folder / f"{number}.onnx").read_bytes()
        model = onnx.load_from_string(content)
        onnx.checker.check_model(model, full_check=True)
        used = set(operators(model.graph))
        loops += "Loop" in used
        allowed = ALLOWED | COUNTING if kind == "requirements" else ALLOWED | {"Identity"}
        strange = used - allowed - ({"Loop"} if number % 2 == 0 else set())
        if strange:
            sys.exit(f"{number}: {strange}")
        classes = model.graph.output[0].type.tensor_type.shape.dim[1].dim_value
        margins = np.fromfile(folder / f"{number}.in", np.float32).reshape(-1, classes)
        expected = np.fromfile(folder / f"{number}.out", np.float32).reshape(-1, classes)
        for threads in (1, 8):
            runs = session(content, threads)
            probabilities, predicted, found = runs.run(
                ["probabilities", "predicted", "coherent_margins"],
                {"margins": margins},
            )
            same(f"{number}, {threads} threads", found, expected)
            if ((probabilities > 0.5) != predicted).any() or (predicted != (expected > 0)).any():
                sys.exit(f"{number}: decisions")
        # The reference is slow, and does not know what the largest of no numbers is.
        if len(margins):
            reference = ReferenceEvaluator(model)
            with np.errstate(over="ignore"):
                found = reference.run(["coherent_margins"], {"margins": margins[:5]})[0]
            same(f"{number}, reference", found, expected[:5])
    if not loops and kind != "hierarchies":
        sys.exit("no program had a loop")
    print(f"{count} files, {loops} with loops: all bits equal")


main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

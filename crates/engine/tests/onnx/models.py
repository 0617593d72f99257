"""Runs whole models and compares them with what rulebound predicts: models.py FOLDER.

NAME.tensors.onnx and NAME.columns.onnx are one model, NAME.margins and NAME.out its margins and probabilities for the rows of
rows/table.csv.
"""

import csv
import json
import math
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ALLOWED = set(
    """Add Cast Concat Div Equal Exp Gather Gemm Greater IsNaN LabelEncoder Log Max Min Mul Neg ReduceMax ReduceMin Relu Split
    Sub Tanh Transpose TreeEnsembleRegressor Where""".split()
)


def literal(text, predicted, classes):
    name = text.strip()
    negated = name.startswith("not ")
    column = predicted[:, classes.index(name.removeprefix("not "))]
    return ~column if negated else column


def broken(rules, predicted, classes):
    """Rows that break a rule, or a requirement of the kinds that occur here."""
    count = 0
    for line in rules.splitlines():
        if line.startswith("at most "):
            bound, members = line.removeprefix("at most ").rstrip(")").split(" of(")
            held = sum(literal(one, predicted, classes).astype(int) for one in members.split(","))
            count += (held > int(bound)).sum()
        if "->" not in line:
            continue
        body, head = line.split("->")
        holds = np.ones(len(predicted), bool)
        for part in body.split(","):
            holds &= literal(part, predicted, classes)
        count += (holds & ~literal(head, predicted, classes)).sum()
    return count


def inputs(metadata, rows, by_column):
    numbers = json.loads(metadata["rulebound.numbers"])
    codes = json.loads(metadata["rulebound.codes"])
    number = lambda row, name: float(row[name]) if row[name] else math.nan
    if by_column:
        found = {name: np.array([[number(row, name)] for row in rows], np.float32) for name in numbers}
        return found | {of["column"]: np.array([[row[of["column"]]] for row in rows], object) for of in codes}
    code = lambda row, of: of["values"].index(row[of["column"]]) if row[of["column"]] in of["values"] else -1
    return {
        "numbers": np.array([[number(row, name) for name in numbers] for row in rows], np.float32),
        "codes": np.array([[code(row, of) for of in codes] for row in rows], np.int64),
    }


def check(path, margins, rows):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    allowed = ALLOWED | {"Abs", "Loop"} if path.name.startswith("required") else ALLOWED
    strange = {node.op_type for node in model.graph.node} - allowed
    assert not strange, strange
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    classes = json.loads(metadata["rulebound.classes"])
    thresholds = np.array(json.loads(metadata["rulebound.thresholds"]))
    assert len(metadata["rulebound.checksum"]) == 64 and metadata["rulebound.version"]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    given = inputs(metadata, rows, ".columns." in path.name)
    given = {value.name: given[value.name] for value in session.get_inputs()}
    found = dict(zip([value.name for value in session.get_outputs()], session.run(None, given)))
    probabilities, predicted = found["probabilities"], found["predicted"]
    assert ((probabilities.astype(np.float64) > thresholds) == predicted).all()
    if "rulebound.rules" in metadata:
        assert broken(metadata["rulebound.rules"], predicted, classes) == 0
    sure = np.abs(margins) > 1e-4
    assert (predicted[sure] == (margins > 0)[sure]).all()
    if "margins" not in found:
        return probabilities
    with np.errstate(invalid="ignore"):
        far = np.abs(found["margins"] - margins) > 1e-5 * np.maximum(1, np.abs(margins))
    far &= found["margins"] != margins
    if far.any():
        at = tuple(np.argwhere(far)[0])
        sys.exit(f"{path.name}: {found['margins'][at]} instead of {margins[at]} at {at}; {far.sum()} of {far.size}")
    # One row alone, and none.
    for count in (1, 0):
        few = session.run(["margins"], {name: value[:count] for name, value in given.items()})[0]
        assert few.shape == (count, len(classes))
    return probabilities


def main(folder):
    rows = list(csv.DictReader(open(folder / "rows" / "table.csv")))
    names = sorted(path.name.split(".")[0] for path in folder.glob("*.tensors.onnx"))
    for name in names:
        print(name, flush=True)
        margins = np.fromfile(folder / f"{name}.margins", np.float32).reshape(len(rows), -1)
        expected = np.fromfile(folder / f"{name}.out", np.float32).reshape(len(rows), -1)
        for kind in ("tensors", "columns", "plain"):
            found = check(folder / f"{name}.{kind}.onnx", margins, rows)
            assert np.abs(found - expected).max() < 1e-5, name
    print(f"{len(names)} models agree")


main(Path(sys.argv[1]))

"""A FunCat set as C-HMCNN takes it: rows imputed and standardised, labels closed under the hierarchy.

The data is found in the folder that RULEBOUND_DATA names.
"""
import gzip
import os

import numpy as np


def read(path):
    """Features (nominal ones as one column a value), label cells and declared classes of a file."""
    rows, labels, kinds, classes, in_data = [], [], [], None, False
    for line in gzip.open(path, "rt"):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            cells = line.split(",")
            row = []
            for kind, cell in zip(kinds, cells):
                cell = cell.strip()
                if kind is None:
                    row.append(np.nan if cell == "?" else float(cell))
                else:
                    row += [float(cell == value) for value in kind]
            rows.append(row)
            labels.append(cells[len(kinds)].strip())
        elif line.upper().startswith("@ATTRIBUTE"):
            _, name, kind = line.split(None, 2)
            kind = kind.strip()
            if name.lower() == "class":
                classes = kind.split(None, 1)[1].strip().split(",")
            elif kind.startswith("{"):
                kinds.append([value.strip() for value in kind[1:-1].split(",")])
            else:
                kinds.append(None)
        elif line.upper().startswith("@DATA"):
            in_data = True
    return np.array(rows), labels, classes


def above(name):
    """A class and all classes above it but the root: 1/2/3 is under 1/2 and 1."""
    parts = name.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def load(name):
    """Inputs and labels of train and valid together, of test, and R[a, d] = 1 if d is a or below a."""
    folder = os.environ.get("RULEBOUND_DATA")
    if not folder:
        raise SystemExit("set RULEBOUND_DATA to the folder with the data sets of the paper")
    parts = [read(f"{folder}/hmc/{name}/{name}.{split}.arff.gz")
             for split in ("train", "valid", "test")]
    index = {"root": 0}
    for declared in parts[0][2]:
        for each in above(declared):
            index.setdefault(each, len(index))
    below = np.eye(len(index), dtype=np.float32)
    below[0, :] = 1
    for each, at in index.items():
        if each != "root":
            below[[index[other] for other in above(each)], at] = 1

    def marks(cells):
        matrix = np.zeros((len(cells), len(index)), dtype=np.float32)
        for row, cell in enumerate(cells):
            matrix[row, 0] = 1
            for declared in cell.split("@"):
                matrix[row, [index[each] for each in above(declared)]] = 1
        return matrix

    inputs, test = np.concatenate([parts[0][0], parts[1][0]]), parts[2][0]
    mean = np.nanmean(inputs, 0)
    inputs, test = (np.where(np.isnan(rows), mean, rows) for rows in (inputs, test))
    deviation = inputs.std(0)
    deviation[deviation == 0] = 1
    inputs, test = ((rows - mean) / deviation for rows in (inputs, test))
    labels = np.concatenate([marks(parts[0][1]), marks(parts[1][1])])
    return (inputs.astype(np.float32), labels, test.astype(np.float32), marks(parts[2][1]), below)


def auprc(scores, truth):
    """Micro-averaged average precision; equal scores are one step."""
    order = np.argsort(-scores, kind="stable")
    found, scores = np.cumsum(truth[order]), scores[order]
    last = np.r_[scores[1:] != scores[:-1], True]
    precision, recall = found[last] / (np.nonzero(last)[0] + 1), found[last] / found[-1]
    return float(((recall - np.r_[0, recall[:-1]]) * precision).sum())

"""Random rows through every way in which predictions leave: counts the outputs that break a rule among what they show.

    python benches/million_rows.py --command target/release/rulebound --rows 1000000

It needs numpy, onnxruntime and the Python package, and checks with numpy alone: no judgement is the product's own. For each
surface it prints how many rows and shown cells there were, and how many rows break a rule or requirement among the predicted
classes that are shown. Where a class is left out (`--top`, `--above`), a body that is not shown whole says nothing, and a head
that is not shown is missing. The last line says `0 broken`, or the script fails.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import rulebound as rb


class Rules:
    """A random program, as text and for numpy."""

    def __init__(self, rng, classes, *, negation, groups):
        self.names = [f"c{place}" for place in range(classes)]
        self.lines, self.rules, self.groups = [], [], []
        for head in range(1, classes):
            for _ in range(rng.integers(0, 3)):
                size = int(rng.integers(1, min(head, 3) + 1))
                body = [(int(one), bool(negation and rng.random() < 0.3)) for one in rng.choice(head, size, replace=False)]
                self.rules.append((body, head))
                names = [f"{'not ' if negated else ''}{self.names[one]}" for one, negated in body]
                self.lines.append(f"{', '.join(names)} -> {self.names[head]}")
        for _ in range(groups):
            members = [int(one) for one in rng.choice(classes, int(rng.integers(2, 4)), replace=False)]
            self.groups.append(members)
            self.lines.append(f"exclusive({', '.join(self.names[one] for one in members)})")

    def text(self):
        return "\n".join(self.lines) + "\n"

    def broken(self, predicted, shown=None):
        """Which rows break something, of what is shown."""
        shown = np.ones_like(predicted) if shown is None else shown
        held = predicted & shown
        rows = np.zeros(len(predicted), bool)
        for body, head in self.rules:
            holds = np.ones(len(predicted), bool)
            for one, negated in body:
                holds &= shown[:, one] & ~predicted[:, one] if negated else held[:, one]
            rows |= holds & ~held[:, head]
        for members in self.groups:
            rows |= held[:, members].sum(axis=1) > 1
        return rows


def scores_of(rng, rows, classes):
    """Scores with ties and cells at the threshold, and next to it."""
    scores = rng.random((rows, classes)).astype(np.float32)
    scores = np.where(rng.random(scores.shape) < 0.3, scores.round(1), scores)
    special = np.array([0, 1, 0.5, np.nextafter(np.float32(0.5), np.float32(1)), 1e-30], np.float32)
    return np.where(rng.random(scores.shape) < 0.1, rng.choice(special, scores.shape), scores).astype(np.float32)


class Count:
    def __init__(self):
        self.total = 0

    def report(self, surface, rules, predicted, shown=None):
        broken = int(rules.broken(predicted, shown).sum())
        cells = predicted.size if shown is None else int(shown.sum())
        print(f"{surface:32} {len(predicted):>9} rows {cells:>10} cells {broken:>3} broken", flush=True)
        self.total += broken


def shown_of(path, rules, rows, class_column, score_column):
    """A table with one line per row and class: what is shown, and its scores."""
    shown = np.zeros((rows, len(rules.names)), bool)
    scores = np.zeros((rows, len(rules.names)))
    place = {name: at for at, name in enumerate(rules.names)}
    with open(path, newline="") as file:
        table = csv.reader(file)
        header = next(table)
        one, other = header.index(class_column), header.index(score_column)
        for line in table:
            row, at = int(line[0]), place[line[one]]
            shown[row, at], scores[row, at] = True, float(line[other])
    return shown, scores


def tables(run, folder, rng, rows, count):
    """`apply`, wide and long, with and without cuts."""
    from rulebound import Rules as Ours

    for kind, negation, groups in [("hierarchy", False, 0), ("negation", True, 0), ("requirements", False, 3)]:
        rules = Rules(rng, 12, negation=negation, groups=groups)
        (folder / "x.rules").write_text(rules.text())
        (folder / "labels.txt").write_text("\n".join(rules.names))
        scores = scores_of(rng, rows, 12)
        np.save(folder / "x.npy", scores)
        run(f"apply --rules x.rules --labels labels.txt --scores x.npy --out o.npy --decisions d.npy")
        decided = np.load(folder / "d.npy").astype(bool)
        assert np.array_equal(np.load(folder / "o.npy") > 0.5, decided)
        count.report(f"apply, {kind}", rules, decided)
        ours = Ours.parse(rules.text(), rules.names)
        count.report(f"Rules.apply, {kind}", rules, ours.apply(scores, decisions=True).decisions)
        listed = rng.random(scores.shape) < 0.5
        offsets = np.concatenate([[0], listed.sum(axis=1).cumsum()])
        places = np.nonzero(listed)[1]
        cuts = [{}] if negation else [{}, {"top": 3}, {"above": 0.4}]
        for cut in cuts:
            found = ours.apply_sparse(offsets, places, scores[listed], **cut)
            predicted = np.zeros_like(listed)
            shown = np.zeros_like(listed)
            of_row = np.repeat(np.arange(rows), np.diff(found[0]))
            shown[of_row, found[1]] = True
            predicted[of_row, found[1]] = found[2] > 0.5
            # What is not listed is impossible; where nothing is cut that is part of what is shown.
            count.report(f"apply_sparse {cut or ''}, {kind}", rules, predicted, shown if cut else None)
        with open(folder / "long.csv", "w") as file:
            file.write("id,class,score\n")
            for row in range(rows):
                file.writelines(f"{row},{rules.names[at]},{scores[row, at]}\n" for at in np.nonzero(listed[row])[0])
        for cut in ["", "--top 3", "--above 0.4"][: len(cuts)]:
            run(f"apply --rules x.rules --labels labels.txt --scores long.csv --layout long --out long-out.csv {cut}")
            shown, found = shown_of(folder / "long-out.csv", rules, rows, "class", "score")
            there = listed.any(axis=1)  # an id without lines is not in the table
            count.report(f"apply --layout long {cut}, {kind}", rules, found[there] > 0.5, shown[there] if cut else None)
        graphs(folder, rules, ours, scores, kind, count)


def graphs(folder, rules, ours, scores, kind, count):
    """The same rules in onnxruntime."""
    import onnxruntime

    ours.export_onnx(folder / "x.onnx", kind="probabilities")
    session = onnxruntime.InferenceSession(folder / "x.onnx", providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    parts = [session.run(["predicted"], {name: part})[0] for part in np.array_split(scores, max(1, len(scores) // 10_000))]
    count.report(f"ONNX, {kind}", rules, np.concatenate(parts))


def models(run, folder, rng, rows, count):
    """`predict` with a model, whole and cut."""
    for kind, groups in [("hierarchy", 0), ("requirements", 3)]:
        rules = Rules(rng, 12, negation=False, groups=groups)
        (folder / "m.rules").write_text(rules.text())
        features = rng.normal(size=(500, 6))
        labels = scores_of(rng, 500, 12) > 0.6
        labels = rb.Rules.parse(rules.text(), rules.names).close(labels.astype(np.uint8)) if not groups else labels
        header = ",".join([f"x{at}" for at in range(6)] + rules.names)
        np.savetxt(folder / "train.csv", np.hstack([features, labels]), "%.4g", ",", header=header, comments="")
        run(f"train train.csv --label-columns {','.join(rules.names)} --rules m.rules --hidden 16 --epochs 15 --out m.rulebound --force")
        np.savetxt(folder / "new.csv", rng.normal(size=(rows, 6)) * 2, "%.4g", ",", header=",".join(f"x{at}" for at in range(6)), comments="")
        run("predict --model m.rulebound new.csv --out p.npy --decisions pd.npy")
        order = json.loads(run("model info m.rulebound --json"))["class_names"]
        places = [order.index(name) for name in rules.names]
        decided = np.load(folder / "pd.npy").astype(bool)[:, places]
        count.report(f"predict, {kind}", rules, decided)
        for top in (2, 5):
            run(f"predict --model m.rulebound new.csv --out top.csv --top {top}")
            shown, found = shown_of_top(folder / "top.csv", rules, rows)
            count.report(f"predict --top {top}, {kind}", rules, found > 0.5, shown)


def shown_of_top(path, rules, rows):
    shown = np.zeros((rows, len(rules.names)), bool)
    scores = np.zeros((rows, len(rules.names)))
    place = {name: at for at, name in enumerate(rules.names)}
    with open(path, newline="") as file:
        table = csv.DictReader(file)
        first = table.fieldnames[0]
        for line in table:
            row, at = int(line[first]) - 1, place[line["class"]]
            shown[row, at], scores[row, at] = True, float(line["probability"])
    return shown, scores


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--command", default="target/release/rulebound")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    command = Path(given.command).resolve()
    rng = np.random.default_rng(given.seed)
    count = Count()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def run(line):
            done = subprocess.run([command, *line.split()], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{line}\n{done.stderr}")
            return done.stdout

        tables(run, folder, rng, given.rows, count)
        models(run, folder, rng, given.rows, count)
    print(f"{count.total} broken")
    raise SystemExit(count.total > 0)


main()

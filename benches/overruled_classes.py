"""What an overruled class raised: four readings of rules beside requirements, compared by what comes out.

    raised     rules raise, requirements settle, and what an overruled class raised stays
    taken      the same, and it is taken back: what rulebound does (docs/requirements.md)
    part       rules of whose body a class can be overruled are clauses, the others raise
    clauses    every rule is a clause: `--rules-as clauses`

Rows obey the rules and requirements; scores are their logits with noise. `plain`: every class is as visible as any other.
`delegating`: where a body holds, the head's own logit says little, as in a network that was trained with the loss
of the rules. The tables in docs/requirements.md are those of

    python benches/overruled_classes.py --seeds 60 --rows 400
    python benches/overruled_classes.py --data DATA      # the folder of the benchmark data: adds its 16 sets

It needs numpy and scikit-learn, and nothing of rulebound: readings that are not ours are written here.
"""

import argparse
import gzip
import re
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

READINGS = ["raised", "taken", "part", "clauses"]


class Program:
    """Rules `(body, head)` and requirements, which are clauses. A literal is 2·class, plus 1 if negated."""

    def __init__(self, classes, rules, clauses):
        self.classes, self.rules = classes, rules
        self.clauses = [[lit ^ 1 for lit in body] + [2 * head] for body, head in rules] + clauses
        touched = {lit >> 1 for clause in clauses for lit in clause}
        while True:
            near = {c for body, head in rules for c in [head, *(b >> 1 for b in body)]
                    if touched & {head, *(b >> 1 for b in body)}} - touched
            if not near:
                break
            touched |= near
        self.unaffected = [r for r in rules if not touched & {b >> 1 for b in r[0]}]
        self.units = [clause[0] for clause in self.clauses if len(set(clause)) == 1]
        self.implied = [[] for _ in range(2 * classes)]
        self.long, self.uses = [], [[] for _ in range(2 * classes)]
        for clause in map(set, self.clauses):
            if len(clause) == 2:
                a, b = clause
                self.implied[a ^ 1].append(b)
                self.implied[b ^ 1].append(a)
            elif len(clause) > 2:
                for lit in clause:
                    self.uses[lit ^ 1].append(len(self.long))
                self.long.append(list(clause))
        self.order = self.by_strata()

    def by_strata(self):
        """The rules, bodies before heads as far as that goes."""
        rank = [0] * self.classes
        for _ in range(self.classes):
            before = list(rank)
            for body, head in self.rules:
                for lit in body:
                    rank[head] = max(rank[head], rank[lit >> 1] + (lit & 1))
            if rank == before:
                break
        return sorted(range(len(self.rules)), key=lambda r: rank[self.rules[r][1]])


def raise_heads(own, rules, fell=None, lifted=()):
    """The least fixpoint of the rules, which are in the order of their strata."""
    fell = fell or {}

    def worth(values, lit):
        c, negated = lit >> 1, lit & 1
        if c in fell and c in lifted:
            return -np.inf
        if c in fell:
            return -fell[c] if negated else fell[c]
        if negated and c in lifted:
            return -np.inf
        return -values[c] if negated else values[c]

    values = own.copy()
    while True:
        before = values.copy()
        values = own.copy()
        for body, head in rules:
            bound = min((worth(before, lit) for lit in body), default=np.inf)
            values[head] = max(values[head], bound)
        if (values == before).all():
            return values


def settle(program, u):
    """Strongest first: unit propagation, with a search where both sides of a class fail."""
    order = sorted(range(program.classes), key=lambda c: (-abs(u[c]), c))
    side, strength, trail = {}, {}, []
    open_ = [len(clause) for clause in program.long]

    def assign(lit, size, start):
        queue = [lit]
        while queue:
            lit = queue.pop()
            held = side.get(lit >> 1)
            if held is not None:
                if held != lit:
                    return False
                continue
            side[lit >> 1], strength[lit >> 1] = lit, size
            trail.append(lit)
            queue.extend(program.implied[lit])
            for clause in program.uses[lit]:
                open_[clause] -= 1
            for clause in program.uses[lit]:
                if open_[clause] <= 1:
                    left = [x for x in program.long[clause] if side.get(x >> 1) != x ^ 1]
                    if not left:
                        return False
                    if len(left) == 1 and side.get(left[0] >> 1) is None:
                        queue.append(left[0])
        return True

    def undo(start):
        while len(trail) > start:
            lit = trail.pop()
            del side[lit >> 1], strength[lit >> 1]
            for clause in program.uses[lit]:
                open_[clause] += 1

    def go(at):
        while at < len(order) and order[at] in side:
            at += 1
        if at == len(order):
            return True
        c = order[at]
        own = 2 * c + int(u[c] <= 0)
        for lit in (own, own ^ 1):
            start = len(trail)
            if assign(lit, abs(u[c]), start) and go(at + 1):
                return True
            undo(start)
        return False

    for lit in program.units:
        if not assign(lit, np.inf, 0):
            raise ValueError("nothing satisfies the program")
    if not go(0):
        raise ValueError("nothing satisfies the program")
    return np.array([strength[c] if side[c] == 2 * c else -strength[c] for c in range(program.classes)])


def read(program, reading, own):
    rules = [program.rules[r] for r in program.order]
    if reading == "clauses":
        return settle(program, own)
    if reading == "part":
        return settle(program, raise_heads(own, program.unaffected))
    u = raise_heads(own, rules)
    v = settle(program, u)
    in_bodies = {lit >> 1 for body, _ in rules for lit in body}
    fell, lifted = {}, set()
    while reading == "taken":
        falls = {c for c in in_bodies if u[c] > 0 >= v[c]} - set(fell)
        rises = {c for c in in_bodies if u[c] <= 0 < v[c]} - lifted
        if not falls and not rises:
            break
        fell.update((c, v[c]) for c in falls)
        lifted |= rises
        u = raise_heads(own, rules, fell, lifted)
        v = settle(program, u)
    return v


def measure(program, truth, logits):
    """Micro F1, Hamming loss and AU(PRC) of each reading and of the scores as they are."""
    found = {}
    for reading in ["raw", *READINGS]:
        values = logits if reading == "raw" else np.array([read(program, reading, row) for row in logits])
        predicted = values > 0
        both = (truth & predicted).sum()
        found[reading] = (
            2 * both / max(1, truth.sum() + predicted.sum()),
            (truth != predicted).mean(),
            average_precision_score(truth.ravel(), np.clip(values, -1e9, 1e9).ravel()),
        )
    return found


def noisy(program, truth, noise, kind, rng):
    signs = np.where(truth, 1.0, -1.0)
    if kind == "delegating":
        for body, head in program.rules:
            holds = np.ones(len(truth), bool)
            for lit in body:
                holds &= truth[:, lit >> 1] != bool(lit & 1)
            signs[holds, head] = rng.uniform(-1, 0, holds.sum())
    return signs + rng.normal(0, noise, truth.shape)


def exclusion(members):
    return [[2 * a + 1, 2 * b + 1] for i, a in enumerate(members) for b in members[:i]]


def random_program(rng, classes, rules, exclusions, longest, negated):
    place = rng.permutation(classes)
    made = []
    for _ in range(rules):
        chosen = rng.choice(classes, rng.integers(1, longest + 1) + 1, replace=False)
        *body, head = sorted(map(int, chosen), key=lambda c: place[c])
        made.append(([2 * c + int(rng.random() < negated) for c in body], head))
    clauses = []
    for _ in range(exclusions):
        clauses += exclusion(list(map(int, rng.choice(classes, rng.integers(2, 4), replace=False))))
    return Program(classes, made, clauses)


def random_rows(program, rows, rng):
    """Rows that obey: random logits, settled with rules as clauses, which favours no head."""
    lean = rng.normal(-0.7, 0.7, program.classes)
    return np.array([settle(program, rng.normal(lean, 1.0)) > 0 for _ in range(rows)])


def table(title, results):
    """The mean of many programs, and in how many each reading has the higher F1 than `raised`."""
    print(f"\n{title}\n\n| | micro F1 | Hamming loss | AU(PRC) | higher / lower F1 than raised |\n|---|---:|---:|---:|---:|")
    base = np.array([one["raised"][0] for one in results])
    for reading in ["raw", *READINGS]:
        of = np.array([one[reading] for one in results])
        f1, hamming, area = of.mean(0)
        counts = f"{(of[:, 0] > base).sum()} / {(of[:, 0] < base).sum()}"
        print(f"| {reading} | {f1:.4f} | {hamming:.4f} | {area:.4f} | {counts} |", flush=True)


def read_labels(folder, name, part):
    """The labels of a MULAN file, in the order of its attributes."""
    xml = gzip_or_plain(folder / f"{name}.xml")
    wanted = [re.sub(r"&apos;", "'", x) for x in re.findall(r'<label name="([^"]*)"', xml)]
    attributes, rows, in_data = [], [], False
    for line in gzip_or_plain(folder / f"{name}-{part}.arff.gz").splitlines():
        line = line.strip()
        if not in_data:
            found = re.match(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)", line, re.I)
            if found:
                attributes.append(found[1].strip("'\"").replace("\\'", "'"))
            in_data = line.lower() == "@data"
            continue
        if line and not line.startswith("%"):
            rows.append(line)
    at = [i for i, attribute in enumerate(attributes) if attribute in set(wanted)]
    assert len(at) == len(wanted), (name, len(at), len(wanted))
    place = {i: p for p, i in enumerate(at)}
    labels = np.zeros((len(rows), len(at)), bool)
    for r, line in enumerate(rows):
        if line.startswith("{"):
            for cell in line.strip("{}").split(","):
                index, _, value = cell.strip().partition(" ")
                if index and int(index) in place:
                    labels[r, place[int(index)]] = value.strip() == "1"
        else:
            cells = line.split(",")
            for i, p in place.items():
                labels[r, p] = cells[i - len(attributes)].strip() in ("1", "1.0")
    return labels


def gzip_or_plain(path):
    opened = gzip.open(path, "rt", errors="replace") if path.suffix == ".gz" else open(path, errors="replace")
    with opened as file:
        return file.read()


def benchmark_set(folder, rows):
    """The published rules, with the exclusions that a tenth of the evidence would break by chance."""
    name = folder.name
    rules = []
    for line in (folder / f"{name}_constraints.txt").read_text().splitlines():
        if ":-" in line:
            head, body = line.split(":-")
            literals = [2 * int(x.lstrip("n")) + int(x.startswith("n")) for x in re.split(r"[\s,]+", body.strip()) if x]
            rules.append((literals, int(head.split()[1])))
    train, test = (read_labels(folder, name, part) for part in ["train", "test"])
    together = train.astype(int).T @ train.astype(int)
    expected = np.outer(train.sum(0), train.sum(0)) / len(train)
    pairs = np.argwhere(np.triu((together == 0) & (expected >= 10), 1))
    program = Program(train.shape[1], rules, [[2 * int(a) + 1, 2 * int(b) + 1] for a, b in pairs])
    return program, test[:rows], len(pairs)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=60)
    options.add_argument("--rows", type=int, default=400)
    options.add_argument("--data", type=Path)
    given = options.parse_args()
    if given.data is None:
        for title, classes, rules, exclusions, longest, negated in [
            ("10 classes, 6 implications, 3 exclusions", 10, 6, 3, 1, 0.0),
            ("10 classes, 6 rules with negation, 3 exclusions", 10, 6, 3, 2, 0.3),
            ("41 classes, 20 implications, 30 exclusions", 41, 20, 30, 1, 0.0),
        ]:
            for kind in ["plain", "delegating"]:
                results = []
                for seed in range(given.seeds if classes < 41 else given.seeds // 6):
                    rng = np.random.default_rng(seed)
                    program = random_program(rng, classes, rules, exclusions, longest, negated)
                    truth = random_rows(program, given.rows, rng)
                    if truth.any():
                        results.append(measure(program, truth, noisy(program, truth, 1.0, kind, rng)))
                table(f"{title}; {kind}", results)
        return
    for kind in ["plain", "delegating"]:
        results = []
        for folder in sorted((given.data / "lcmc").iterdir()):
            program, truth, pairs = benchmark_set(folder, given.rows)
            rng = np.random.default_rng(0)
            found = measure(program, truth, noisy(program, truth, 1.0, kind, rng))
            results.append(found)
            figures = "  ".join(f"{name} {f1:.4f}" for name, (f1, _, _) in found.items())
            print(f"{folder.name}: {len(program.rules)} rules, {pairs} exclusions: {figures}", flush=True)
        table(f"16 sets, published rules and mined exclusions; {kind}", results)


if __name__ == "__main__":
    main()

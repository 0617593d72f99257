#!/usr/bin/env python3
"""Batch sizes and learning rates: AU(PRC) on validation rows, and the CPU seconds of training to get it.

    cargo build --release
    benches/batch_size.py --sets cellcycle_FUN yeast --pairs 64:0.001 128:0.002 --seeds 0 1 2
    benches/batch_size.py                              # the tables of all results so far

Every run is `rulebound train SET --batch B --learning-rate R --seed S --threads 1`, everything else as it is by default, and is
added to a CSV file at once: a run that is there is not repeated. Data is found through RULEBOUND_DATA. Test rows are not used.

The AU(PRC) of a run is the best of its epochs. Its CPU seconds are user and system time of the process, with reading the data
and the epochs that early stopping waits for. `until best` is the part of them that its epochs up to the best one are of all.

A pair of batch size and learning rate is compared with the default on the sets and seeds that both have. The rule:

- acceptable is a pair whose AU(PRC), a mean over seeds, is on average over sets at most 0.002 below the default's, and on no set
  more than 0.005 below it, unless two standard errors over the seeds are more than that difference;
- the acceptable pair with the least CPU time (geometric mean over sets of the ratio to the default) is proposed;
- it is worth a change if that ratio is at most 2/3, and if it is acceptable again on other sets with other seeds.
"""

import argparse
import collections
import csv
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIELDS = ["set", "batch", "rate", "seed", "auprc", "best_epoch", "epochs", "cpu_s", "cpu_s_until_best"]
MEAN_LOSS, SET_LOSS, WORTHWHILE = 0.002, 0.005, 2 / 3

Run = collections.namedtuple("Run", FIELDS)
# Means over the seeds of a set.
Means = collections.namedtuple("Means", "auprc best_epoch cpu_s cpu_s_until_best cpu_s_per_epoch")
# A pair on one set, beside the default; `error` is the standard error of the difference of their AU(PRC).
Beside = collections.namedtuple("Beside", "ours default error seeds")


def pair(text):
    batch, rate = text.split(":")
    return int(batch), float(rate)


def train(program, source, batch, rate, seed):
    """Trains once, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        words = [program, "train", source, "--batch", str(batch), "--learning-rate", str(rate), "--seed", str(seed),
                 "--threads", "1", "--json", "--log", log, "--out", pathlib.Path(folder, "model.rulebound")]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    epochs = [line for line in lines if line["event"] == "epoch"]
    # The first of equal ones, as early stopping has it.
    best = max(epochs, key=lambda line: line["valid_auprc"])
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(source, batch, rate, seed, best["valid_auprc"], best["epoch"], len(epochs), round(cpu, 3),
               round(cpu * best["epoch"] / len(epochs), 3))


def read(path):
    """All results so far: {(set, batch, rate, seed): run}."""
    if not path.exists():
        return {}
    kinds = [str, int, float, int, float, int, int, float, float]
    with path.open(newline="") as file:
        rows = (Run(*(kind(row[name]) for kind, name in zip(kinds, FIELDS))) for row in csv.DictReader(file))
        return {run[:4]: run for run in rows}


def append(path, run):
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(FIELDS)
        writer.writerow(run)


def beside(runs, source, chosen, default):
    """The pair beside the default on a set, over the seeds of both; none if there are none."""
    seeds = [key[3] for key in runs if key[:3] == (source, *chosen) and (source, *default, key[3]) in runs]
    if not seeds:
        return None
    ours, theirs = ([runs[source, *which, seed] for seed in seeds] for which in (chosen, default))
    variances = (statistics.variance(run.auprc for run in side) for side in (ours, theirs))
    error = math.sqrt(sum(variances) / len(seeds)) if len(seeds) > 1 else 0.0
    return Beside(means(ours), means(theirs), error, len(seeds))


def means(runs):
    columns = zip(*((run.auprc, run.best_epoch, run.cpu_s, run.cpu_s_until_best, run.cpu_s / run.epochs) for run in runs))
    return Means(*map(statistics.fmean, columns))


def ratio(found, name):
    """The geometric mean over sets of the ratio to the default."""
    return statistics.geometric_mean(getattr(at.ours, name) / getattr(at.default, name) for at in found.values())


def summary(found):
    """Mean difference, the worst set with its difference, and whether the pair is acceptable."""
    differences = {source: at.ours.auprc - at.default.auprc for source, at in found.items()}
    worst = min(differences, key=differences.get)
    mean = statistics.fmean(differences.values())
    is_acceptable = mean >= -MEAN_LOSS and all(
        difference >= -max(SET_LOSS, 2 * found[source].error) for source, difference in differences.items())
    return mean, worst, differences[worst], is_acceptable


def tables(runs, sets, default):
    pairs = sorted({key[1:3] for key in runs})
    found = {chosen: {source: at for source in sets if (at := beside(runs, source, chosen, default))} for chosen in pairs}
    found = {chosen: at for chosen, at in found.items() if at}
    print("| batch | rate | sets | AU(PRC), mean difference | worst set | CPU time | per epoch | epochs until best | acceptable |")
    print("|---|---|---|---|---|---|---|---|---|")
    whole = {}
    for chosen, at in found.items():
        mean, worst, least, is_acceptable = summary(at)
        cpu = ratio(at, "cpu_s")
        if is_acceptable and len(at) == len(found.get(default, ())):
            whole[chosen] = cpu
        print(f"| {chosen[0]} | {chosen[1]:g} | {len(at)} | {mean:+.4f} | {least:+.4f} {worst} | {cpu:.2f} "
              f"| {ratio(at, 'cpu_s_per_epoch'):.2f} | {ratio(at, 'best_epoch'):.2f} | {'yes' if is_acceptable else 'no'} |")
    print("\n| set | batch | rate | seeds | AU(PRC) | difference | ± | CPU s | until best, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for source in sets:
        for chosen, all_sets in found.items():
            if at := all_sets.get(source):
                ours = at.ours
                print(f"| {source} | {chosen[0]} | {chosen[1]:g} | {at.seeds} | {ours.auprc:.4f} "
                      f"| {ours.auprc - at.default.auprc:+.4f} | {at.error:.4f} | {ours.cpu_s:.1f} | {ours.cpu_s_until_best:.1f} |")
    if whole:
        best = min(whole, key=whole.get)
        worth = "worth a change" if whole[best] <= WORTHWHILE else "not worth a change"
        print(f"\nfastest acceptable pair: batch {best[0]}, learning rate {best[1]:g}, CPU time {whole[best]:.2f}: {worth}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", help="train on these; without --pairs, print only their results")
    parser.add_argument("--pairs", nargs="+", type=pair, default=[], metavar="BATCH:RATE", help="what to train with")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--default", type=pair, default=(32, 1e-3), metavar="BATCH:RATE", help="what to compare with [32:0.001]")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("batch_size.csv"), help="[batch_size.csv]")
    parser.add_argument("--program", default=ROOT / "target/release/rulebound", help="[target/release/rulebound]")
    given = parser.parse_args()
    if given.pairs and not (given.sets and "RULEBOUND_DATA" in os.environ):
        parser.error("training needs --sets, and the folder of the data sets in RULEBOUND_DATA")
    runs = read(given.results)
    # All seeds and pairs of a set one after the other, the default first.
    pairs = sorted({given.default, *given.pairs}, key=lambda chosen: (chosen != given.default, chosen)) if given.pairs else []
    for source, seed, chosen in ((source, seed, chosen) for source in given.sets or [] for seed in given.seeds for chosen in pairs):
        if (source, *chosen, seed) in runs:
            continue
        run = train(given.program, source, *chosen, seed)
        append(given.results, run)
        runs[run[:4]] = run
        print(f"{source} {chosen[0]}:{chosen[1]:g} seed {seed}: {run.auprc:.4f} in epoch {run.best_epoch} of {run.epochs}, "
              f"{run.cpu_s:.1f} s", file=sys.stderr, flush=True)
    if runs:
        tables(runs, given.sets or sorted({key[0] for key in runs}), given.default)


main()

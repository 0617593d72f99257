"""What the rules cost inside of an ONNX file: a network alone, and the same shape with the layer, in onnxruntime on one thread.

    cargo build --release
    python benches/peers/onnx_layer.py --rulebound target/release/rulebound     # needs numpy, onnxruntime; RULEBOUND_DATA

Trains 77-500-500-4126 (cellcycle_GO) for one epoch, with and without rules, exports both, and times them side by side: rounds
take turns, so that whatever else the machine does falls on both. A figure is the median of CPU times.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime


def exported(rulebound, folder, method):
    model, file = folder / f"{method}.rulebound", folder / f"{method}.onnx"
    train = "train cellcycle_GO --hidden 500,500 --epochs 1 --quiet --method".split()
    subprocess.run([rulebound, *train, method, "--out", model], check=True)
    subprocess.run([rulebound, "export", model, "--out", file, "--quiet"], check=True)
    return file


def session(file):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    start = time.perf_counter()
    made = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    return made, 1000 * (time.perf_counter() - start)


def milliseconds(running, inputs):
    start = time.thread_time()
    running.run(None, inputs)
    return 1000 * (time.thread_time() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rulebound", default="rulebound")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        files = {method: exported(given.rulebound, Path(name), method) for method in ("none", "ccn")}
        sessions = {method: session(file) for method, file in files.items()}
        print("| file | kB | loaded in ms |\n|---|---|---|")
        for method, (_, loading) in sessions.items():
            print(f"| {method} | {files[method].stat().st_size / 1000:.0f} | {loading:.0f} |")
        print("\n| batch | network ms | with the layer ms | added ms | added % |\n|---|---|---|---|---|")
        random = np.random.default_rng(0)
        for batch in (1, 64, 1024):
            inputs = {}
            for value in sessions["none"][0].get_inputs():
                shape = (batch, value.shape[1])
                is_codes = value.type == "tensor(int64)"
                inputs[value.name] = np.zeros(shape, np.int64) if is_codes else random.normal(size=shape).astype(np.float32)
            times = {method: [] for method in sessions}
            for _ in range(given.rounds * (20 if batch == 1 else 1) + 3):
                for method, (running, _) in sessions.items():
                    times[method].append(milliseconds(running, inputs))
            alone, both = (float(np.median(times[method][3:])) for method in ("none", "ccn"))
            print(f"| {batch:,} | {alone:.2f} | {both:.2f} | {both - alone:.2f} | {100 * (both / alone - 1):.0f} |")


main()

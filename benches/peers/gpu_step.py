#!/usr/bin/env python3
"""Our training step on a GPU, with rules, beside PyTorch's in a CUDA graph, without: alternating rounds, medians.

    python3 benches/peers/gpu_step.py --ours target/release/rulebound

Needs PyTorch with CUDA, and the paper's data in RULEBOUND_DATA for our side. `scripts/gpu-check run` calls it where PyTorch is installed.
PyTorch: fused Adam, the whole step in a graph, no constraint layer; float32, and with TF32 products. `--device cpu` times PyTorch
without a graph, to try this script where there is no GPU.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import torch

from train_step import network

SHAPES = {"77-500-500-500": "cellcycle_FUN", "77-1000-1000-4126": "cellcycle_GO", "529-9000-9000-4134": "seq_GO"}
BATCHES = [4, 32, 128, 512, 2048]


class Step:
    """A training step on rows that stay where the network is."""

    def __init__(self, shape, batch, device):
        widths = [int(width) for width in shape.split("-")]
        self.device = device
        self.model = network(widths).to(device).train()
        self.features = torch.randn(batch, widths[0], device=device)
        self.targets = (torch.rand(batch, widths[-1], device=device) < 0.02).float()
        self.adam = torch.optim.Adam(self.model.parameters(), lr=1e-4, weight_decay=1e-5, fused=True,
                                     capturable=device == "cuda")
        self.graph = None
        if device == "cuda":
            self.capture()

    def run(self):
        self.adam.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(self.model(self.features), self.targets).backward()
        self.adam.step()

    def capture(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.run()
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.run()

    def microseconds(self, seconds):
        """Per step, over as many steps as fit into about this time."""
        replay = self.graph.replay if self.graph else self.run
        wait = torch.cuda.synchronize if self.graph else lambda: None
        for _ in range(3):
            replay()
        count = 1
        while True:
            wait()
            start = time.perf_counter()
            for _ in range(count):
                replay()
            wait()
            passed = time.perf_counter() - start
            if passed >= seconds:
                return 1e6 * passed / count
            count = max(count + 1, int(count * min(10, 1.2 * seconds / passed)))


def theirs(shape, batch, device, tf32, seconds):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    step = Step(shape, batch, device)
    found = step.microseconds(seconds)
    del step
    if device == "cuda":
        torch.cuda.empty_cache()
    return found


def ours(program, batches):
    """{(shape, batch): µs} of one run."""
    words = [program, "bench", "gpu", "--steps-only", "--json", "--batch", ",".join(map(str, batches))]
    steps = json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout)["steps"]
    return {(step["shape"], step["batch"]): step["microseconds"] for step in steps}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--ours", metavar="FILE", help="the command rulebound [default: PyTorch alone]")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=0.3, help="measured time per figure")
    arguments.add_argument("--shapes", nargs="+", default=list(SHAPES), metavar="SHAPE")
    arguments.add_argument("--batch", nargs="+", type=int, default=BATCHES, metavar="SIZE")
    arguments.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    options = arguments.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU; --device cpu tries this script without one")
    found = {}
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        if options.ours:
            for cell, value in ours(options.ours, options.batch).items():
                found.setdefault(cell, {}).setdefault("ours", []).append(value)
        for shape in options.shapes:
            for batch in options.batch:
                for name, tf32 in [("fp32", False), ("tf32", True)]:
                    value = theirs(shape, batch, options.device, tf32, options.seconds)
                    found.setdefault((shape, batch), {}).setdefault(name, []).append(value)
    machine = torch.cuda.get_device_name() if options.device == "cuda" else "CPU, no graph"
    print(f"PyTorch {torch.__version__}, {machine}, {options.rounds} rounds, median µs per step; ratios are PyTorch / ours\n")
    print("| network | batch | ours, fp32 | PyTorch fp32 | ratio | PyTorch tf32 | ratio |")
    print("|---" * 7 + "|")
    for (shape, batch), times in found.items():
        mid = {name: statistics.median(values) for name, values in times.items()}
        cells = [shape, str(batch), f"{mid['ours']:.0f}" if "ours" in mid else "–"]
        for name in ("fp32", "tf32"):
            cells.append(f"{mid[name]:.0f}" if name in mid else "–")
            cells.append(f"{mid[name] / mid['ours']:.2f}" if name in mid and "ours" in mid else "–")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

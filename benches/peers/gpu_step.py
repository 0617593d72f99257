#!/usr/bin/env python3
"""Our training step on a GPU, with rules, beside PyTorch's in a CUDA graph, without: alternating rounds, medians.

    python3 benches/peers/gpu_step.py --ours target/release/rulebound
    python3 benches/peers/gpu_step.py --ours target/release/rulebound --members 10

Needs PyTorch with CUDA, and the paper's data in RULEBOUND_DATA for our side. `scripts/gpu-check run` calls it where PyTorch is installed.
PyTorch: fused Adam, the whole step in a graph, no constraint layer; float32, and with TF32 products; several members as one batched
product. Ours: `--precision fp32` and `tf32`. `--device cpu` times PyTorch without a graph, to try this script where there is no GPU.
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
BATCHES = [4, 16, 32, 64, 128, 256, 512, 2048]
PRECISIONS = {"fp32": False, "tf32": True}


class Members(torch.nn.Module):
    """Networks of one shape, computed together."""

    def __init__(self, widths, members):
        super().__init__()
        layers = list(zip(widths, widths[1:]))
        uniform = lambda *size: torch.nn.Parameter(2 * torch.rand(*size) - 1)
        self.weights = torch.nn.ParameterList(uniform(members, a, b) for a, b in layers)
        self.biases = torch.nn.ParameterList(uniform(members, 1, b) for _, b in layers)
        with torch.no_grad():
            for (a, _), weight, bias in zip(layers, self.weights, self.biases):
                weight.div_(a ** 0.5), bias.div_(a ** 0.5)

    def forward(self, rows):
        last = len(self.weights) - 1
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            rows = torch.baddbmm(bias, rows, weight)
            if layer < last:
                rows = torch.nn.functional.dropout(torch.relu(rows), 0.7)
        return rows


class Step:
    """A training step on rows that stay where the network is."""

    def __init__(self, shape, batch, members, device):
        widths = [int(width) for width in shape.split("-")]
        self.device = device
        several = [members] if members > 1 else []
        self.model = (Members(widths, members) if several else network(widths)).to(device).train()
        self.features = torch.randn(*several, batch, widths[0], device=device)
        self.targets = (torch.rand(*several, batch, widths[-1], device=device) < 0.02).float()
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


def theirs(shape, batch, members, device, tf32, seconds):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    step = Step(shape, batch, members, device)
    found = step.microseconds(seconds)
    del step
    if device == "cuda":
        torch.cuda.empty_cache()
    return found


def ours(options):
    """{(shape, batch, precision): µs} of one run."""
    words = [options.ours, "bench", "gpu", "--steps-only", "--json", "--batch", ",".join(map(str, options.batch)),
             "--precision", ",".join(PRECISIONS), "--members", str(options.members), "--seconds", str(options.seconds),
             "--sets", ",".join(SHAPES[shape] for shape in options.shapes)]
    steps = json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout)["steps"]
    return {(step["shape"], step["batch"], step["precision"]): step["microseconds"] for step in steps}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--ours", metavar="FILE", help="the command rulebound [default: PyTorch alone]")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=0.3, help="measured time per figure")
    arguments.add_argument("--shapes", nargs="+", default=list(SHAPES), metavar="SHAPE")
    arguments.add_argument("--members", type=int, default=1)
    arguments.add_argument("--batch", nargs="+", type=int, default=BATCHES, metavar="SIZE")
    arguments.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    options = arguments.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU; --device cpu tries this script without one")
    found = {}
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        if options.ours:
            for (shape, batch, precision), value in ours(options).items():
                found.setdefault((shape, batch), {}).setdefault(f"ours {precision}", []).append(value)
        for shape in options.shapes:
            for batch in options.batch:
                for name, tf32 in PRECISIONS.items():
                    value = theirs(shape, batch, options.members, options.device, tf32, options.seconds)
                    found.setdefault((shape, batch), {}).setdefault(name, []).append(value)
    machine = torch.cuda.get_device_name() if options.device == "cuda" else "CPU, no graph"
    members = "one member" if options.members == 1 else f"{options.members} members"
    print(f"PyTorch {torch.__version__}, {machine}, {members}, {options.rounds} rounds, median µs per step; ratios are ours / PyTorch\n")
    print("| network | batch | ours fp32 | PyTorch fp32 | ratio | ours tf32 | PyTorch tf32 | ratio |")
    print("|---" * 8 + "|")
    for (shape, batch), times in found.items():
        mid = {name: statistics.median(values) for name, values in times.items()}
        cells = [shape, str(batch)]
        for name in PRECISIONS:
            pair = [mid.get(f"ours {name}"), mid.get(name)]
            cells += [f"{value:.0f}" if value else "–" for value in pair]
            cells.append(f"{pair[0] / pair[1]:.2f}" if all(pair) else "–")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

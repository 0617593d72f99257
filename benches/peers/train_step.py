"""One training step in PyTorch, timed: one variant, one shape, one number of threads per process.

A process measures one thing only, because the C allocator reads its environment once and adapts to
what it has seen. `run` starts these processes in alternating rounds.

    python train_step.py --shape 77-500-500-4126 --batch 4 --adam fused --threads 2
"""

import argparse
import json
import resource
import statistics
import time

import torch
from torch.nn import functional

import hierarchy

ROWS = 400
# Rows and columns of the matrices whose product gives the speed that products can reach.
GEMM = 2048


def network(shape):
    """Linear, ReLU and dropout for every hidden layer, then Linear to the logits."""
    layers = []
    for inputs, outputs in zip(shape[:-2], shape[1:-1]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU(), torch.nn.Dropout(0.7)]
    return torch.nn.Sequential(*layers, torch.nn.Linear(shape[-2], shape[-1]))


def dense_constraint_loss(mask):
    """The published formula, float32: stack the scores n times, mask, take the maximum of each row.

    CM = max(M * H), and the loss is BCE((1 - y) * CM + y * max(M * H'), y) where H' stacks h * y (the
    definition; the paper's section on GPUs prints CM * y there). `expand` stacks without a copy.
    """

    def row_maxima(scores):
        stacked = scores.unsqueeze(1).expand(-1, mask.shape[0], -1)
        return (stacked * mask).max(dim=2).values

    def loss(logits, targets):
        scores = torch.sigmoid(logits)
        constrained = (1 - targets) * row_maxima(scores) + targets * row_maxima(scores * targets)
        return functional.binary_cross_entropy(constrained, targets)

    return loss


def plain_losses():
    """Two ways to write the same loss; which is faster depends on the shape, so both are timed."""
    return {
        "logits": functional.binary_cross_entropy_with_logits,
        "sigmoid": lambda logits, targets: functional.binary_cross_entropy(
            torch.sigmoid(logits), targets
        ),
    }


def rows(shape, mask, count):
    """Features and targets, resident in memory; a row's targets are closed under the hierarchy."""
    features = torch.randn(count, shape[0])
    targets = torch.zeros(count, shape[-1])
    for row in targets:
        for label in torch.randint(shape[-1], (4,)):
            row.logical_or_(mask[:, label]) if mask is not None else row[label].fill_(1)
    return features, targets


def measure(step, seconds, least):
    """Milliseconds of single steps, after a warm-up of half the time, and page faults per step."""
    end, warm = time.perf_counter() + seconds / 2, 0
    while warm < 3 or time.perf_counter() < end:
        step(warm)
        warm += 1
    times, cpu, faults = [], [], resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
        step(len(times))
        times.append((time.perf_counter_ns() - start) / 1e6)
        cpu.append((time.process_time_ns() - cpu_start) / 1e6)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    return {
        "median_ms": statistics.median(times),
        "median_cpu_ms": statistics.median(cpu),
        "p10_ms": tenths[0],
        "p90_ms": tenths[-1],
        "steps": len(times),
        "page_faults_per_step": round(faults / len(times), 1),
    }


def gemm_gflops(seconds, clock):
    """Billions of operations per second in a large product: the best of several."""
    left, right = torch.randn(GEMM, GEMM), torch.randn(GEMM, GEMM)
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = clock()
        torch.mm(left, right)
        best = min(best, clock() - start)
    return 2 * GEMM**3 / best / 1e9


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--shape", required=True, help="features-hidden-...-classes")
    arguments.add_argument("--adam", choices=["fused", "default"], default="fused")
    arguments.add_argument("--constraint", choices=["none", "dense"], default="none")
    arguments.add_argument("--batch", type=int, default=4)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--seconds", type=float, default=1.0, help="measured time per loss")
    arguments.add_argument("--least", type=int, default=3, help="fewest steps to measure")
    arguments.add_argument("--gemm", action="store_true", help="also measure a large product")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    shape = [int(width) for width in options.shape.split("-")]
    mask, losses, origin = None, plain_losses(), None
    if options.constraint == "dense":
        matrix, origin = hierarchy.mask(shape[-1])
        mask = torch.from_numpy(matrix)
        losses = {"dense": dense_constraint_loss(mask)}
    model = network(shape).train()
    size = options.batch
    count = -(-max(ROWS, 2 * size) // size) * size
    features, targets = rows(shape, mask, count)
    # `fused=None` is what a user gets who says nothing: on a CPU, one tensor after the other.
    optimizer = torch.optim.Adam(
        model.parameters(), lr=1e-4, weight_decay=1e-5,
        fused=True if options.adam == "fused" else None,
    )
    results = {}
    for name, loss in losses.items():
        def step(number):
            first = number * size % count
            batch = slice(first, first + size)
            optimizer.zero_grad()
            loss(model(features[batch]), targets[batch]).backward()
            optimizer.step()

        results[name] = measure(step, options.seconds, options.least)
    gemm = None
    if options.gemm:
        clock = time.process_time if options.threads == 1 else time.perf_counter
        gemm = gemm_gflops(options.seconds, clock)
    if options.json:
        print(json.dumps({"torch": torch.__version__, "hierarchy": origin, "losses": results,
                          "gemm_gflops": gemm}))
    else:
        for name, result in results.items():
            print(name, " ".join(f"{key} {value:.4g}" for key, value in result.items()))


if __name__ == "__main__":
    main()

"""Checks and measures `rulebound.torch` on an NVIDIA GPU, without pytest and without a network.

    python crates/python/tests/cuda_check.py            everything
    python crates/python/tests/cuda_check.py --quick    no measurements
    python crates/python/tests/cuda_check.py --cpu      rehearses, without a GPU, whatever can run on the CPU

Every result of the GPU is compared with the CPU: values, delegates and gradients of the layer bit for bit.
After an error of the GPU nothing works in a process, so a failure starts a new one for the tasks that are left;
the failed one is run once more with CUDA_LAUNCH_BLOCKING=1, to see where it fails. The last lines are a table.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import traceback

import torch

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss

REHEARSAL = "--cpu" in sys.argv
GPU = torch.device("cpu" if REHEARSAL else "cuda:0")
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def names(classes: int) -> list[str]:
    return [f"c{label}" for label in range(classes)]


def hierarchy(classes: int, edges: int, levels: int, seed: int = 0) -> rb.Rules:
    """A graph of so many edges from child to parent, as deep as it says."""
    draw = random.Random(seed)
    level = [label * levels // classes for label in range(classes)]
    by_level = [[label for label in range(classes) if level[label] == at] for at in range(levels)]
    pairs = {(label, draw.choice(by_level[level[label] - 1])) for label in range(classes) if level[label] > 0}
    while len(pairs) < edges:
        child = draw.randrange(classes)
        if level[child] > 0:
            pairs.add((child, draw.choice(by_level[draw.randrange(level[child])])))
    text = "\n".join(f"c{child} -> c{parent}" for child, parent in sorted(pairs))
    return rb.Rules.parse(text, labels=names(classes))


def program(draw: random.Random, classes: int, rules: int, cycles: bool) -> rb.Rules | None:
    """Random rules with facts, negation and, if wanted, cycles; none if they are not stratified."""
    lines = []
    for _ in range(rules):
        head = draw.randrange(classes)
        body = [label for label in draw.sample(range(classes), min(classes, draw.choice([1, 1, 1, 2, 3])))]
        if draw.random() < 0.05:
            lines.append(f"-> c{head}")
            continue
        literals = []
        for label in body:
            if label > head and draw.random() < 0.2:
                literals.append(f"not c{label}")
            elif label > head or (cycles and label != head):
                literals.append(f"c{label}")
        if literals:
            lines.append(f"{', '.join(literals)} -> c{head}")
    try:
        return rb.Rules.parse("\n".join(lines), labels=names(classes)) if lines else None
    except rb.RuleError:
        return None


def scores(rows: int, classes: int, dtype: torch.dtype, probabilities: bool, seed: int) -> torch.Tensor:
    """Numbers with many ties, zeros and infinities among them."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(rows, classes, generator=generator)
    how = torch.rand(rows, classes, generator=generator)
    if probabilities:
        return torch.where(how < 0.4, (x * 4).round() / 4, x).to(dtype)
    x = torch.where(how < 0.4, ((x - 0.5) * 6).round(), (x - 0.5) * 6)
    x = torch.where((how > 0.95) & (how < 0.96), float("inf"), x)
    return torch.where((how > 0.96) & (how < 0.97), -float("inf"), x).to(dtype)


def assert_same(ours: torch.Tensor, host: torch.Tensor, what: str) -> None:
    """Bit for bit."""
    assert ours.dtype == host.dtype and ours.shape == host.shape, what
    ours = ours.cpu()
    if ours.is_floating_point():
        kind = BITS[ours.element_size()]
        ours, host = ours.view(kind), host.view(kind)
    assert torch.equal(ours, host), f"{what}: {int((ours != host).sum())} of {ours.numel()} differ"


def check_rules(rules: rb.Rules, rows: int, seed: int, dtypes: list[torch.dtype] = DTYPES) -> None:
    classes = len(rules.labels)
    for kind in ("logits", "probabilities"):
        host = ConstraintLayer(rules, kind=kind)
        ours = ConstraintLayer(rules, kind=kind).to(GPU)
        for dtype in dtypes:
            x = scores(rows, classes, dtype, kind == "probabilities", seed)
            on_gpu = x.to(GPU).requires_grad_()
            x.requires_grad_()
            what = f"{classes} classes, {rows} rows, {kind}, {dtype}"
            values, expected = ours(on_gpu), host(x)
            assert_same(values.detach(), expected.detach(), what)
            assert_same(ours.delegates(on_gpu), host.delegates(x), f"delegates of {what}")
            outer = torch.randn(rows, classes, generator=torch.Generator().manual_seed(seed + 1)).to(dtype)
            expected.backward(outer)
            values.backward(outer.to(GPU))
            assert_same(on_gpu.grad, x.grad, f"gradient of {what}")
    host_loss, our_loss = ConstraintLoss(rules), ConstraintLoss(rules).to(GPU)
    for dtype in dtypes:
        x = scores(rows, classes, dtype, False, seed).clamp(-30, 30)
        target = scores(rows, classes, torch.float32, False, seed + 2) > 0
        if seed % 2:
            target = ConstraintLayer(rules)(target.float() - 0.5) > 0
        selected = our_loss.select(x.to(GPU), target.to(GPU))
        assert_same(selected, host_loss.select(x, target), f"selection, {classes} classes, {dtype}")
        on_gpu = x.to(GPU).requires_grad_()
        x.requires_grad_()
        ours, expected = our_loss(on_gpu, target.to(GPU)), host_loss(x, target)
        ours.backward()
        expected.backward()
        tolerance = 1e-12 if dtype == torch.float64 else 1e-5
        torch.testing.assert_close(ours.cpu(), expected, rtol=tolerance, atol=tolerance)
        tolerance = {torch.float64: 1e-12, torch.float32: 1e-5}.get(dtype, 1e-2)
        torch.testing.assert_close(on_gpu.grad.cpu(), x.grad, rtol=tolerance, atol=tolerance / 10)
        assert int(our_loss.count_broken(target.to(GPU))) == int(host_loss.count_broken(target))


def check_random_programs() -> None:
    draw = random.Random(1)
    count = 0
    while count < 150:
        classes = draw.choice([1, 2, 5, 9, 40, 130, 700])
        rules = program(draw, classes, draw.choice([classes, 2 * classes]), draw.random() < 0.5)
        if rules is None:
            continue
        check_rules(rules, draw.choice([1, 2, 3, 5, 64, 200, 1030]) if classes < 700 else 70, count)
        count += 1


def check_gene_ontology_shape() -> None:
    rules = hierarchy(4126, 5830, 13)
    for rows in (1, 64, 133, 300, 1023):
        check_rules(rules, rows, rows, [torch.float32, torch.bfloat16])
    check_rules(rules, 40, 3, [torch.float64])


def check_many_classes() -> None:
    """More than fit into the memory of a block."""
    for classes in (20_000, 70_000):
        check_rules(hierarchy(classes, classes + 5000, 9), 5, 1, [torch.float16, torch.float32, torch.float64])


def check_requirements() -> None:
    """They are settled on the CPU, so every bit is that of the CPU."""
    rules = rb.Rules.parse(
        "car -> vehicle\ntruck -> vehicle\nexclusive(car, truck, bus)\nlight -> one of(red, amber, green)\n"
        "red, car -> not moves\nmoves | stops\nnot (moves, stops)\n-> not ghost"
    )
    for seed, rows in enumerate((1, 5, 1030)):
        check_rules(rules, rows, seed)
    x = scores(100, len(rules.labels), torch.float32, False, 3)
    target = scores(100, len(rules.labels), torch.float32, False, 4) > 0
    loss = ConstraintLoss(rules)
    expected, broken = loss.select(x, target), loss.count_broken(target)
    loss = loss.to(GPU)
    assert_same(loss.select(x.to(GPU), target.to(GPU)), expected, "selection beside requirements")
    assert loss.count_broken(target.to(GPU)).cpu() == broken


def check_many_sets_of_rules() -> None:
    """More than are kept: an older one is read from the GPU again."""
    layers = [ConstraintLayer(f"a{at} -> b").to(GPU) for at in range(150)]
    x = torch.tensor([2.0, 1.0], device=GPU)
    for layer in layers + layers[:3]:
        assert layer(x).tolist() == [2.0, 2.0]


def check_nan() -> None:
    layer = ConstraintLayer("a -> b\nb -> a\n", kind="logits").to(GPU)
    x = torch.tensor([[1.0, 2.0], [float("nan"), 1.0], [3.0, 1.0]], device=GPU)
    y = layer(x)
    assert y[1].isnan().all() and torch.equal(y[[0, 2]].cpu(), torch.tensor([[2.0, 2.0], [3.0, 3.0]]))
    strict = ConstraintLayer("a -> b", check=True).to(GPU)
    try:
        strict(x)
    except ValueError as error:
        assert "row 1" in str(error)
    else:
        raise AssertionError("no error")
    p = ConstraintLayer("a -> b", kind="probabilities").to(GPU)(torch.tensor([[0.5, 1.5]], device=GPU))
    assert p.isnan().all()


def check_wrong_place() -> None:
    try:
        ConstraintLayer("a -> b")(torch.zeros(2, device=GPU))
    except ValueError as error:
        assert ".to('cuda:0')" in str(error), error
    else:
        raise AssertionError("no error")


def check_streams() -> None:
    rules = hierarchy(500, 700, 6)
    layer, host = ConstraintLayer(rules).to(GPU), ConstraintLayer(rules)
    x = scores(256, 500, torch.float32, False, 5)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        on_gpu = x.to(GPU)
        for _ in range(20):
            on_gpu = layer(on_gpu * 1.0)
    side.synchronize()
    assert_same(on_gpu, host(x), "side stream")


def check_graph() -> None:
    rules = hierarchy(500, 700, 6)
    layer, host = ConstraintLayer(rules).to(GPU), ConstraintLayer(rules)
    static = torch.zeros(64, 500, device=GPU, requires_grad=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            layer(static).sum().backward()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    static.grad = None
    with torch.cuda.graph(graph):
        y = layer(static)
        y.sum().backward()
    for seed in range(3):
        x = scores(64, 500, torch.float32, False, seed).clamp(-9, 9)
        static.data.copy_(x)
        graph.replay()
        x.requires_grad_()
        expected = host(x)
        expected.sum().backward()
        assert_same(y.detach(), expected.detach(), "graph")
        assert_same(static.grad, x.grad, "gradient in a graph")
    graphed = torch.cuda.make_graphed_callables(
        torch.nn.Sequential(torch.nn.Linear(20, 500), layer).to(GPU), (torch.randn(8, 20, device=GPU),)
    )
    graphed(torch.randn(8, 20, device=GPU)).sum().backward()


def check_loss_graph() -> None:
    rules = hierarchy(500, 700, 6)
    loss = ConstraintLoss(rules, evaluated=rules.labels[10:]).to(GPU)
    x = torch.randn(64, 500, device=GPU, requires_grad=True)
    target = torch.rand(64, 500, device=GPU) < 0.1
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        loss(x, target).backward()
    torch.cuda.current_stream().wait_stream(side)
    expected = loss(x, target)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = loss(x, target)
    graph.replay()
    assert_same(value.detach(), expected.detach().cpu(), "loss in a graph")


def check_derivatives() -> None:
    text = "a -> b\nb, not c -> d\nd -> e\ne -> d"
    layer, loss = ConstraintLayer(text).to(GPU), ConstraintLoss(text).to(GPU)
    x = (torch.randperm(20, generator=torch.Generator().manual_seed(0)).double() - 9.7).reshape(4, 5)
    x = x.to(GPU).requires_grad_()
    target = layer(x.detach()).roll(1, 0) > 0
    for function in (layer, lambda x: loss(x, target)):
        assert torch.autograd.gradcheck(function, (x,), check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(lambda x: torch.tanh(function(x)), (x,))  # noqa: B023


def check_operators() -> None:
    layer = ConstraintLayer("a -> b\nb, not c -> d").to(GPU)
    ops = torch.ops.rulebound
    for dtype in DTYPES:
        for x in (torch.randn(3, 4, device=GPU), torch.randn(4, 3, device=GPU).T, torch.randn(0, 4, device=GPU)):
            x = x.to(dtype)
            target = x > 0
            delegates = ops.layer(x, layer.packed, layer.key, False)[1]
            torch.library.opcheck(ops.layer.default, (x, layer.packed, layer.key, False))
            torch.library.opcheck(ops.scatter.default, (delegates, x))
            torch.library.opcheck(ops.select.default, (x, target, layer.packed, layer.key))
            torch.library.opcheck(ops.loss.default, (x, target, layer.packed, layer.key, None, True))


def check_compiled() -> None:
    rules = hierarchy(500, 700, 6)
    network = torch.nn.Sequential(torch.nn.Linear(20, 500), ConstraintLayer(rules)).to(GPU)
    x = torch.randn(16, 20, device=GPU)
    network(x).sum().backward()
    expected = network[0].weight.grad.clone()
    try:
        import triton  # noqa: F401

        mode = {"mode": "reduce-overhead"}
    except ImportError:
        mode = {"backend": "aot_eager"}
    compiled = torch.compile(network, fullgraph=True, **mode)
    for _ in range(4):
        network.zero_grad()
        compiled(x).sum().backward()
    torch.testing.assert_close(network[0].weight.grad, expected, rtol=1e-4, atol=1e-4)
    print(f"   compiled with {mode}")


def check_training() -> None:
    """Mixed precision, a scaler, and a step that lowers the loss."""
    rules = hierarchy(100, 150, 4)
    torch.manual_seed(0)
    network = torch.nn.Linear(30, 100).to(GPU)
    loss, layer = ConstraintLoss(rules).to(GPU), ConstraintLayer(rules).to(GPU)
    x = torch.randn(256, 30, device=GPU)
    target = layer(network(x).detach() - 1) > 0
    torch.nn.init.zeros_(network.weight)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler(GPU.type)
    values = []
    for _ in range(60):
        optimizer.zero_grad()
        with torch.autocast(GPU.type, dtype=torch.float16):
            value = loss(network(x), target)
        assert value.dtype == torch.float32
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()
        values.append(value.item())
    assert values[-1] < 0.7 * values[0], values


def check_devices() -> None:
    """Several GPUs: the current one stays what it was."""
    if torch.cuda.device_count() < 2:
        print("   one GPU: nothing about several")
        return
    other = torch.device("cuda:1")
    layer, x = ConstraintLayer("a -> b").to(other), torch.tensor([1.0, -1.0], device=other)
    assert torch.equal(layer(x).cpu(), torch.tensor([1.0, 1.0])) and torch.cuda.current_device() == 0


def time_first_calls() -> None:
    """The first calls of a new process, without the driver's cache: at most a second each."""
    code = (
        "import time, torch, rulebound as rb\n"
        "from rulebound.torch import ConstraintLayer, ConstraintLoss\n"
        "x = torch.zeros(4, 2, device='cuda', requires_grad=True); (x * 2).sum().backward()\n"
        "torch.cuda.synchronize()\n"
        "layer, loss = ConstraintLayer('a -> b').to('cuda'), ConstraintLoss('a -> b').to('cuda')\n"
        "def first(act):\n"
        "    start = time.perf_counter(); act().backward(); torch.cuda.synchronize()\n"
        "    return 1e3 * (time.perf_counter() - start)\n"
        "calls = {'layer': lambda: layer(x).sum(), 'loss': lambda: loss(x, x > 0)}\n"
        "import sys\n"
        "print(*[first(calls[name]) for name in sys.argv[1:]])\n"
    )
    environment = {**os.environ, "CUDA_CACHE_DISABLE": "1"}
    for calls in (["layer", "loss"], ["loss"]):
        command = [sys.executable, "-c", code, *calls]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for name, milliseconds in zip(calls, map(float, done.stdout.split()), strict=True):
            note(f"first {name} of a process that starts with the {calls[0]}", milliseconds, "ms", 1000.0)


def microseconds(act, inner: int = 20, repeats: int = 15) -> float:
    """The time of one call inside of a CUDA graph of several: the best of some repeats."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            act()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(inner):
            act()
    best = float("inf")
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        best = min(best, 1e3 * start.elapsed_time(end) / inner)
    return best


def time_kernels(rules: rb.Rules, rows: int, title: str) -> None:
    """Layer with delegates, its gradient, and the loss with its gradient, beside a copy of the same bytes."""
    classes = len(rules.labels)
    ops = torch.ops.rulebound
    layer, loss = ConstraintLayer(rules).to(GPU), ConstraintLoss(rules).to(GPU)
    x = torch.randn(rows, classes, device=GPU)
    to, target = torch.empty_like(x), torch.rand(rows, classes, device=GPU) < 0.02
    copy = microseconds(lambda: to.copy_(x))
    note(f"{title} x {rows}: copy", copy, "µs")
    layer_time = microseconds(lambda: ops.layer(x, layer.packed, layer.key, False))
    is_barred = title == "Gene Ontology"
    note(f"{title} x {rows}: layer with delegates", layer_time, "µs", 20.0 if is_barred and rows <= 64 else None)
    note(f"{title} x {rows}: layer by copy", layer_time / copy, "x", 6.0 if is_barred and rows == 1024 else None)
    delegates = ops.layer(x, layer.packed, layer.key, False)[1]
    note(f"{title} x {rows}: gradient of the layer", microseconds(lambda: ops.scatter(delegates, x)), "µs")
    loss_time = microseconds(lambda: ops.loss(x, target, loss.packed, loss.key, None, True))
    note(f"{title} x {rows}: loss with gradient", loss_time, "µs")
    half = x.to(torch.bfloat16)
    half_time = microseconds(lambda: ops.layer(half, layer.packed, layer.key, False))
    note(f"{title} x {rows}: layer with delegates, bfloat16", half_time, "µs")


def time_gene_ontology() -> None:
    rules = hierarchy(4126, 5830, 13)
    for rows in (1, 4, 16, 64, 256, 1024, 4096):
        time_kernels(rules, rows, "Gene Ontology")


def time_funcat() -> None:
    rules = hierarchy(500, 499, 6)
    for rows in (4, 64, 1024):
        time_kernels(rules, rows, "FunCat")


def time_eager() -> None:
    """What a call costs the host, where nothing is recorded."""
    layer = ConstraintLayer(hierarchy(4126, 5830, 13)).to(GPU)
    x = torch.randn(64, 4126, device=GPU)
    for title, act in (("relu", lambda: torch.relu(x)), ("layer", lambda: layer(x))):
        act()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            act()
        host = time.perf_counter() - start
        torch.cuda.synchronize()
        note(f"host, {title} x 64 rows", 1e6 * host / 200, "µs")


def note(what: str, value: float, unit: str, bar: float | None = None) -> None:
    """One measurement; with a bar that it misses, the task goes on and the table says so."""
    verdict = "" if bar is None else f"at most {bar:g}: {'holds' if value <= bar else 'MISSED'}"
    print(f"| {what} | {value:.1f} {unit} | {verdict} |", flush=True)


def tasks() -> list[str]:
    """Names of checks and, unless left out, of measurements."""
    kinds = ["check_"] if "--quick" in sys.argv or REHEARSAL else ["check_", "time_"]
    found = [name for kind in kinds for name in sorted(globals()) if name.startswith(kind)]
    only_on_a_gpu = {"check_streams", "check_graph", "check_loss_graph", "check_nan", "check_wrong_place"}
    left_out = {"check_rules", "time_kernels"} | (only_on_a_gpu if REHEARSAL else set())
    return [name for name in found if name not in left_out]


def run(names: list[str]) -> int:
    """Runs tasks up to the first that fails."""
    for name in names:
        start = time.perf_counter()
        try:
            globals()[name]()
            if not REHEARSAL:
                torch.cuda.synchronize()
        except Exception:
            traceback.print_exc()
            print(f"FAIL {name}", flush=True)
            return 1
        print(f"ok   {name} {time.perf_counter() - start:.1f} s", flush=True)
    return 0


def in_a_process(names: list[str], **environment: str) -> tuple[list[str], list[str]]:
    """The tasks that passed, and lines of the table, of a new process."""
    command = [sys.executable, __file__, *sys.argv[1:], "--run", *names]
    child = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    passed, lines = [], []
    for line in child.stdout or ():
        print(line, end="", flush=True)
        if line.startswith("ok "):
            passed.append(line.split()[1])
        if line.startswith("|"):
            lines.append(line.rstrip())
    child.wait()
    return passed, lines


def main() -> int:
    if "--run" in sys.argv:
        return run(sys.argv[sys.argv.index("--run") + 1 :])
    if not REHEARSAL and not torch.cuda.is_available():
        print("no usable GPU: nothing was checked")
        return 1
    left, failed, table = tasks(), [], []
    while left:
        passed, lines = in_a_process(left)
        table += [f"| {name} | passed | |" for name in passed if name.startswith("check_")] + lines
        left = left[len(passed) :]
        if left:
            failed.append(left.pop(0))
            table.append(f"| {failed[-1]} | FAILED | |")
            print(f"once more, to see where {failed[-1]} fails", flush=True)
            in_a_process(failed[-1:], CUDA_LAUNCH_BLOCKING="1")
    where = "the CPU, as a rehearsal" if REHEARSAL else torch.cuda.get_device_name()
    print(f"\n{where}, PyTorch {torch.__version__}, rulebound {rb.__version__}\n")
    print("| what | result | bar |\n|---|---|---|", *table, sep="\n")
    print(f"\n{len(tasks()) - len(failed)} of {len(tasks())} tasks passed", *failed)
    return bool(failed) or any("MISSED" in line for line in table)


if __name__ == "__main__":
    sys.exit(main())

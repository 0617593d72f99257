"""Checks and measures `rulebound.torch` on an NVIDIA GPU, without pytest and without a network.

    python crates/python/tests/cuda_check.py            everything
    python crates/python/tests/cuda_check.py --quick    no measurements

Every result of the GPU is compared with the CPU: values, delegates and gradients of the layer bit for bit.
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

GPU = torch.device("cuda:0")
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
    scaler = torch.amp.GradScaler("cuda")
    values = []
    for _ in range(60):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            value = loss(network(x), target)
        assert value.dtype == torch.float32
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()
        values.append(float(value))
    assert values[-1] < 0.7 * values[0], values


def check_devices() -> None:
    if torch.cuda.device_count() < 2:
        print("   one GPU: nothing about several")
        return
    other = torch.device("cuda:1")
    layer, x = ConstraintLayer("a -> b").to(other), torch.tensor([1.0, -1.0], device=other)
    assert torch.equal(layer(x).cpu(), torch.tensor([1.0, 1.0])) and torch.cuda.current_device() == 0


def cold() -> None:
    """The first calls of a new process, without the driver's cache."""
    code = (
        "import time, torch, rulebound as rb\n"
        "from rulebound.torch import ConstraintLayer, ConstraintLoss\n"
        "x = torch.zeros(4, 2, device='cuda', requires_grad=True); (x * 2).sum().backward()\n"
        "torch.cuda.synchronize()\n"
        "layer, loss = ConstraintLayer('a -> b').to('cuda'), ConstraintLoss('a -> b').to('cuda')\n"
        "start = time.perf_counter(); layer(x).sum().backward(); torch.cuda.synchronize()\n"
        "print(f'first layer {1e3 * (time.perf_counter() - start):.1f} ms')\n"
        "start = time.perf_counter(); loss(x, x > 0).backward(); torch.cuda.synchronize()\n"
        "print(f'first loss {1e3 * (time.perf_counter() - start):.1f} ms')\n"
    )
    environment = {**os.environ, "CUDA_CACHE_DISABLE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    print(done.stdout, done.stderr)


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


def measure() -> None:
    print(torch.cuda.get_device_name(), torch.__version__)
    ops = torch.ops.rulebound
    for title, rules in (
        ("Gene Ontology", hierarchy(4126, 5830, 13)),
        ("FunCat", hierarchy(500, 499, 6)),
    ):
        classes = len(rules.labels)
        layer, loss = ConstraintLayer(rules).to(GPU), ConstraintLoss(rules).to(GPU)
        print(f"{title}: {classes} classes; µs in a graph, ratio to a copy")
        for rows in (4, 64, 256, 1024, 4096):
            x = torch.randn(rows, classes, device=GPU)
            to, target = torch.empty_like(x), torch.rand(rows, classes, device=GPU) < 0.02
            copy = microseconds(lambda: to.copy_(x))
            delegates = ops.layer(x, layer.packed, layer.key, False)[1]
            times = {
                "layer": microseconds(lambda: ops.layer(x, layer.packed, layer.key, False)),
                "scatter": microseconds(lambda: ops.scatter(delegates, x)),
                "loss": microseconds(lambda: ops.loss(x, target, loss.packed, loss.key, None, True)),
            }
            shown = "  ".join(f"{name} {time:.1f} ({time / copy:.1f}x)" for name, time in times.items())
            print(f"  {rows:5} rows  copy {copy:.1f}  {shown}")
        half = torch.randn(1024, classes, device=GPU, dtype=torch.bfloat16)
        print(f"  1024 rows of bfloat16: {microseconds(lambda: ops.layer(half, layer.packed, layer.key, False)):.1f}")
    layer = ConstraintLayer(hierarchy(4126, 5830, 13)).to(GPU)
    x = torch.randn(64, 4126, device=GPU)
    for title, act in (
        ("relu", lambda: torch.relu(x)),
        ("layer", lambda: layer(x)),
    ):
        act()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            act()
        host = time.perf_counter() - start
        torch.cuda.synchronize()
        print(f"  eager on the host, {title}: {1e6 * host / 200:.1f} µs")


def checks() -> list[str]:
    return sorted(name for name in globals() if name.startswith("check_") and name != "check_rules")


def run(names: list[str]) -> int:
    """Runs checks up to the first that fails: after an error of the GPU nothing works in a process."""
    for name in names:
        start = time.perf_counter()
        try:
            globals()[name]()
            torch.cuda.synchronize()
        except Exception:
            traceback.print_exc()
            print(f"FAIL {name}", flush=True)
            return 1
        print(f"ok   {name} {time.perf_counter() - start:.1f} s", flush=True)
    return 0


def main() -> int:
    if not torch.cuda.is_available():
        print("no usable GPU: nothing was checked")
        return 1
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2:])
    left, failed = checks(), []
    while left:
        command = [sys.executable, __file__, "--run", *left]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        passed = 0
        for line in child.stdout or ():
            print(line, end="", flush=True)
            passed += line.startswith("ok ")
        if child.wait() != 0:
            failed += left[passed : passed + 1]
        left = left[passed + 1 :]
    if "--quick" not in sys.argv:
        cold()
        measure()
    print(f"{len(checks()) - len(failed)} of {len(checks())} checks passed", *failed)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

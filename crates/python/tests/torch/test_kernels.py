"""The CUDA kernels against the CPU, without a GPU: their sources, compiled for the CPU by emulation.cpp."""

from __future__ import annotations

import ctypes
import pathlib
import shutil
import subprocess

import pytest
import torch
from programs import adversarial, hierarchy, parse, stratified

import rulebound as rb
from rulebound.torch import ConstraintLoss
from rulebound.torch.operators import NUMBERS
from rulebound.torch.packed import pack

CUDA = pathlib.Path(__file__).parents[3] / "engine/src/cuda"
SOURCES = (
    "kernels/softplus", "rules/kernels/numbers", "kernels/tf32",
    *(f"rules/kernels/{name}" for name in ("rules", "lines", "layer", "labels", "loss", "select", "scatter")),
)  # fmt: skip
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


class Outline(ctypes.Structure):
    """What the words of rules start with."""

    _fields_ = [
        (name, ctypes.c_uint) for name in ("classes", "levels", "heads", "literals", "bodies", "cycles", "line_levels", "lines")
    ]


class LossTask(ctypes.Structure):
    _fields_ = [
        ("weights", ctypes.c_void_p),
        ("lacking", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("unknown", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("scale_member", ctypes.c_uint64),
        ("logits", ctypes.c_void_p),
        ("gradient", ctypes.c_void_p),
        ("rests", ctypes.c_void_p),
        ("member", ctypes.c_uint64),
        ("losses", ctypes.c_void_p),
        ("loss_member", ctypes.c_uint64),
        ("bad", ctypes.c_void_p),
        ("slots", ctypes.c_void_p),
        ("step", ctypes.c_void_p),
        ("stride", ctypes.c_uint),
        ("height", ctypes.c_uint),
        ("how", ctypes.c_uint),
    ]


class Batch(ctypes.Structure):
    _fields_ = [
        ("order", ctypes.c_void_p),
        ("order_member", ctypes.c_uint64),
        ("truth", ctypes.c_void_p),
        ("broken", ctypes.c_void_p),
        ("words", ctypes.c_uint),
        ("rows", ctypes.c_uint),
        ("size", ctypes.c_uint),
    ]


WIDE, NARROW, LINES = range(3)


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    sources = "".join((CUDA / f"{name}.cu").read_text() for name in SOURCES)
    # What C++ has no words for: memory whose size a launch decides, and two conversions.
    for given, ours in (
        ("extern __shared__ __align__(16) char inside[];", "char *inside = dynamic_shared;"),
        ('asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));', "value = (float)::bits<_Float16>(bits);"),
        ('asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));', "bits = ::bits<u16>((_Float16)value);"),
    ):
        assert given in sources
        sources = sources.replace(given, ours)
    folder = tmp_path_factory.mktemp("emulation")
    text = (pathlib.Path(__file__).parent / "emulation.cpp").read_text()
    (folder / "kernels.cpp").write_text(text.replace("KERNELS\n", sources))
    checks = ["-fsanitize=alignment", "-fno-sanitize-recover=alignment"]
    command = [str(COMPILER), "-std=c++20", "-O1", "-fno-strict-aliasing", "-shared", "-fPIC", "-w", *checks]
    subprocess.run([*command, "-o", str(folder / "kernels.so"), str(folder / "kernels.cpp")], check=True)
    return ctypes.CDLL(str(folder / "kernels.so"))


def unpacked(packed: torch.Tensor) -> tuple[torch.Tensor, Outline]:
    """The words of the rules in their tensor, and their outline."""
    words = packed[4 : 4 + int(packed[2])].contiguous()
    return words, Outline(*words[:8].tolist())


def address(tensor: torch.Tensor | None) -> ctypes.c_void_p:
    return ctypes.c_void_p(0 if tensor is None else tensor.data_ptr())


def same(ours: torch.Tensor, expected: torch.Tensor) -> bool:
    kind = BITS[ours.element_size()]
    return torch.equal(ours.view(kind), expected.view(kind))


def cases() -> list[tuple[str, rb.Rules]]:
    drawn = [(f"rules {seed}", parse(stratified(seed), 9)) for seed in range(6)]
    drawn += [(f"larger {seed}", parse(stratified(seed, 70, 90, cycles=seed % 2 == 0), 70)) for seed in range(2)]
    drawn.append(("hierarchy", parse(hierarchy(1, 130), 130)))
    # One class with so many rules that threads share them, and one with a few less.
    children = [(parent, [(child, child % 2 == 0)]) for parent, count in ((0, 70), (1, 23)) for child in range(2, 2 + count)]
    drawn.append(("many rules", parse(children, 90)))
    return [*drawn, ("facts", rb.Rules.parse("-> a\n-> b\na -> c")), ("one class", rb.Rules.parse("-> a"))]


CASES = cases()


@pytest.mark.parametrize("rules", [rules for _, rules in CASES], ids=[name for name, _ in CASES])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_layer_and_scatter(emulation: ctypes.CDLL, dtype: torch.dtype, rules: rb.Rules) -> None:
    packed, key = pack(rules)
    words, outline = unpacked(packed)
    classes, kind = outline.classes, NUMBERS[dtype]
    for scale, rows in ((0, 5), (1, 3)):
        x = adversarial(rows, classes, dtype, rows)
        if scale:
            x = torch.rand(rows, classes, generator=torch.Generator().manual_seed(1)).to(dtype)
        expected, who = torch.ops.rulebound.layer(x, packed, key, bool(scale))
        spoiled = x.clone()
        spoiled[1, classes // 2] = float("nan") if not scale else 1.5
        outside = [(1, WIDE, False, True)]
        wide = [(lanes, WIDE, copied, False) for lanes, copied in ((1, True), (1, False), (2, True), (4, True), (4, False))]
        narrow = [(lanes, NARROW, copied, False) for lanes in (1, 2) for copied in (True, False)]
        lines = [(lanes, LINES, False, False) for lanes in (1, 2)]
        for lanes, form, copied, is_outside in (*outside, *wide, *narrow, *lines):
            if form == LINES and outline.lines == 0 or form == NARROW and outline.cycles:
                continue
            if dtype == torch.float64 and (form != WIDE or lanes > 1):
                continue
            for given in (x, spoiled):
                ours, delegates = torch.zeros_like(x), torch.zeros_like(who)
                emulation.emulate_layer(
                    lanes, form, address(words), address(given), address(ours), address(delegates), rows, scale, kind, 2, 64,
                    copied, is_outside,
                )  # fmt: skip
                kept = [row for row in range(rows) if given is x or row != 1]
                assert same(ours[kept], expected[kept]) and torch.equal(delegates[kept], who[kept])
                assert given is x or bool(ours[1].isnan().all())
        gradient = torch.randn(rows, classes, generator=torch.Generator().manual_seed(2)).to(dtype)
        result = torch.zeros_like(gradient)
        emulation.emulate_scatter(address(who), address(gradient), address(result), rows, classes, kind, 2)
        assert same(result, torch.ops.rulebound.scatter(who, gradient))


@pytest.mark.parametrize("rules", [rules for _, rules in CASES], ids=[name for name, _ in CASES])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_selection_and_loss(emulation: ctypes.CDLL, dtype: torch.dtype, rules: rb.Rules) -> None:
    packed, key = pack(rules)
    words, outline = unpacked(packed)
    rows, classes, kind = 5, outline.classes, NUMBERS[dtype]
    generator = torch.Generator().manual_seed(1)
    x = (torch.randn(rows, classes, generator=generator) * 3).round().to(dtype)
    anything = torch.rand(rows, classes, generator=generator) < 0.5
    closed = torch.ops.rulebound.layer(anything.float() - 0.5, packed, key, False)[0] > 0
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    is_certain = torch.rand(rows, classes, generator=generator) < 0.2
    certain = torch.where(is_certain, torch.where(x < 0, -torch.inf, torch.inf).to(dtype), x)
    ways = [(1, WIDE, True), (1, WIDE, False)]
    if dtype != torch.float64:
        ways += [(2, WIDE, True)] + [(lanes, LINES, False) for lanes in (1, 2) if outline.lines]
    mixed = torch.where(torch.arange(rows)[:, None] % 2 == 0, anything, closed)
    for x, target in ((x, anything), (x, closed), (x, mixed), (certain, anything), (certain, closed)):
        is_finite = bool(x.isfinite().all())
        expected, who = torch.ops.rulebound.select(x, target, packed, key)
        evaluated = torch.arange(classes) % 3 != 1
        if is_finite:
            loss, slow, count = torch.ops.rulebound.loss(x, target, packed, key, evaluated, False)
        seen = None
        for lanes, form, copied in ways:
            selected, delegates = torch.zeros_like(x), torch.zeros(rows, classes, dtype=torch.int32)
            common = (lanes, form, address(words), address(x), address(target))
            after = (rows, kind, 2, 64, copied)
            emulation.emulate_select(*common, address(selected), address(delegates), None, None, None, *after)
            assert same(selected, expected)
            # Facts are constants of one name or another here.
            assert torch.equal(delegates.clamp(min=-1), who.clamp(min=-1))
            losses, broken = torch.zeros(rows, dtype=torch.float64), torch.zeros(rows, dtype=torch.int32)
            slopes, gradient = torch.zeros(rows, classes, dtype=wide), torch.zeros(rows, classes, dtype=wide)
            emulation.emulate_select(
                *common, address(slopes), address(delegates), address(losses), address(broken), address(evaluated), *after
            )
            emulation.emulate_scatter(
                address(delegates), address(slopes), address(gradient), rows, classes, 3 if kind == 3 else 2, 2
            )
            if not is_finite:
                continue
            assert int(broken.sum()) == int(count)
            torch.testing.assert_close(losses.sum().to(wide), loss)
            torch.testing.assert_close(gradient, slow, rtol=1e-5, atol=1e-6)
            # Bits depend neither on the rows of a block nor on how it reads the rules.
            assert seen is None or torch.equal(seen[0], losses) and torch.equal(seen[1], gradient)
            seen = losses, gradient


@pytest.mark.parametrize("rules", [rules for _, rules in CASES], ids=[name for name, _ in CASES])
@pytest.mark.parametrize("seed", range(4))
def test_loss_of_training(emulation: ctypes.CDLL, rules: rb.Rules, seed: int) -> None:
    """A step of two of three members: a batch that is not full, rows whose labels break rules, weights, padded rows."""
    packed, key = pack(rules)
    words, outline = unpacked(packed)
    classes, rows, size, slots = outline.classes, 11, 7, 3
    height, stride, step = size + seed % 2, (classes + 15) // 16 * 16 if seed % 2 else classes, seed // 2
    count = min(size, rows - step * size)
    generator = torch.Generator().manual_seed(seed)
    anything = torch.rand(rows + 1, classes, generator=generator) < 0.3
    closed = torch.ops.rulebound.layer(anything.float() - 0.5, packed, key, False)[0] > 0
    truth = torch.where(torch.arange(rows + 1)[:, None] % 3 == 0, anything, closed) if seed != 1 else closed
    broken = (truth != (torch.ops.rulebound.layer(truth.float() - 0.5, packed, key, False)[0] > 0)).any(dim=1).to(torch.uint8)
    bits = torch.zeros(rows + 1, (classes + 31) // 32, dtype=torch.int64)
    for label in range(classes):
        bits[:, label // 32] |= truth[:, label].long() << label % 32
    bits = bits.to(torch.int32)
    order = torch.stack([torch.randperm(rows, generator=generator) for _ in range(slots)])
    padding = torch.full((slots, 2 * size), rows)
    order = torch.cat([order, padding], dim=1).to(torch.int32)
    weights = (torch.arange(classes) % 4 != 1).float() if classes > 1 else torch.ones(1)
    logits = torch.randn(slots, height, stride, generator=generator) * 3
    logits = torch.where(torch.rand(logits.shape, generator=generator) < 0.7, logits.round(), logits)
    members, chosen = 2, torch.tensor([2, 0], dtype=torch.int32)
    first = torch.tensor([step], dtype=torch.int32)
    # In the last of the seeds terms differ: by class, by side, by row, and by what is known.
    differ = seed == 3
    lacking = weights * torch.rand(classes, generator=generator) if differ else weights
    of_rows = torch.rand(rows + 1, generator=generator).round(decimals=1) if differ else torch.ones(rows + 1)
    hidden = torch.rand(rows + 1, classes, generator=generator) < 0.2 if differ else torch.zeros(rows + 1, classes, dtype=torch.bool)
    unknown = torch.zeros_like(bits, dtype=torch.int64)
    for label in range(classes):
        unknown[:, label // 32] |= hidden[:, label].long() << label % 32
    unknown = unknown.to(torch.int32)
    of_terms = torch.where(truth, weights, lacking) * of_rows[:, None] * ~hidden
    places = order.shape[1]
    steps = [order[slot, step * size : step * size + count].long() for slot in range(slots)]
    scales = torch.zeros(slots, 2, dtype=torch.float64)
    scales[:, step] = torch.stack([1.0 / (of_terms[examples] != 0).sum().clamp(min=1) for examples in steps])
    batch = Batch(
        order.data_ptr(), places, bits.data_ptr(), broken.data_ptr() if broken.any() else None, bits.shape[1], rows, size
    )
    ways = [(1, WIDE, True, False), (1, WIDE, False, False), (2, WIDE, True, False), (1, WIDE, False, True)]
    ways += [(lanes, LINES, False, False) for lanes in (1, 2, 4) if outline.lines]
    seen = None
    for lanes, form, copied, outside in ways:
        for threads in (32, 64, 96):
            gradient = torch.full_like(logits, 7.5)
            losses, bad = torch.zeros(slots, places, dtype=torch.float64), torch.zeros(slots, dtype=torch.int32)
            rests = torch.full_like(logits, 7.5)
            others = [lacking.data_ptr(), of_rows.data_ptr(), unknown.data_ptr()] if differ else [None] * 3
            task = LossTask(
                weights.data_ptr(), *others, scales.data_ptr(), 2, logits.data_ptr(), gradient.data_ptr(), rests.data_ptr(),
                height * stride, losses.data_ptr(), places, bad.data_ptr(), chosen.data_ptr(), first.data_ptr(), stride, height, 0,
            )  # fmt: skip
            emulation.emulate_loss(lanes, form, address(words), task, batch, 0, members, threads, copied, outside)
            assert not bad.any()
            if seen is None:
                for slot in chosen.tolist():
                    examples = steps[slot]
                    x = logits[slot, :count, :classes].clone().requires_grad_()
                    terms = of_terms[examples]
                    selected = ConstraintLoss(rules).select(x, truth[examples])
                    # Of what is certain there is a loss of 0; the function of PyTorch for both at once gives NaN.
                    each = torch.nn.functional.softplus(torch.where(truth[examples], -selected, selected))
                    loss = torch.where(terms > 0, each * terms, 0.0).sum()
                    loss.backward()
                    torch.testing.assert_close(losses[slot, step * size : step * size + count].sum().float(), loss.detach())
                    mean = x.grad * scales[slot, step].float()
                    torch.testing.assert_close(gradient[slot, :count, :classes], mean, rtol=1e-5, atol=1e-6)
                    # What is left after nineteen bits, rounded to eleven.
                    ours = gradient[slot, :, :classes].contiguous()
                    cut = (ours.view(torch.int32) & -8192).view(torch.float32)
                    torch.testing.assert_close(rests[slot, :, :classes], ours - cut, rtol=1e-3, atol=1e-37)
                    assert not gradient[slot, count:, :classes].any()
                    assert bool((gradient[slot, :, classes:] == 7.5).all())
                assert bool((gradient[1] == 7.5).all())
            else:
                assert same(gradient, seen[0]) and torch.equal(losses, seen[1])
            seen = gradient, losses

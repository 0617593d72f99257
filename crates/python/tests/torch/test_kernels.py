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
from rulebound.torch.operators import NUMBERS
from rulebound.torch.packed import pack

KERNELS = pathlib.Path(__file__).parents[3] / "engine/src/cuda/tensors/kernels"
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("classes", "levels", "heads", "literals", "bodies", "cycles", "briefs")]


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    sources = "".join((KERNELS / f"{name}.cu").read_text() for name in ("numbers", "rules", "brief", "layer", "scatter", "select"))
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


def unpacked(packed: torch.Tensor) -> tuple[torch.Tensor, Counts]:
    """The schedule in the tensor of rules, and how many of what it holds."""
    words = [word & 0xFFFFFFFF for word in packed.tolist()]
    schedule, program = words[4 : 4 + words[2]], words[4 + words[2] :]
    classes, at, single = program[3], 6 + program[3] + -(-program[5] // 4), True
    while at < len(program):
        head, size = program[at : at + 2]
        body = program[at + 2 : at + 2 + size]
        single &= size == 1 or 2 * head in body
        at += 2 + size
    levels = heads = 0
    cycles = False
    while len(schedule) > 4 * levels + 3 and schedule[4 * levels] == heads < schedule[4 * levels + 3]:
        cycles |= schedule[4 * levels + 2] < schedule[4 * levels + 3]
        heads = schedule[4 * levels + 3]
        levels += 1
    start = 4 * (levels + heads)
    rules = schedule[start - 2] if heads else 0
    literals, bodies = rules, 0
    if not single:
        # Bodies start with 0 and end with the number of literals, which come before them.
        bodies = rules + 1
        literals = next(
            count
            for count in range(len(schedule))
            if -(-(start + count + bodies) // 4) * 4 + classes == len(schedule)
            and schedule[start + count] == 0
            and schedule[start + count + rules] == count
        )
    briefs = heads if single and not cycles else 0
    return packed[4 : 4 + words[2]].contiguous(), Counts(classes, levels, heads, literals, bodies, cycles, briefs)


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
    words, counts = unpacked(packed)
    classes, kind = counts.classes, NUMBERS[dtype]
    for scale, rows in ((0, 5), (1, 3)):
        x = adversarial(rows, classes, dtype, rows)
        if scale:
            x = torch.rand(rows, classes, generator=torch.Generator().manual_seed(1)).to(dtype)
        expected, who = torch.ops.rulebound.layer(x, packed, key, bool(scale))
        spoiled = x.clone()
        spoiled[1, classes // 2] = float("nan") if not scale else 1.5
        wide = [(lanes, "wide", copied) for lanes, copied in ((0, False), (1, True), (1, False), (2, True), (4, True), (4, False))]
        narrow = [(lanes, "narrow", copied) for lanes in (1, 2) for copied in (True, False)]
        for lanes, kernel, copied in (*wide, *narrow, (2, "brief", False)):
            outside, is_narrow, is_brief = lanes == 0, kernel != "wide", kernel == "brief"
            if is_brief and counts.briefs == 0:
                continue
            if (dtype == torch.float64 and (is_narrow or lanes > 1)) or (is_narrow and counts.cycles):
                continue
            for given in (x, spoiled):
                ours, delegates = torch.zeros_like(x), torch.zeros_like(who)
                emulation.emulate_layer(
                    lanes, is_narrow, is_brief, address(words), counts, address(given), address(ours), address(delegates), rows, scale,
                    kind, 2, 64, copied, outside,
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
    words, counts = unpacked(packed)
    rows, classes, kind = 4, counts.classes, NUMBERS[dtype]
    generator = torch.Generator().manual_seed(1)
    x = (torch.randn(rows, classes, generator=generator) * 3).round().to(dtype)
    anything = torch.rand(rows, classes, generator=generator) < 0.5
    closed = torch.ops.rulebound.layer(anything.float() - 0.5, packed, key, False)[0] > 0
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    is_certain = torch.rand(rows, classes, generator=generator) < 0.2
    certain = torch.where(is_certain, torch.where(x < 0, -torch.inf, torch.inf).to(dtype), x)
    for x, target, copied in ((x, anything, True), (x, closed, False), (certain, anything, True), (certain, closed, True)):
        is_finite = bool(x.isfinite().all())
        selected, delegates = torch.zeros_like(x), torch.zeros(rows, classes, dtype=torch.int32)
        common = (address(words), counts, address(x), address(target))
        emulation.emulate_select(
            *common, address(selected), address(delegates), None, None, None, rows, kind, 2, 64, copied
        )
        expected, who = torch.ops.rulebound.select(x, target, packed, key)
        assert same(selected, expected)
        # Facts are constants of one name or another here.
        assert torch.equal(delegates.clamp(min=-1), who.clamp(min=-1))
        losses, broken = torch.zeros(rows, dtype=torch.float64), torch.zeros(rows, dtype=torch.int32)
        slopes, gradient = torch.zeros(rows, classes, dtype=wide), torch.zeros(rows, classes, dtype=wide)
        evaluated = torch.arange(classes) % 3 != 1
        emulation.emulate_select(
            *common, address(slopes), address(delegates), address(losses), address(broken), address(evaluated), rows,
            kind, 2, 64, copied,
        )  # fmt: skip
        emulation.emulate_scatter(
            address(delegates), address(slopes), address(gradient), rows, classes, 3 if kind == 3 else 2, 2
        )
        if not is_finite:
            continue
        loss, slow, count = torch.ops.rulebound.loss(x, target, packed, key, evaluated, False)
        assert int(broken.sum()) == int(count)
        torch.testing.assert_close(losses.sum().to(wide), loss)
        torch.testing.assert_close(gradient, slow, rtol=1e-5, atol=1e-6)

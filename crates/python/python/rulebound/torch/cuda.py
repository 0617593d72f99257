"""Launches on NVIDIA GPUs: on the stream that the caller is on, with memory from PyTorch's allocator, and without
waiting for anything."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor

from rulebound import _native

T = TypeVar("T")

LEAST_CAPABILITY = (7, 0)
"""Older GPUs, and those of others, work by way of the CPU."""

SINGLE = 2
"""The code of `float32`; those of 16-bit numbers are smaller, and their losses have its gradients."""


@functools.cache
def _is_usable(index: int) -> bool:
    if torch.version.cuda is None:
        return False
    return torch.cuda.get_device_capability(index) >= LEAST_CAPABILITY


def is_usable(device: torch.device) -> bool:
    """Whether the kernels run on a device."""
    return _is_usable(_index(device))


def _index(device: torch.device) -> int:
    return torch.cuda.current_device() if device.index is None else device.index


_raw_stream: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)


def stream_of(index: int) -> int:
    """The address of the current stream of a GPU."""
    if _raw_stream is not None:
        return _raw_stream(index)
    return torch.cuda.current_stream(index).cuda_stream


def _knowing(rules: Tensor, key: int, act: Callable[[], T]) -> T:
    """Does something for which the rules must be known. Where they are not yet, or not any more, they are read from the
    GPU first."""
    try:
        return act()
    except KeyError:
        host = rules.cpu()
        _native.tensor_known(host.data_ptr(), host.numel(), key)
        return act()


_settles: dict[int, bool] = {}


def settles(rules: Tensor, key: int) -> bool:
    """Whether rules have requirements, which are settled on the CPU."""
    found = _settles.get(key)
    if found is None:
        found = _knowing(rules, key, lambda: _native.tensor_settles(key))
        _settles[key] = found
    return found


_needs_scratch: dict[tuple[int, int, int], bool] = {}


def _scratch(
    device: torch.device, rules: Tensor, key: int, number: int, rows: int
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Scratch memory for the layer, the selection and the scatter. Only rules with very many classes need any."""
    index = _index(device)
    needed = _needs_scratch.get((index, key, number))
    if needed is False:
        return None, None, None
    sizes = _knowing(rules, key, lambda: _native.tensor_cuda_scratch(index, rows, number, key))
    if needed is None:
        _needs_scratch[index, key, number] = any(size > 0 for size in sizes)
    layer, select, scatter = (
        torch.empty(size, dtype=torch.uint8, device=device) if size else None for size in sizes
    )
    return layer, select, scatter


def _address(tensor: Tensor | None) -> int:
    return 0 if tensor is None else tensor.data_ptr()


def _aligned(rules: Tensor) -> Tensor:
    """The kernels read whole groups of four words."""
    return rules if rules.is_contiguous() and rules.data_ptr() % 16 == 0 else rules.clone()


def layer(
    scores: Tensor, rules: Tensor, key: int, probabilities: bool, rows: int, classes: int, number: int
) -> tuple[Tensor, Tensor]:
    coherent = torch.empty_like(scores)
    delegates = torch.empty_like(scores, dtype=torch.int32)
    index, rules = _index(scores.device), _aligned(rules)
    scratch = _scratch(scores.device, rules, key, number, rows)[0]
    launch = functools.partial(
        _native.tensor_cuda_layer,
        index, stream_of(index), scores.data_ptr(), coherent.data_ptr(), delegates.data_ptr(), rows, classes,
        number, probabilities, rules.data_ptr(), key, _address(scratch),
    )  # fmt: skip
    _knowing(rules, key, launch)
    return coherent, delegates


def select(
    logits: Tensor, target: Tensor, rules: Tensor, key: int, rows: int, classes: int, number: int
) -> tuple[Tensor, Tensor]:
    selected = torch.empty_like(logits)
    delegates = torch.empty_like(logits, dtype=torch.int32)
    index, rules = _index(logits.device), _aligned(rules)
    scratch = _scratch(logits.device, rules, key, number, rows)[1]
    launch = functools.partial(
        _native.tensor_cuda_select,
        index, stream_of(index), logits.data_ptr(), target.data_ptr(), selected.data_ptr(), delegates.data_ptr(),
        rows, classes, number, rules.data_ptr(), key, _address(scratch),
    )  # fmt: skip
    _knowing(rules, key, launch)
    return selected, delegates


def scatter(delegates: Tensor, gradient: Tensor, rows: int, classes: int, number: int) -> Tensor:
    result = torch.empty_like(gradient)
    index = _index(gradient.device)
    size = _native.tensor_cuda_scatter_scratch(index, rows, classes, number)
    scratch = torch.empty(size, dtype=torch.uint8, device=gradient.device) if size else None
    _native.tensor_cuda_scatter(
        index, stream_of(index), delegates.data_ptr(), gradient.data_ptr(), result.data_ptr(), rows, classes,
        number, _address(scratch),
    )  # fmt: skip
    return result


def loss(
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
    rows: int,
    classes: int,
    number: int,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = torch.float64 if logits.dtype == torch.float64 else torch.float32
    slopes = torch.empty_like(logits, dtype=dtype)
    gradient = torch.empty_like(slopes)
    delegates = torch.empty_like(logits, dtype=torch.int32)
    losses = torch.empty(rows, dtype=torch.float64, device=logits.device)
    broken = torch.empty(rows, dtype=torch.int32, device=logits.device)
    index, rules = _index(logits.device), _aligned(rules)
    _, scratch, _ = _scratch(logits.device, rules, key, number, rows)
    size = _native.tensor_cuda_scatter_scratch(index, rows, classes, max(number, SINGLE))
    scatter_scratch = torch.empty(size, dtype=torch.uint8, device=logits.device) if size else None
    # How many classes are evaluated is only known on the GPU, and not waited for.
    factor = 1.0 / (rows * classes) if mean and evaluated is None and rows and classes else 1.0
    launch = functools.partial(
        _native.tensor_cuda_loss,
        index, stream_of(index), logits.data_ptr(), target.data_ptr(), slopes.data_ptr(), delegates.data_ptr(),
        losses.data_ptr(), broken.data_ptr(), _address(evaluated), gradient.data_ptr(), factor, rows, classes,
        number, rules.data_ptr(), key, _address(scratch), _address(scatter_scratch),
    )  # fmt: skip
    _knowing(rules, key, launch)
    value = losses.sum() * factor
    if mean and evaluated is not None:
        terms = (evaluated.sum() * rows).clamp(min=1)
        value, gradient = value / terms, gradient / terms
    return value.to(dtype), gradient.to(dtype), broken.sum()

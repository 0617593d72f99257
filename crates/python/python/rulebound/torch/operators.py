"""The operators `torch.ops.rulebound.*`: what the compiler, the exporter and the transforms of PyTorch see.

None of them has a derivative of its own; `selection` and `loss` add those outside. Rules are an argument, a tensor
beside its key, so that nothing here outlives a process.

- `layer(scores, rules, key, probabilities)` gives coherent scores and delegates;
- `select(logits, target, rules, key)` gives the logits that the loss uses, and delegates;
- `scatter(delegates, gradient)` brings a gradient to the delegates;
- `loss(logits, target, rules, key, evaluated, mean)` gives the loss, its gradient, and the number of rows
  whose labels break a rule.

Requirements are settled on the CPU, also for tensors on a GPU; they have no part in the loss.

Delegates are `int32`: twice the class, plus 1 if it is negated; negative for what is constant.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from rulebound import _native
from rulebound.errors import ScoreError
from rulebound.torch import cuda

NUMBERS = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2, torch.float64: 3}
"""The codes of the types of scores."""

_make_library: Any = torch.library.Library
_library: Any = _make_library("rulebound", "DEF")
_tags = (torch.Tag.pt2_compliant_tag,)
_library.define(
    "layer(Tensor scores, Tensor rules, int key, bool probabilities) -> (Tensor, Tensor)", tags=_tags
)
_library.define(
    "select(Tensor logits, Tensor target, Tensor rules, int key) -> (Tensor, Tensor)", tags=_tags
)
_library.define("scatter(Tensor delegates, Tensor gradient) -> Tensor", tags=_tags)
_library.define(
    "loss(Tensor logits, Tensor target, Tensor rules, int key, Tensor? evaluated, bool mean)"
    " -> (Tensor, Tensor, Tensor)",
    tags=_tags,
)


def number_of(scores: Tensor) -> int:
    """The code of a tensor's type."""
    try:
        return NUMBERS[scores.dtype]
    except KeyError:
        raise TypeError(
            f"scores must be float64, float32, bfloat16 or float16, not {scores.dtype}; convert them first"
        ) from None


def _expect_beside(scores: Tensor, rules: Tensor) -> None:
    """Where one of them is on a GPU, PyTorch has chosen its operator; so the one for the CPU need not ask."""
    if rules.device != scores.device:
        raise ValueError(
            f"the scores are on {scores.device}, but the rules on {rules.device}: move the layer or loss with"
            f" .to({str(scores.device)!r})"
        )


def _shape(scores: Tensor) -> tuple[int, int]:
    """Rows and classes."""
    if scores.dim() == 0:
        raise ValueError("scores must have a last dimension of classes")
    classes = scores.shape[-1]
    return (scores.numel() // classes if classes else 0), classes


def _expect_alike(scores: Tensor, target: Tensor) -> None:
    if target.shape != scores.shape:
        raise ValueError(
            f"the target has the shape {tuple(target.shape)}, but the logits have {tuple(scores.shape)}"
        )
    if target.dtype != torch.bool:
        raise TypeError(f"the target of this operator must be bool, not {target.dtype}")


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type in which losses and their gradients are computed."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def _run_layer_cpu(
    scores: Tensor, rules: Tensor, key: int, probabilities: bool, wanted: bool
) -> tuple[Tensor, Tensor | None]:
    number = number_of(scores)
    rows, classes = _shape(scores)
    scores = scores.contiguous()
    coherent = torch.empty_like(scores)
    delegates = torch.empty_like(scores, dtype=torch.int32) if wanted else None
    try:
        _native.tensor_layer(
            scores.data_ptr(), coherent.data_ptr(), 0 if delegates is None else delegates.data_ptr(), rows, classes,
            number, probabilities, rules.data_ptr(), rules.numel(), key, torch.get_num_threads(),
        )  # fmt: skip
    except ScoreError as error:
        raise _placed(error, scores.shape) from None
    return coherent, delegates


def _placed(error: ScoreError, shape: torch.Size) -> ScoreError:
    """The error with the place of its row where scores have several dimensions of rows."""
    if error.row is None or len(shape) <= 2:
        return error
    place: list[int] = []
    rest = error.row
    for size in reversed(shape[:-1]):
        place.insert(0, rest % size)
        rest //= size
    text = str(error).replace(f"row {error.row}:", f"row {place}:", 1)
    return ScoreError(text, error.row, error.label)


def layer_cpu(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    """The operator `layer` on the CPU."""
    coherent, delegates = _run_layer_cpu(scores, rules, key, probabilities, True)
    assert delegates is not None
    return coherent, delegates


def values_cpu(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Tensor:
    """The values alone, which is faster."""
    return _run_layer_cpu(scores, rules, key, probabilities, False)[0]


def _select_cpu(
    logits: Tensor, target: Tensor, rules: Tensor, key: int
) -> tuple[Tensor, Tensor]:
    number = number_of(logits)
    _expect_alike(logits, target)
    logits, target = logits.contiguous(), target.contiguous()
    selected = torch.empty_like(logits)
    delegates = torch.empty_like(logits, dtype=torch.int32)
    rows, classes = _shape(logits)
    _native.tensor_select(
        logits.data_ptr(), target.data_ptr(), selected.data_ptr(), delegates.data_ptr(), rows, classes, number,
        rules.data_ptr(), rules.numel(), key, torch.get_num_threads(),
    )  # fmt: skip
    return selected, delegates


def scatter_cpu(delegates: Tensor, gradient: Tensor) -> Tensor:
    number = number_of(gradient)
    delegates, gradient = delegates.contiguous(), gradient.contiguous()
    result = torch.empty_like(gradient)
    rows, classes = _shape(gradient)
    _native.tensor_scatter(
        delegates.data_ptr(), gradient.data_ptr(), result.data_ptr(), rows, classes, number,
        torch.get_num_threads(),
    )  # fmt: skip
    return result


def _loss_cpu(
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    number = number_of(logits)
    _expect_alike(logits, target)
    logits, target = logits.contiguous(), target.contiguous()
    evaluated = None if evaluated is None else evaluated.contiguous()
    gradient = torch.empty_like(logits, dtype=wide(logits.dtype))
    rows, classes = _shape(logits)
    value, broken = _native.tensor_loss(
        logits.data_ptr(), target.data_ptr(), gradient.data_ptr(),
        0 if evaluated is None else evaluated.data_ptr(), mean, rows, classes, number,
        rules.data_ptr(), rules.numel(), key, torch.get_num_threads(),
    )  # fmt: skip
    return gradient.new_tensor(value), gradient, torch.tensor(broken)


def _layer_cuda(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    if not cuda.is_usable(scores.device) or cuda.settles(rules, key):
        return _layer_elsewhere(scores, rules, key, probabilities)
    number = number_of(scores)
    _expect_beside(scores, rules)
    rows, classes = _shape(scores)
    return cuda.layer(scores.contiguous(), rules, key, probabilities, rows, classes, number)


def _select_cuda(
    logits: Tensor, target: Tensor, rules: Tensor, key: int
) -> tuple[Tensor, Tensor]:
    if not cuda.is_usable(logits.device):
        return _select_elsewhere(logits, target, rules, key)
    number = number_of(logits)
    _expect_beside(logits, rules)
    _expect_alike(logits, target)
    rows, classes = _shape(logits)
    return cuda.select(logits.contiguous(), target.contiguous(), rules, key, rows, classes, number)


def _scatter_cuda(delegates: Tensor, gradient: Tensor) -> Tensor:
    if not cuda.is_usable(gradient.device):
        return _scatter_elsewhere(delegates, gradient)
    number = number_of(gradient)
    rows, classes = _shape(gradient)
    return cuda.scatter(delegates.contiguous(), gradient.contiguous(), rows, classes, number)


def _loss_cuda(
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    if not cuda.is_usable(logits.device):
        return _loss_elsewhere(logits, target, rules, key, evaluated, mean)
    number = number_of(logits)
    _expect_beside(logits, rules)
    _expect_alike(logits, target)
    rows, classes = _shape(logits)
    logits, target = logits.contiguous(), target.contiguous()
    return cuda.loss(logits, target, rules, key, evaluated, mean, rows, classes, number)


def _layer_elsewhere(
    scores: Tensor, rules: Tensor, key: int, probabilities: bool
) -> tuple[Tensor, Tensor]:
    """Any other device: by way of the CPU, with the same bits."""
    coherent, delegates = layer_cpu(scores.cpu(), rules.cpu(), key, probabilities)
    return coherent.to(scores.device), delegates.to(scores.device)


def _select_elsewhere(
    logits: Tensor, target: Tensor, rules: Tensor, key: int
) -> tuple[Tensor, Tensor]:
    selected, delegates = _select_cpu(logits.cpu(), target.cpu(), rules.cpu(), key)
    return selected.to(logits.device), delegates.to(logits.device)


def _scatter_elsewhere(delegates: Tensor, gradient: Tensor) -> Tensor:
    return scatter_cpu(delegates.cpu(), gradient.cpu()).to(gradient.device)


def _loss_elsewhere(
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    evaluated = None if evaluated is None else evaluated.cpu()
    results = _loss_cpu(logits.cpu(), target.cpu(), rules.cpu(), key, evaluated, mean)
    loss, gradient, broken = (result.to(logits.device) for result in results)
    return loss, gradient, broken


def _fake_selection(scores: Tensor) -> tuple[Tensor, Tensor]:
    scores = scores.contiguous()
    return torch.empty_like(scores), torch.empty_like(scores, dtype=torch.int32)


def _layer_fake(scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> tuple[Tensor, Tensor]:
    return _fake_selection(scores)


def _select_fake(
    logits: Tensor, target: Tensor, rules: Tensor, key: int
) -> tuple[Tensor, Tensor]:
    return _fake_selection(logits)


def _scatter_fake(delegates: Tensor, gradient: Tensor) -> Tensor:
    return torch.empty_like(gradient.contiguous())


def _loss_fake(
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    gradient = torch.empty_like(logits.contiguous(), dtype=wide(logits.dtype))
    return gradient.new_empty(()), gradient, logits.new_empty((), dtype=torch.int64)


def _first(tensor: Tensor, dim: int | None, size: int) -> Tensor:
    """The batch dimension of `vmap` in front, made where there is none."""
    return tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _expect_one(*dims: int | None) -> None:
    if any(dim is not None for dim in dims):
        raise ValueError("vmap over the rules themselves is not possible: they are one tensor for all")


def _layer_vmap(info: Any, in_dims: Any, scores: Tensor, rules: Tensor, key: int, probabilities: bool) -> Any:
    _expect_one(in_dims[1])
    scores = _first(scores, in_dims[0], info.batch_size)
    return torch.ops.rulebound.layer(scores, rules, key, probabilities), (0, 0)


def _select_vmap(
    info: Any, in_dims: Any, logits: Tensor, target: Tensor, rules: Tensor, key: int
) -> Any:
    _expect_one(in_dims[2])
    logits = _first(logits, in_dims[0], info.batch_size)
    target = _first(target, in_dims[1], info.batch_size)
    return torch.ops.rulebound.select(logits, target, rules, key), (0, 0)


def _scatter_vmap(info: Any, in_dims: Any, delegates: Tensor, gradient: Tensor) -> Any:
    delegates = _first(delegates, in_dims[0], info.batch_size)
    gradient = _first(gradient, in_dims[1], info.batch_size)
    return torch.ops.rulebound.scatter(delegates, gradient), 0


def _loss_vmap(
    info: Any,
    in_dims: Any,
    logits: Tensor,
    target: Tensor,
    rules: Tensor,
    key: int,
    evaluated: Tensor | None,
    mean: bool,
) -> Any:
    _expect_one(in_dims[2], in_dims[4])
    logits = _first(logits, in_dims[0], info.batch_size)
    target = _first(target, in_dims[1], info.batch_size)
    each = [
        torch.ops.rulebound.loss(logits[at], target[at], rules, key, evaluated, mean)
        for at in range(info.batch_size)
    ]
    return tuple(torch.stack(parts) for parts in zip(*each, strict=True)), (0, 0, 0)


_library.impl("layer", layer_cpu, "CPU")
_library.impl("select", _select_cpu, "CPU")
_library.impl("scatter", scatter_cpu, "CPU")
_library.impl("loss", _loss_cpu, "CPU")
for _name in ("layer", "select", "scatter", "loss"):
    _library.impl(_name, globals()[f"_{_name}_cuda"], "CUDA")
    _library.impl(_name, globals()[f"_{_name}_elsewhere"], "CompositeExplicitAutograd")
    torch.library.register_fake(f"rulebound::{_name}", globals()[f"_{_name}_fake"], lib=_library)
    torch.library.register_vmap(f"rulebound::{_name}", globals()[f"_{_name}_vmap"], lib=_library)

import os
from collections.abc import Callable
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ClassCounts",
    "Dataset",
    "MISSING",
    "Model",
    "PartialMetrics",
    "Program",
    "VERSION",
    "apply",
    "apply_sparse",
    "attribution",
    "calibrate",
    "close",
    "default_early_stopping",
    "default_settings",
    "delegate_names",
    "evaluate",
    "evaluate_model",
    "explain",
    "export_model",
    "export_rules",
    "export_torch",
    "importance",
    "mine",
    "panic_on_purpose",
    "tensor_cuda_layer",
    "tensor_cuda_loss",
    "tensor_cuda_scatter",
    "tensor_cuda_scatter_scratch",
    "tensor_cuda_scratch",
    "tensor_cuda_select",
    "tensor_known",
    "tensor_layer",
    "tensor_loss",
    "tensor_program",
    "tensor_rules",
    "tensor_scatter",
    "tensor_select",
    "tensor_settles",
    "top_classes",
    "train",
    "tune_thresholds",
    "violations",
]

VERSION: str
MISSING: list[str]

@final
class Program:
    @staticmethod
    def parse(
        text: str, labels: list[str] | None, format: str | None, rules_as: str = "rules", settle_limit: int | None = None
    ) -> Program: ...
    @staticmethod
    def read(
        path: str | os.PathLike[str],
        labels: str | os.PathLike[str] | None,
        format: str | None,
        rules_as: str = "rules",
        settle_limit: int | None = None,
    ) -> Program: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Program: ...
    def to_bytes(self) -> bytes: ...
    def has_requirements(self) -> bool: ...
    def labels(self) -> list[str]: ...
    def rules(self) -> list[str]: ...
    def text(self) -> str: ...
    def kind(self) -> str: ...
    def is_hierarchy(self) -> bool: ...
    def strata(self) -> list[list[str]]: ...
    def components(self) -> list[list[str]]: ...
    def lints(self, deep: bool) -> list[tuple[str, str, int, int, str]]: ...
    def nearest(self, name: str) -> str | None: ...
    def find(self, name: str) -> int | None: ...
    def find_all(self, names: list[str]) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...

@final
class Dataset:
    @staticmethod
    def dense(
        columns: list[tuple[str, list[str] | None]],
        cells: NDArray[np.float32],
        labels: NDArray[np.uint8],
        program: Program,
        identifiers: list[tuple[str, list[str | None]]],
        chosen: list[str] | None,
        valid_rows: int,
        weights: NDArray[np.float32] | None,
    ) -> Dataset: ...
    @staticmethod
    def sparse(
        columns: list[tuple[str, list[str] | None]],
        starts: NDArray[np.int64],
        indices: NDArray[np.uint32],
        values: NDArray[np.float32],
        labels: NDArray[np.uint8],
        program: Program,
        valid_rows: int,
        weights: NDArray[np.float32] | None,
    ) -> Dataset: ...
    @staticmethod
    def read(
        path: str | os.PathLike[str],
        labels: list[str] | None,
        pattern: str | None,
        rules: str | os.PathLike[str] | None,
        folder: str | os.PathLike[str] | None,
        ignored: list[str],
        identifiers: list[str],
        kinds: list[tuple[str, str]] | list[tuple[str, Literal["nominal", "numeric"]]],
        weight_column: str | None,
    ) -> Dataset: ...
    def rows(self) -> int: ...
    def splits(self) -> list[tuple[str, int]]: ...
    def program(self) -> Program: ...
    def columns(self) -> list[str]: ...
    def doubts(self) -> list[tuple[str, bool, bool]]: ...
    def notes(self) -> list[str]: ...
    def summary(self) -> str: ...

@final
class Model:
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def program(self) -> Program: ...
    def is_coherent(self) -> bool: ...
    def thresholds(self) -> list[float]: ...
    def with_thresholds(self, values: list[float]) -> Model: ...
    def columns(self) -> list[tuple[str, list[str] | None]]: ...
    def record(self) -> tuple[str, str]: ...
    def predict(
        self, data: Dataset, device: str
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]
    ]: ...
    def scores(
        self, data: Dataset, kind: str, decisions: bool, parallel: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_] | None]: ...
    def explain(self, data: Dataset, row: int, label: int) -> tuple[str, str]: ...

_Range = tuple[float, float, float] | None

@final
class ClassCounts:
    def __new__(cls, classes: int) -> ClassCounts: ...
    def add(self, truth: NDArray[np.bool_]) -> None: ...
    def merge(self, other: ClassCounts) -> None: ...
    def rows(self) -> int: ...
    def positives(self) -> NDArray[np.int64]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> ClassCounts: ...

@final
class PartialMetrics:
    def __new__(cls, counted: NDArray[np.bool_], bits: int | None) -> PartialMetrics: ...
    def add(
        self, scores: NDArray[Any], decisions: NDArray[np.bool_], truth: NDArray[np.bool_]
    ) -> None: ...
    def merge(self, other: PartialMetrics) -> None: ...
    def rows(self) -> int: ...
    def classes(self) -> int: ...
    def bits(self) -> int | None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> PartialMetrics: ...
    def finish(
        self,
    ) -> tuple[list[tuple[str, float | None]], _Range, _Range, _Range, list[_Range]]: ...

def apply(
    program: Program,
    scores: NDArray[Any],
    kind: str,
    thresholds: list[float] | None,
    decisions: bool,
    delegates: bool,
    parallel: bool = True,
) -> tuple[NDArray[Any], NDArray[np.bool_] | None, NDArray[np.int64] | None]: ...
def apply_sparse(
    program: Program,
    offsets: NDArray[np.int64],
    classes: NDArray[np.int64],
    scores: NDArray[Any],
    kind: str,
    thresholds: list[float] | None,
    delegates: bool,
    top: int | None,
    above: float | None,
    parallel: bool = True,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], NDArray[np.int64] | None]: ...
def delegate_names(program: Program) -> list[str]: ...
def close(program: Program, labels: NDArray[np.uint8]) -> NDArray[np.uint8]: ...
def top_classes(program: Program, logits: NDArray[np.float32], count: int) -> list[list[int]]: ...
def violations(program: Program, labels: NDArray[np.uint8]) -> list[tuple[int, int]]: ...
def explain(
    program: Program,
    scores: list[float],
    label: int,
    kind: str,
    thresholds: list[float] | None,
    is_f32: bool,
) -> tuple[str, str]: ...
def evaluate(
    scores: NDArray[np.float64],
    kind: str,
    thresholds: list[float] | None,
    truth: NDArray[np.uint8],
    classes: list[str],
    program: Program | None,
    labels: str,
    more: tuple[bool, bool, int | None, int],
) -> str: ...
def evaluate_model(
    model: Model, data: Dataset, labels: str, more: tuple[bool, bool, int | None, int]
) -> str: ...
def calibrate(model: Model, data: Dataset, method: str) -> tuple[Model, str]: ...
def tune_thresholds(
    model: Model,
    data: Dataset,
    aim: tuple[str, float | None, list[tuple[float, float]] | None],
    one: bool,
    passes: int,
) -> tuple[list[float], str]: ...
def importance(
    model: Model,
    data: Dataset,
    columns: list[str] | None,
    most: int,
    repeats: int,
    seed: int,
) -> str: ...
def attribution(model: Model, data: Dataset, row: int, label: int) -> str: ...
def default_settings(method: str) -> str: ...
def default_early_stopping() -> str: ...
def export_rules(
    program: Program,
    path: str | os.PathLike[str],
    network: str | os.PathLike[str] | None,
    output: str | None,
    kind: str,
    thresholds: list[float] | None,
    margins: bool,
    loops: bool,
) -> list[str]: ...
def export_model(
    model: Model, path: str | os.PathLike[str], margins: bool, named_inputs: bool, loops: bool
) -> None: ...
def export_torch(model: Model, path: str | os.PathLike[str]) -> str: ...
def mine(
    labels: NDArray[np.uint8],
    names: list[str],
    min_support: float | None,
    min_confidence: float,
    max_body: int,
    negation: bool,
    max_rules: int,
) -> tuple[Program, list[tuple[int, int]]]: ...
def train(
    data: Dataset,
    settings: str,
    device: str,
    checkpoint: str | os.PathLike[str] | None,
    resume: bool,
    log: str | os.PathLike[str] | None,
    callback: Callable[[str], object],
) -> Model: ...
def panic_on_purpose() -> None: ...
def tensor_rules(program: Program) -> tuple[bytes, int]: ...
def tensor_program(address: int, words: int, key: int) -> Program: ...
def tensor_known(address: int, words: int, key: int) -> None: ...
def tensor_settles(key: int) -> bool: ...
def tensor_layer(
    given: int,
    coherent: int,
    delegates: int,
    rows: int,
    classes: int,
    number: int,
    probabilities: bool,
    rules: int,
    words: int,
    key: int,
    threads: int,
) -> None: ...
def tensor_scatter(
    delegates: int, gradient: int, result: int, rows: int, classes: int, number: int, threads: int
) -> None: ...
def tensor_select(
    logits: int,
    labels: int,
    selected: int,
    delegates: int,
    rows: int,
    classes: int,
    number: int,
    rules: int,
    words: int,
    key: int,
    threads: int,
) -> None: ...
def tensor_loss(
    logits: int,
    labels: int,
    gradient: int,
    evaluated: int,
    mean: bool,
    rows: int,
    classes: int,
    number: int,
    rules: int,
    words: int,
    key: int,
    threads: int,
) -> tuple[float, int]: ...
def tensor_cuda_scratch(
    device: int, rows: int, number_code: int, key: int
) -> tuple[int, int, int]: ...
def tensor_cuda_scatter_scratch(device: int, rows: int, classes: int, number_code: int) -> int: ...
def tensor_cuda_layer(
    device: int,
    stream: int,
    given: int,
    coherent: int,
    delegates: int,
    rows: int,
    classes: int,
    number_code: int,
    probabilities: bool,
    rules: int,
    key: int,
    scratch: int,
) -> None: ...
def tensor_cuda_scatter(
    device: int,
    stream: int,
    delegates: int,
    gradient: int,
    result: int,
    rows: int,
    classes: int,
    number_code: int,
    scratch: int,
) -> None: ...
def tensor_cuda_select(
    device: int,
    stream: int,
    logits: int,
    labels: int,
    selected: int,
    delegates: int,
    rows: int,
    classes: int,
    number_code: int,
    rules: int,
    key: int,
    scratch: int,
) -> None: ...
def tensor_cuda_loss(
    device: int,
    stream: int,
    logits: int,
    labels: int,
    slopes: int,
    delegates: int,
    losses: int,
    broken: int,
    evaluated: int,
    gradient: int,
    factor: float,
    rows: int,
    classes: int,
    number_code: int,
    rules: int,
    key: int,
    scratch: int,
    scatter_scratch: int,
) -> None: ...

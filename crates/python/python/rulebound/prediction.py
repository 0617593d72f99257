"""What a model says of some rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native

if TYPE_CHECKING:
    from rulebound.explanation import Explanation
    from rulebound.model import Model


class Prediction:
    """Coherent predictions. Where features were a frame of pandas or polars, tables are such frames with
    the names of the classes; otherwise they are arrays `[rows, classes]`."""

    def __init__(
        self,
        model: Model,
        data: Any,
        probabilities: NDArray[np.float32],
        logits: NDArray[np.float32],
        margins: NDArray[np.float32],
        delegates: NDArray[np.int64],
    ) -> None:
        self._model = model
        self._data = data
        self._probabilities = probabilities
        self._logits = logits
        self._margins = margins
        self._delegates = delegates

    @property
    def probabilities(self) -> Any:
        """Probabilities: above its threshold exactly where a class is predicted."""
        return self._table(self._probabilities)

    @property
    def logits(self) -> Any:
        """Logits, in the same order as probabilities but finer."""
        return self._table(self._logits)

    @property
    def decisions(self) -> Any:
        """Which classes are predicted."""
        return self._table(self._margins > 0)

    @property
    def margins(self) -> Any:
        """How far each class is from its threshold, as logits: above 0 where it is predicted."""
        return self._table(self._margins)

    @property
    def delegates(self) -> Any:
        """By what each class was decided."""
        names = np.array(_native.delegate_names(self._model.rules._program), dtype=object)
        return self._table(names[self._delegates])

    def top(self, count: int = 5) -> list[list[tuple[str, float]]]:
        """The classes of each row with the highest probabilities. What is shown breaks no rule: with all of
        the body of a rule its head is shown, if need be beyond `count`."""
        order = _native.top_classes(self._model.rules._program, self._logits, count)
        labels = self._model.labels
        return [
            [(labels[place], float(row[place])) for place in places]
            for row, places in zip(self._probabilities, order, strict=True)
        ]

    def explain(self, row: int, label: str) -> Explanation:
        """How a class of a row got its logit."""
        return self._model.explain(self._data, label, row=row)

    def _table(self, values: NDArray[Any]) -> Any:
        library = type(self._data).__module__.partition(".")[0]
        if library == "pandas":
            import pandas

            return pandas.DataFrame(
                values, index=self._data.index, columns=list(self._model.labels)
            )
        if library == "polars":
            import polars

            columns = np.ascontiguousarray(values.T)
            text = polars.String if values.dtype == object else None
            labels = self._model.labels
            return polars.DataFrame(
                [polars.Series(n, c, dtype=text) for n, c in zip(labels, columns, strict=True)]
            )
        return values

    def __len__(self) -> int:
        return len(self._probabilities)

    def __repr__(self) -> str:
        rows, classes = self._probabilities.shape
        return f"<Prediction: {rows} rows, {classes} classes>"

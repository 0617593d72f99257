"""Predictions as frames that have the names of the classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

CONTAINERS = ("default", "pandas", "polars")


class ClassFrames:
    """What `set_output` of scikit-learn is for features, for the columns of classes."""

    def set_output(self, *, transform: str | None = None) -> Self:
        """Chooses what `predict` and `predict_proba` give where `y` has several columns: "default" for
        arrays, "pandas" or "polars" for frames with the names of the classes; None changes nothing."""
        if transform is not None:
            if transform not in CONTAINERS:
                raise ValueError(f"transform={transform!r} is not one of {', '.join(CONTAINERS)}")
            self._container = transform
        return self

    def _output(self, values: Any, X: Any) -> Any:
        """Values of the rows of `X`, whose index they keep."""
        container = getattr(self, "_container", "default")
        if container == "default" or np.ndim(values) != 2:
            return values
        names = [str(name) for name in self.classes_]  # type: ignore[attr-defined]
        if container == "pandas":
            import pandas

            index = X.index if isinstance(X, pandas.DataFrame) else None
            return pandas.DataFrame(values, index=index, columns=names)
        import polars

        return polars.DataFrame(values, schema=names)

"""A column with the names of classes: those that each row has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def with_labels(batch: Any, column: str, marks: NDArray[np.bool_], labels: Sequence[str]) -> Any:
    """The batch with one more column, of lists of names."""
    import pyarrow

    if column in batch.schema.names:
        raise ValueError(f"there is a column `{column}` already")
    starts = np.concatenate([[0], np.cumsum(marks.sum(axis=1, dtype=np.int64))])
    names = pyarrow.array(labels, pyarrow.string()).take(pyarrow.array(np.nonzero(marks)[1]))
    lists = pyarrow.ListArray.from_arrays(starts.astype(np.int32), names)
    return batch.append_column(column, lists)

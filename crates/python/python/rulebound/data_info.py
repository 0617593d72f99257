"""What is in data, before it is trained on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rulebound.column_roles import ColumnRoles, Names
from rulebound.training_data import DataOptions, open_data


def data_info(
    data: Any,
    *,
    rules: Any = None,
    labels: str | Sequence[str] | None = None,
    ignore: Names = None,
    id_column: Names = None,
    nominal: Names = None,
    numeric: Names = None,
) -> dict[str, Any]:
    """What the command `rulebound data info` says of data that is given as to `rulebound.train`: features, classes, rows,
    rows that break rules, labels that are not known, and each column with what it was taken for.

    >>> import numpy as np
    >>> found = data_info((np.zeros((4, 2)), np.eye(4, 3)))
    >>> found["classes"], found["rows"], found["columns"][0]["name"]
    (3, {'train': 4}, 'x0')
    """
    roles = ColumnRoles.of(ignore, id_column, nominal, numeric)
    opened = open_data(data, DataOptions(labels, rules, roles))
    found: dict[str, Any] = json.loads(opened.summary())
    return found

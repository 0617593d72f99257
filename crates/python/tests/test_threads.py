"""Threads and processes: forked children do not hang, threads do not disturb each other."""

import concurrent.futures
import multiprocessing
import os
import threading
from typing import Any

import numpy as np
import pytest
from pets import RULES, arrays

import rulebound as rb

CHAIN = rb.Rules.from_edges((f"c{n}", f"c{n + 1}") for n in range(63))
SCORES = np.random.default_rng(0).random((2000, 64))


def work(_: int = 0) -> Any:
    """Everything that uses threads."""
    features, labels = arrays()
    model = rb.train((features, labels), rules=RULES, hidden=[8], epochs=2)
    mined = rb.mine(labels, RULES.labels)
    coherent = CHAIN.apply(SCORES)
    return coherent.sum(), model.predict(features).logits.sum(), len(mined.rules)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_hang() -> None:
    # The threads of the parent are there before the child is.
    expected = work()
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for found in pool.map(work, range(2), timeout=60):
            assert found == expected


def test_many_threads_on_one_program() -> None:
    expected = CHAIN.apply(SCORES)
    start = threading.Barrier(8)

    def run(_: int) -> bool:
        start.wait()
        return all(np.array_equal(CHAIN.apply(SCORES), expected) for _ in range(20))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(8)))

"""Tests of `rulebound.torch`. Without PyTorch there is nothing to collect; `make test TORCH=0` says so."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch.nn") else ["*.py"]

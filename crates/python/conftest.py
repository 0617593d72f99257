"""What is collected: everything about PyTorch only where it is installed."""

import importlib.metadata

try:
    importlib.metadata.version("torch")
    collect_ignore_glob = []
except importlib.metadata.PackageNotFoundError:
    collect_ignore_glob = ["tests/torch/*", "tests/cuda_check.py", "python/rulebound/torch/*"]

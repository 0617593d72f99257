"""What is collected: everything about PyTorch, and about the libraries and engines of `make peers`, only where they are installed."""

import importlib.metadata


def is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


collect_ignore_glob = [] if is_installed("lightning") else ["tests/peers/*"]
if not (is_installed("ray") or is_installed("pyspark")):
    collect_ignore_glob += ["tests/engines/*"]
if not is_installed("torch"):
    collect_ignore_glob += ["tests/torch/*", "tests/cuda_check.py", "python/rulebound/torch/*"]

"""Facts about the machine and the versions that a time depends on; nothing that names the machine or its owner."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "heldout",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "torchmetrics",
    "MLstatkit",
    "pycm",
    "confidenceinterval",
    "mlxtend",
    "statsmodels",
    "pandas",
)


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system, Python, and how many threads the peers use when left alone."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "threads": threads(),
    }


def versions() -> dict[str, str]:
    """Version of each package that takes part, as far as it is installed.

    >>> "numpy" in versions()
    True
    """
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def threads() -> dict[str, int]:
    """Threads by library, as each sets them by default."""
    found: dict[str, int] = {}
    try:
        from threadpoolctl import threadpool_info
    except ModuleNotFoundError:
        pass
    else:
        for pool in threadpool_info():
            found[pool["internal_api"]] = max(pool["num_threads"], found.get(pool["internal_api"], 0))
    if "torch" in sys.modules:
        found["torch"] = sys.modules["torch"].get_num_threads()
    return dict(sorted(found.items()))


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if not facts.exists():
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.+)$", facts.read_text(encoding="utf-8"), re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def _memory_gib() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, ValueError, OSError):
        return None

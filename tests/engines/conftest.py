"""Clusters are tested where their packages are: `make test-engines` installs them into an environment of their own."""

from __future__ import annotations

from importlib.util import find_spec

ENGINES = ("distributed", "ray", "pyspark")

collect_ignore = [] if any(find_spec(package) for package in ENGINES) else ["clusters"]

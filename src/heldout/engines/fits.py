"""Fits of learners on an engine, through the backends that joblib has for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from heldout.engines import available
from heldout.optional_packages import needed

GIVEN_UP = ("distributed", "ray")
"""Packages whose own errors say that a worker was lost, and with it what it held."""


@contextmanager
def fits_on(name: str | None, address: str | None = None) -> Iterator[None]:
    """Within this, joblib works on the engine of that name; as it was, where none is named.

    >>> with fits_on("local"):
    ...     pass
    """
    known = available(name, address)
    if name is None or known == "local":
        yield
        return
    within = {"dask": _dask, "ray": _ray, "spark": _spark}[known]
    with within(address):
        yield


def lost_worker(error: BaseException) -> bool:
    """Whether an error says that a worker was lost, so that its fits can be made again; not one of a learner.

    >>> lost_worker(ValueError("C must be positive"))
    False
    """
    from concurrent.futures import CancelledError

    kinds = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return isinstance(error, CancelledError) or (
        bool(kinds & set(GIVEN_UP)) and type(error).__name__ != "RayTaskError" and not hasattr(error, "cause")
    )


FITS = "fits of learners on an engine need"


@contextmanager
def _dask(address: str | None) -> Iterator[None]:
    from heldout.engines.on_dask import client_of

    parallel_config = needed("joblib", FITS).parallel_config
    with client_of(address) as client, client.as_current(), parallel_config("dask", n_jobs=-1):
        yield


@contextmanager
def _ray(address: str | None) -> Iterator[None]:
    from heldout.engines.on_ray import connected

    parallel_config = needed("joblib", FITS).parallel_config
    with connected(address):
        needed("ray.util.joblib", FITS).register_ray()
        with parallel_config("ray", n_jobs=-1):
            yield


@contextmanager
def _spark(address: str | None) -> Iterator[None]:
    from heldout.engines.on_spark import session_of

    parallel_config, register_spark = needed("joblib", FITS).parallel_config, needed("joblibspark", FITS).register_spark
    with session_of(None, address), warnings.catch_warnings():
        for said in ("Spark (local mode|version) does.* stage-level scheduling", "Spark session is not provided"):
            warnings.filterwarnings("ignore", said)  # joblib-spark has no say in either
        register_spark()
        with parallel_config("spark", n_jobs=-1):
            yield

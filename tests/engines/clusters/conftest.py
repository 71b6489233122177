"""Real clusters on this machine, one of each engine for all tests: two workers, each a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[3]
WAITS = 300
"""Seconds after which a test hangs."""
NOISE = [
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
]
"""What the engines warn about in their own code."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for line in NOISE:
                item.add_marker(pytest.mark.filterwarnings(line))


@pytest.fixture(autouse=True)
def nothing_hangs() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError(f"nothing came for {WAITS} seconds")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(WAITS)
    yield
    signal.alarm(0)


@pytest.fixture(scope="session", autouse=True)
def workers_can_import_the_tests() -> None:
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


@pytest.fixture(scope="session")
def dask_address(workers_can_import_the_tests) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: make test-engines has it")
    import dask

    patient = {"distributed.comm.timeouts.connect": "120s", "distributed.deploy.lost-worker-timeout": "120s"}
    with (
        dask.config.set(patient),  # a busy machine starts workers slowly
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture(scope="session")
def ray_cluster(workers_can_import_the_tests) -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: make test-engines has it")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield
    ray.shutdown()


@pytest.fixture(scope="session")
def spark_session(workers_can_import_the_tests) -> Iterator[object]:
    """Two executors with a core each, in processes of their own."""
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: make test-engines has it")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17 or newer, and there is none (Debian: default-jre-headless)")
    from pyspark.sql import SparkSession

    home = Path(pyspark.__file__).parent
    os.environ["SPARK_HOME"] = str(home)  # where executors find Spark itself
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.log.level", "OFF")
    builder = builder.config("spark.task.maxFailures", 2)  # what fails for good need not fail four times
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    for process in ("driver", "executor"):  # Java that starts fast, which is all a test needs
        builder = builder.config(f"spark.{process}.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
    session = builder.config("spark.executor.memory", "640m").config("spark.driver.memory", "640m").getOrCreate()
    yield session
    session.stop()
    shutil.rmtree(home / "work", ignore_errors=True)


@pytest.fixture(params=["dask", "ray", "spark"])
def cluster(request: pytest.FixtureRequest) -> dict[str, str]:
    """An engine that runs, as the verbs take it."""
    if request.param == "dask":
        return {"engine": "dask", "engine_address": request.getfixturevalue("dask_address")}
    request.getfixturevalue({"ray": "ray_cluster", "spark": "spark_session"}[request.param])
    return {"engine": request.param}


@pytest.fixture(scope="session")
def table() -> pa.Table:
    """Rows of two classes, with scores, weights, and groups whose rows lie everywhere."""
    rng = np.random.default_rng(5)
    n = 4000
    label = rng.integers(0, 2, n)
    score = 1 / (1 + np.exp(-(1.4 * label - 0.7 + rng.normal(size=n))))
    group = np.array([f"patient {number}" for number in rng.integers(0, 300, n)])
    return pa.table(
        {"label": label, "score": score, "patient": group, "counts": rng.uniform(0.5, 2.0, n), "other": rng.random(n)}
    )


@pytest.fixture(scope="session")
def folders(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same rows in other parts and orders."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "even").mkdir()
    for at in range(4):
        pq.write_table(table.slice(at * 1000, 1000), folder / "even" / f"{at}.parquet")
    (folder / "uneven").mkdir()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    ends = [0, 3, 500, 500, 1200, 3990, 4000]
    for at, (first, last) in enumerate(pairwise(ends)):
        pq.write_table(shuffled.slice(first, last - first), folder / "uneven" / f"{at}.parquet", row_group_size=100)
    return {name: str(folder / name) for name in ("even", "uneven")}

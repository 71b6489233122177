"""Engines by name, and what is said where one cannot be had."""

from __future__ import annotations

import pickle
import sys

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.engines import available, engine
from heldout.engines.fits import fits_on, lost_worker
from heldout.engines.spark_work import carried
from heldout.errors import DataError, EngineError, UsageError


def test_local_unless_named():
    assert engine().name == engine("local").name == "local"


def no_engine_is_installed(monkeypatch):
    for package in ("dask", "distributed", "pyspark", "ray"):
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("ray", "ray"), ("spark", "pyspark")])
def test_an_engine_whose_packages_are_there_is_made(name, package):
    pytest.importorskip(package, reason=f"{name} is not installed; make test-engines has it, and tests its clusters")
    assert engine(name).name == name


def test_an_unknown_engine():
    with pytest.raises(UsageError) as error:
        engine("sparc")
    assert (
        str(error.value)
        == "no engine is called 'sparc'; did you mean 'spark'?\n  Fix: take one of local, dask, ray, spark"
    )


def test_the_local_engine_has_no_address():
    with pytest.raises(UsageError) as error:
        engine("local", "tcp://10.0.0.1:8786")
    assert str(error.value) == (
        "the local engine has no address, but 'tcp://10.0.0.1:8786' was given\n"
        "  Fix: name the engine that listens there: dask, ray or spark"
    )


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("ray", "ray"), ("spark", "pyspark")])
def test_a_missing_package_says_what_to_install(monkeypatch, name, package):
    no_engine_is_installed(monkeypatch)
    with pytest.raises(UsageError) as error:
        available(name)
    assert str(error.value) == (
        f"the engine {name} needs the package {package}, which is not installed\n  Fix: pip install 'heldout[{name}]'"
    )


def test_validate_says_so_before_it_reads_anything(monkeypatch):
    no_engine_is_installed(monkeypatch)
    with pytest.raises(UsageError, match=r"the engine ray needs the package ray, which is not installed"):
        heldout.validate("sklearn.svm:SVC()", "no such file", "y", engine="ray")


def test_the_command_line_says_so_too(monkeypatch):
    no_engine_is_installed(monkeypatch)
    asked = ["sklearn.svm:SVC()", "--data", "no.csv", "--target", "y", "--engine", "ray", "--engine-address", "auto"]
    for instead in ([], ["--learning-curve"], ["--choose-folds"]):
        said = CliRunner().invoke(verbs, ["validate", *instead, *asked])
        assert said.exit_code == 2
        assert "the engine ray needs the package ray, which is not installed" in said.stderr
        assert "pip install 'heldout[ray]'" in said.stderr


@pytest.mark.parametrize("kind", [DataError, UsageError, EngineError])
def test_errors_arrive_whole(kind):
    error = kind("a.parquet is cut off", code="H100", fix="export it again")
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is kind
    assert (arrived.message, arrived.code, arrived.fix) == (error.message, error.code, error.fix)
    assert str(arrived) == "[H100] a.parquet is cut off\n  Fix: export it again"


def test_what_spark_says_about_other_errors_is_no_error_of_ours():
    assert carried("PythonException: ZeroDivisionError: division by zero") is None


def test_a_learner_that_fails_has_lost_no_worker():
    class RayTaskError(Exception):
        cause = ValueError()

    RayTaskError.__module__ = "ray.exceptions"
    assert not lost_worker(RayTaskError())
    assert not lost_worker(DataError("a learner raised an error", fix="mend it"))


def test_a_lost_worker_is_known():
    from concurrent.futures import CancelledError

    class ActorDiedError(Exception):
        pass

    ActorDiedError.__module__ = "ray.exceptions"
    assert lost_worker(ActorDiedError())
    assert lost_worker(CancelledError())


def test_fits_without_an_engine_stay_where_they_are():
    from joblib.parallel import get_active_backend

    before = type(get_active_backend()[0])
    with fits_on(None):
        assert type(get_active_backend()[0]) is before
